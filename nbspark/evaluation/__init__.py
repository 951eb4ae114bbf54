"""Predictions to a confusion table to metrics.

>>> from nbspark.evaluation import evaluate
>>> print(evaluate(predictions, label="topic").render())  # doctest: +SKIP
"""

from nbspark.evaluation.metrics import ClassMetrics, ConfusedPair, Evaluation, measure
from nbspark.evaluation.predictions import confusion, evaluate

__all__ = ["ClassMetrics", "ConfusedPair", "Evaluation", "confusion", "evaluate", "measure"]
