"""Predictions to a confusion table to metrics.

>>> from nbspark.evaluation.frame import evaluate
>>> print(render(evaluate(predictions, label="topic")))  # doctest: +SKIP
"""

from nbspark.evaluation.metrics import ClassMetrics, ConfusedPair, Evaluation, measure
from nbspark.evaluation.render import render

__all__ = ["ClassMetrics", "ConfusedPair", "Evaluation", "measure", "render"]
