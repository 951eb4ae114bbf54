"""Naive Bayes classification as Spark jobs: documents, terms, counts, likelihoods, scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark import errors
from nbspark.version import __version__

if TYPE_CHECKING:
    from nbspark.estimator import NaiveBayes, collect_alphas
    from nbspark.features import Categorical, Numeric, Terms, Text
    from nbspark.model import Model, load
    from nbspark.model_store import ModelStore
    from nbspark.runtime.session import session
    from nbspark.spec import Spec

__all__ = [
    "Categorical",
    "Model",
    "ModelStore",
    "NaiveBayes",
    "Numeric",
    "Spec",
    "Terms",
    "Text",
    "__version__",
    "collect_alphas",
    "errors",
    "load",
    "session",
]

_HOME = {
    "Categorical": "nbspark.features",
    "Model": "nbspark.model",
    "ModelStore": "nbspark.model_store",
    "NaiveBayes": "nbspark.estimator",
    "Numeric": "nbspark.features",
    "Spec": "nbspark.spec",
    "Terms": "nbspark.features",
    "Text": "nbspark.features",
    "collect_alphas": "nbspark.estimator",
    "load": "nbspark.model",
    "session": "nbspark.runtime.session",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: commands answer at once, kernels and the local model need no pyspark."""
    if name not in _HOME:
        raise AttributeError(f"module 'nbspark' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOME[name]), name)
