"""What predictions are worth, as one value. No pyspark in it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbspark.evaluation.confusion_table import ClassMetrics, ConfusedPair
    from nbspark.evaluation.coverage import CoveragePoint
    from nbspark.evaluation.intervals import Interval


@dataclass(frozen=True)
class ReliabilityBin:
    """Documents whose predictions have a probability above ``low``, and up to ``high``.

    ``confidence`` is the mean probability, ``accuracy`` the share that is right.
    """

    low: float
    high: float
    n_docs: int
    confidence: float
    accuracy: float


@dataclass(frozen=True)
class Evaluation:
    """What predictions are worth. All shares and means are over the documents that have a label, by their weights.

    Attributes
    ----------
    n_docs : int
        Documents with a label.
    n_unlabelled : int
        Documents without one; left out of everything else.
    n_unpredicted : int
        Documents with a label but a null prediction: every class was impossible, or it was withheld. They count as
        wrong; ``micro_precision`` is the accuracy of the others.
    accuracy : float
    balanced_accuracy : float
        The mean recall of the labels that documents have.
    cohens_kappa, matthews : float or None
        Agreement beyond chance, 1 at best; None where there is a single label on both sides.
    macro_precision, macro_recall, macro_f1 : float
        Means over ``classes``, each with the same weight; a class never predicted counts with precision 0.
    micro_precision, micro_recall, micro_f1 : float
        Of all documents together; the accuracy, unless there are documents without a prediction.
    weighted_precision, weighted_recall, weighted_f1 : float
        Means over ``classes`` by their documents.
    log_loss : float or None
        Mean of -log P(true label) in nats over the ``n_log_loss`` documents that have one; None if none has.
    brier : float or None
        Mean over the ``n_brier`` documents, whose label the model knows, of the sum over classes of
        (probability - 1 or 0)^2, for two classes its half; None without the probabilities of all classes.
    calibration_error : float or None
        Expected calibration error of the predicted class over ``reliability``; None without probabilities.
    macro_roc_auc, macro_average_precision : float or None
        Means over the classes that have one, see ``ClassMetrics``.
    ranking_error_at_most : float or None
        How far one of a class may be from the exact one: 0 up to ``ranking.MAX_SCORES`` distinct scores a class.
    top_k_accuracy : mapping of int to float
        Share of documents whose label is among the best k.
    unseen_labels : mapping of str to int
        Labels that no prediction can be right about, and their documents: those the model does not know, or,
        where the model's labels were not given, those that were never predicted.
    n_known_labels : int or None
        How many labels the model knows; None where they were not given.
    classes : tuple of ClassMetrics
        Every label that occurs as a true one or a predicted one, in string order.
    pairs : tuple of ConfusedPair
        The confusion table, only the pairs that occur, in string order.
    reliability : tuple of ReliabilityBin
        The bins of the probability of the predicted class that have documents.
    coverage : tuple of CoveragePoint
        What thresholds would buy, of the documents that have a prediction.
    intervals : mapping of str to Interval
        95 % intervals of the metrics above by their names; of top-k accuracy ``top_3_accuracy``.
    """

    n_docs: int
    n_unlabelled: int
    n_unpredicted: int
    accuracy: float
    balanced_accuracy: float
    cohens_kappa: float | None
    matthews: float | None
    macro_precision: float
    macro_recall: float
    macro_f1: float
    micro_precision: float
    micro_recall: float
    micro_f1: float
    weighted_precision: float
    weighted_recall: float
    weighted_f1: float
    log_loss: float | None
    n_log_loss: int
    brier: float | None
    n_brier: int
    calibration_error: float | None
    macro_roc_auc: float | None
    macro_average_precision: float | None
    ranking_error_at_most: float | None
    top_k_accuracy: Mapping[int, float]
    unseen_labels: Mapping[str, int]
    n_known_labels: int | None
    classes: tuple[ClassMetrics, ...]
    pairs: tuple[ConfusedPair, ...]
    reliability: tuple[ReliabilityBin, ...]
    coverage: tuple[CoveragePoint, ...]
    intervals: Mapping[str, Interval]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON. JSON knows no infinite number: such a log loss is the text "Infinity"."""
        plain = asdict(self)
        for name in ("classes", "pairs", "reliability", "coverage"):
            plain[name] = list(plain[name])
        plain["top_k_accuracy"] = {str(k): share for k, share in self.top_k_accuracy.items()}
        if self.log_loss is not None and math.isinf(self.log_loss):
            plain["log_loss"] = "Infinity"
        return plain
