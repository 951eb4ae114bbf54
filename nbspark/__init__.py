"""Naive Bayes classification as Spark jobs: documents, terms, counts, likelihoods, scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark import errors
from nbspark.features import Categorical, Numeric, Terms, Text
from nbspark.version import __version__

if TYPE_CHECKING:
    from nbspark.estimator import NaiveBayes, collect_alphas
    from nbspark.model import Model, load

__all__ = [
    "Categorical",
    "Model",
    "NaiveBayes",
    "Numeric",
    "Terms",
    "Text",
    "__version__",
    "collect_alphas",
    "errors",
    "load",
]

_NEEDS_SPARK = {
    "Model": "nbspark.model",
    "load": "nbspark.model",
    "NaiveBayes": "nbspark.estimator",
    "collect_alphas": "nbspark.estimator",
}


def __getattr__(name: str) -> Any:
    """Import the names that need pyspark when they are first used: the kernels and the local model do not."""
    if name not in _NEEDS_SPARK:
        raise AttributeError(f"module 'nbspark' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_NEEDS_SPARK[name]), name)
