"""Predictions to small tables of sums to metrics.

>>> from nbspark.evaluation.frame import evaluate
>>> print(render(evaluate(predictions, label="topic")))  # doctest: +SKIP
"""

from nbspark.evaluation.confusion import ClassMetrics, ConfusedPair
from nbspark.evaluation.intervals import Interval
from nbspark.evaluation.metrics import Evaluation, ReliabilityBin, measure
from nbspark.evaluation.render import render
from nbspark.evaluation.tallies import merge, tally

__all__ = [
    "ClassMetrics",
    "ConfusedPair",
    "Evaluation",
    "Interval",
    "ReliabilityBin",
    "measure",
    "merge",
    "render",
    "tally",
]
