"""What goes into an event model and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TermCounts:
    """Sparse counts of some terms of one feature, term after term (compressed rows).

    Attributes
    ----------
    indptr : int64 array, shape (n_terms + 1,)
        The pairs of term t are ``indptr[t]:indptr[t + 1]``.
    classes : int array, shape (n_pairs,)
        The class of each pair.
    n : float64 array, shape (n_pairs,)
        Tokens or documents of each pair, whichever the event model counts; > 0.
    alpha : float64 array, shape (n_terms,)
        Pseudo-count of each term.
    """

    indptr: np.ndarray
    classes: np.ndarray
    n: np.ndarray
    alpha: np.ndarray

    def of_pairs(self, per_term: np.ndarray) -> np.ndarray:
        """Return a value per term as a value per pair."""
        return np.repeat(per_term, np.diff(self.indptr))

    def sum_by_class(self, per_pair: np.ndarray, n_classes: int) -> np.ndarray:
        """Return the sum over pairs for each class."""
        return np.bincount(self.classes, weights=per_pair, minlength=n_classes)

    def sum_by_term(self, per_pair: np.ndarray) -> np.ndarray:
        """Return the sum over pairs for each term; every term has a pair, or none has."""
        return np.add.reduceat(per_pair, self.indptr[:-1]) if len(per_pair) else np.zeros(len(self.alpha))


@dataclass(frozen=True)
class Totals:
    """Sums over the whole vocabulary of one feature.

    Attributes
    ----------
    n : float64 array, shape (n_classes,)
        N_c: the sum of the counts of each class.
    docs : float64 array, shape (n_classes,)
        D_c: documents of each class that have the feature.
    n_terms : int
        V: terms in the vocabulary.
    alpha : float
        A: the sum of the pseudo-counts over the vocabulary.
    each_alpha : float
        The pseudo-count of every term of an event with ``one_alpha``.
    """

    n: np.ndarray
    docs: np.ndarray
    n_terms: int
    alpha: float
    each_alpha: float = 1.0


@dataclass(frozen=True)
class Parameters:
    """What scoring adds up, in nats.

    Attributes
    ----------
    floor : float64 array, shape (n_classes,)
        Added once for each known term of a document.
    base : float64 array, shape (n_terms,)
        Added for the term whatever the class. ``-inf`` says that the term is impossible in a class that
        has not seen it; its lifts then count from 0.
    lift : float64 array, shape (n_pairs,)
        Added for a pair seen in training.
    bias : float64 array, shape (n_classes,)
        Added once for each document that has the feature; a sum over the terms given.
    norm : float64 array, shape (n_classes,)
        Sum of the absolute values of ``floor + base + lift`` over the terms given; a normalised model divides by it.
    """

    floor: np.ndarray
    base: np.ndarray
    lift: np.ndarray
    bias: np.ndarray
    norm: np.ndarray


def presence(n: np.ndarray) -> np.ndarray:
    """Return 1 for each term that occurs, however often."""
    return np.ones_like(n)


def log_probability(added: np.ndarray) -> np.ndarray:
    """Return log P(t|c) where that is what a term adds to a class's score."""
    return added


@dataclass(frozen=True)
class Event:
    """An event model: what it counts, how a term's occurrences in a document enter, and its arithmetic.

    Attributes
    ----------
    name : str
    counts : {"n_tokens", "n_docs"}
        The column of the counts table that it uses.
    estimate : callable
        ``estimate(counts, totals)``: a pure function. ``bias`` and ``norm`` are sums over the terms given,
        so that the parameters of a large vocabulary can be estimated in parts.
    frequency : callable, optional
        f: from how often each term occurs in a document to what enters its score; the same number unless given.
    log_likelihood : callable
        From what a term adds to a class's score, ``scale * (floor + base + lift)``, to log P(t|c).
    sums_over_terms : bool
        ``bias`` is not 0: all terms of the vocabulary must be estimated before any document can be scored.
    unseen_alike : bool
        All terms that a class has not seen have one likelihood in it, if they have one pseudo-count.
    has_norm : bool
        What a term adds has one sign in all classes, so that a class's score may be divided by ``norm``.
    one_alpha : bool
        It takes one pseudo-count for all terms.
    needs_alpha : bool
        It has no maximum-likelihood form that could score.
    """

    name: str
    counts: str
    estimate: Callable[[TermCounts, Totals], Parameters]
    frequency: Callable[[np.ndarray], np.ndarray] | None = None
    log_likelihood: Callable[[np.ndarray], np.ndarray] = log_probability
    sums_over_terms: bool = False
    unseen_alike: bool = True
    has_norm: bool = False
    one_alpha: bool = False
    needs_alpha: bool = False

    def unseen(self, totals: Totals, alpha: float, scale: np.ndarray) -> np.ndarray:
        """Return log P(t|c), class by class, of a term with this pseudo-count that the class has not seen."""
        found = self.estimate(TermCounts(np.zeros(2, np.int64), NO_CLASSES, np.zeros(0), np.array([alpha])), totals)
        return self.log_likelihood(scale * (found.floor + found.base))


NO_CLASSES = np.zeros(0, np.int32)
EVENTS: dict[str, Event] = {}


def register(event: Event) -> None:
    """Make an event model known by its name, to specs, jobs and stored models."""
    EVENTS[event.name] = event
