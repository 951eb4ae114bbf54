"""Scores to scores whose softmax means what it says. No pyspark in it.

Naive Bayes takes the words of a text for independent, so it counts the same evidence many times over: which class is
the best comes out well, its probability far too near to 1. Dividing the scores by a number fitted on documents that the
model has not seen mends most of that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nbspark.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbspark.spec import Spec


@dataclass(frozen=True)
class Calibration:
    """What is done to scores before they become probabilities.

    Attributes
    ----------
    temperature : float, > 0
        Divides the scores: above 1, probabilities are less certain. It changes no order.
    exponent : float, >= 0
        The temperature of a document is multiplied by its length to this power. The more words a text has, the more
        often the same evidence was counted.
    bias : float64 array, shape (n_classes,), or None
        Added afterwards, in nats.
    """

    temperature: float = 1.0
    exponent: float = 0.0
    bias: np.ndarray | None = None

    @classmethod
    def of(cls, spec: Spec, labels: Sequence[str]) -> Calibration:
        """Return what a spec says, for a model's labels.

        Raises
        ------
        SpecError
            ``class_bias`` names what is no class of the model.
        """
        if spec.class_bias is None:
            return cls(spec.temperature, spec.temperature_exponent)
        unknown = sorted(set(spec.class_bias) - set(labels))
        if unknown:
            raise SpecError(f"model: class_bias names {unknown}, which are none of the classes {list(labels)[:20]}.")
        bias = np.array([spec.class_bias.get(label, 0.0) for label in labels])
        return cls(spec.temperature, spec.temperature_exponent, bias)

    @property
    def keeps_order(self) -> bool:
        """Whether the best class stays the best, and all others their rank."""
        return self.bias is None

    def apply(self, scores: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        """Return calibrated scores; one that is -inf stays so.

        Parameters
        ----------
        scores : float64 array, shape (n_docs, n_classes)
        lengths : float64 array, shape (n_docs,)
            How many known terms each document has.

        Notes
        -----
        Temperature: Guo et al. (2017), section 4.2. With a bias for each class it is their vector scaling, with one
        scale for all classes: a joint log-likelihood is known up to a number a document, which a scale for each class
        would not leave out of account.

        Examples
        --------
        >>> Calibration(2.0, bias=np.array([0.0, 1.0])).apply(np.array([[-4.0, -6.0]]), np.array([9.0])).tolist()
        [[-2.0, -2.0]]
        >>> Calibration(2.0, 0.5).apply(np.array([[-4.0, -6.0]]), np.array([4.0])).tolist()
        [[-1.0, -1.5]]
        """
        scores = per_length(scores, lengths, self.exponent)
        if self.temperature != 1.0:
            scores = scores / self.temperature
        return scores if self.bias is None else scores + self.bias


def per_length(scores: np.ndarray, lengths: np.ndarray, exponent: float) -> np.ndarray:
    """Return each document's scores divided by its length to a power; a document without a known term is as of one."""
    return scores / np.maximum(lengths, 1.0)[:, None] ** exponent if exponent else scores


UNCALIBRATED = Calibration()
