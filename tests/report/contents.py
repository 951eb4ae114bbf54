"""Contents of reports that the tests put on pages: made from tallies, without Spark."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from nbspark.evaluation.evaluation import Evaluation
from nbspark.evaluation.metrics import measure
from nbspark.evaluation.tallies import tally
from nbspark.report.content import Content, Mistake, VersionLine

if TYPE_CHECKING:
    from collections.abc import Sequence

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"' onload=alert(1) {{ 7*7 }}"
ARABIC = "أخبار الرياضة"
CHINESE = "体育新闻"


def evaluation(labels: Sequence[str], *, n: int = 40, sharpness: float = 0.9) -> Evaluation:
    """Return the evaluation of ``n`` documents a label, of which about a fifth get the label after their own."""
    rng = np.random.default_rng(7)
    true = np.repeat(np.arange(len(labels)), n)
    wrong = rng.random(len(true)) < 0.2
    given = np.where(wrong, (true + 1) % len(labels), true)
    sure = np.clip(rng.normal(sharpness, 0.12, len(true)), 0.5, 0.999)
    loss = np.where(wrong, -np.log1p(-sure), -np.log(sure))
    batch = pa.record_batch(
        {
            "label": [labels[i] for i in true],
            "prediction": [labels[i] for i in given],
            "probability": sure,
            "log_loss": loss,
        }
    )
    return measure(tally(batch))


def mistake(label: str, prediction: str | None, text: str) -> Mistake:
    """Return a mistake whose first five characters spoke for the prediction, and the next five against it."""
    terms = [
        {"feature": "body", "term": text[i : i + 5], "n": 1.0, "contribution": nats, "spans": [{"start": i, "stop": i + 5}]}  # noqa: E501
        for i, nats in ((0, 3.0), (6, -1.5))
    ]  # fmt: skip
    why = {"against": label, "difference": 1.2, "prior": -0.3, "bias": 0.0, "terms": terms, "n_other": 2}
    return Mistake(label, prediction, 0.77, {"body": text}, {**why, "other": 0.0, "numbers": [], "unknown": []})


def tried(event: str, alpha: float, mean: float) -> dict:
    """Return a setting of a report of tune."""
    metrics = {"accuracy": {"mean": mean, "se": 0.004}, "log_loss": {"mean": 1 - mean, "se": 0.01}}
    return {"options": {"event": event, "alpha": alpha}, "metrics": metrics, "n_terms": 812, "best": mean > 0.89}


@cache
def content_of(labels: tuple[str, ...]) -> Content:
    """Return a report that has every part."""
    moved = {"term": HOSTILE, "docs_before": 3.0, "docs_after": 30.0, "bits": 0.01}
    about = {"jsd": 0.0423, "expected": 0.01, "limit": 0.02, "moved": [moved], "gone": [], "new": [moved]}
    return Content(
        f"Report on {HOSTILE}",
        {"model": "models/news", "documents": CHINESE},
        evaluation=evaluation(labels),
        raw=evaluation(labels, sharpness=0.97),
        mistakes=[
            mistake(label, labels[(i + 1) % len(labels)], text)
            for i, label in enumerate(labels)
            for text in ("Stock prices fell after the match", f"{ARABIC} {HOSTILE}", f"{CHINESE}{CHINESE} {HOSTILE}")
        ],
        top_terms=[
            {"label": label, "feature": "body", "rank": i, "term": term, "score": 9.0 / i, "n_docs": 40.0 / i}
            for label in labels
            for i, term in enumerate(("match", ARABIC, CHINESE, HOSTILE), start=1)
        ],
        tuning={
            "metric": "accuracy",
            "settings": [
                tried(event, alpha, 0.9 - 0.03 * i - 0.01 * j)
                for j, event in enumerate(("multinomial", "complement"))
                for i, alpha in enumerate((0.01, 0.1, 1.0))
            ],
        },
        drift={"drift": {"divergences": [{"label": labels[0], "feature": "body", "excess": 0.02, **about}]}},
        versions=[
            VersionLine(
                i,
                f"2026-11-{i:02}T08:00:00+00:00",
                f"learn 2026-11-{i:02}",
                1000 * i,
                ("champion",) if i == 4 else (),
                "promoted" if i % 3 else "kept back",
                {"accuracy": 0.9 + 0.01 * (i % 4), "log_loss": 0.3},
            )
            for i in range(1, 6)
        ],
        spec={"label": "topic", "features": [{"text": HOSTILE}]},
    )


def content(labels: Sequence[str]) -> Content:
    """Return a report that has every part; the same one for the same labels."""
    return content_of(tuple(labels))
