"""Columns that are no text: categories, numbers, and text that others have turned into terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Self

from nbspark.features.checks import Readable, require_at_least, require_at_most, require_types, set_default
from nbspark.features.options import Alpha, require_alpha, require_event, require_limits

LARGEST_SHARE = 1e6  # of a variance: the sum of both is a double, too


@dataclass(frozen=True, repr=False)
class Categorical(Readable):
    """A scalar column of any type; each distinct value, as text, is a category.

    A null is skipped for its row, in training and in scoring; so is a category that training never saw.

    Parameters
    ----------
    column : str
    name : str, optional
        The feature's name in the counts; the column's name unless given.
    alpha : float, dict of str to float, or "maximum_likelihood", optional
        Pseudo-count of each category, or of those given; the model's unless given here.

    Examples
    --------
    >>> Categorical("dkim").name
    'dkim'
    """

    kind: ClassVar[str] = "categorical"
    has_terms: ClassVar[Literal[True]] = True
    # One term a row, so the multinomial is the categorical distribution.
    event: ClassVar[str] = "multinomial"
    norm: ClassVar[bool] = False

    column: str
    name: str | None = None
    alpha: Alpha | None = None

    def __post_init__(self) -> None:
        """Check every option."""
        set_default(self, "name", self.column)
        require_types(self)
        require_alpha(self)

    def resolved(self) -> Self:
        """Return the feature itself: nothing in it depends on a package."""
        return self


@dataclass(frozen=True, repr=False)
class Terms(Readable):
    """A column that holds terms already: an array of strings, a map from term to count, or a Spark ML vector.

    Counts may be fractional, such as TF-IDF; a term with count 0 does not occur. A vector's terms are its
    positions, ``"0"``, ``"1"``, ... Null is a document without terms.

    Parameters
    ----------
    column : str
    name : str, optional
        The feature's name in the counts; the column's name unless given.
    event, norm, alpha, min_docs, max_docs, min_count, max_terms, drop_top
        As in ``Text``.

    Examples
    --------
    >>> Terms("tokens", event="bernoulli").event
    'bernoulli'
    """

    kind: ClassVar[str] = "terms"
    has_terms: ClassVar[Literal[True]] = True

    column: str
    name: str | None = None
    event: str = "multinomial"
    norm: bool = False
    alpha: Alpha | None = None
    min_docs: int | float | None = None
    max_docs: int | float | None = None
    min_count: int | float = 0
    max_terms: int | None = None
    drop_top: int = 0

    def __post_init__(self) -> None:
        """Check every option."""
        set_default(self, "name", self.column)
        require_types(self)
        require_alpha(self)
        require_event(self)
        require_limits(self)

    def resolved(self) -> Self:
        """Return the feature itself: nothing in it depends on a package."""
        return self


@dataclass(frozen=True, repr=False)
class Numeric(Readable):
    """A column of numbers, Gaussian within each class.

    Null and NaN are skipped for their row, in training and in scoring; an infinite number is an error.

    Parameters
    ----------
    column : str
    name : str, optional
        The feature's name in the counts; the column's name unless given.
    var_smoothing : float
        Share of the largest variance among the model's numeric features that is added to every variance.

    Examples
    --------
    >>> Numeric("length").var_smoothing
    1e-09
    """

    kind: ClassVar[str] = "numeric"
    has_terms: ClassVar[Literal[False]] = False  # it has moments

    column: str
    name: str | None = None
    var_smoothing: float = 1e-9

    def __post_init__(self) -> None:
        """Check every option."""
        set_default(self, "name", self.column)
        require_types(self)
        require_at_least(self, "var_smoothing", 0)
        require_at_most(self, "var_smoothing", LARGEST_SHARE)

    def resolved(self) -> Self:
        """Return the feature itself: nothing in it depends on a package."""
        return self
