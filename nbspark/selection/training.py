"""What all folds but one are learned as under a setting: arithmetic on the counts of the folds. No pyspark in it."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbspark.errors import SpecError
from nbspark.features import Terms, Text
from nbspark.features.options import LIMITS
from nbspark.smoothing.likelihoods import likelihoods_of
from nbspark.smoothing.totals import class_factors, multiplied
from nbspark.smoothing.vocabulary import has_limits, kept

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbspark.counting.table import CountTable
    from nbspark.selection.fold_counts import FoldCounts, Training
    from nbspark.selection.grid import Setting
    from nbspark.smoothing.likelihoods import Likelihoods
    from nbspark.spec import Spec


class Vocabulary(NamedTuple):
    """The counts of a training under some limits.

    Attributes
    ----------
    counts : CountTable
    places : dict of str to int32 array
        The place of each term of all folds in the limited vocabulary, -1 where it is not in it; by feature.
    """

    counts: CountTable
    places: dict[str, np.ndarray]


def training_without(counts: FoldCounts, fold: str) -> Training:
    """Return what a model learns that is to score a fold: all the others.

    Raises
    ------
    DocumentsError
        Nothing is left to be learned.
    """
    return counts.without(counts.folds.index(fold) if fold in counts.folds else None)


def limits_of(spec: Spec) -> tuple[Any, ...]:
    """Return the vocabulary limits of every feature; settings with the same ones know the same terms."""
    return tuple(getattr(feature, name, None) for feature in spec.features for name in LIMITS)


def limited(setting: Setting, training: Training, fold: str) -> Vocabulary:
    """Return a training's counts under the limits of a setting.

    Raises
    ------
    SpecError
        They keep none of a feature's terms.
    """
    counts, places = dict(training.counts.features), {}
    for feature in setting.spec.term_features:
        name = str(feature.name)
        inside = training.kept[name]
        if isinstance(feature, Text | Terms) and has_limits(feature):
            with _told(setting, fold):
                keep = kept(feature, counts[name])
            counts[name] = counts[name].select(keep)
            inside = inside.copy()
            inside[inside] = keep
        places[name] = np.where(inside, np.cumsum(inside, dtype=np.int32) - np.int32(1), np.int32(-1))
    return Vocabulary(replace(training.counts, features=counts), places)


def learned(setting: Setting, vocabulary: Vocabulary, fold: str) -> Likelihoods:
    """Return the likelihoods of limited counts under a setting: those that ``smooth`` gives of the documents' own.

    Raises
    ------
    SpecError
        A given prior or class weight does not fit the classes of the training.
    """
    counts = vocabulary.counts
    with _told(setting, fold):
        factors = class_factors(setting.spec, counts.labels, counts.docs)
        return likelihoods_of(setting.spec, multiplied(counts, factors), factors)


@contextlib.contextmanager
def _told(setting: Setting, fold: str) -> Iterator[None]:
    """Say in an error which setting and fold it is of."""
    try:
        yield
    except SpecError as error:
        of = f"without fold {fold!r}" if fold else "of all documents"
        raise SpecError(f"setting {setting.options}, learned {of}: {error}") from error
