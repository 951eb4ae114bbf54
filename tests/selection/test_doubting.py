"""Labels that are probably wrong, found out of fold."""

from __future__ import annotations

from nbspark import NaiveBayes, Text
from tests.pages import run_page

SPEC = NaiveBayes("topic", [Text("body")])


def turned() -> dict[str, list[object]]:
    """Return documents of two topics, of which two have the other one's label, and one has none."""
    words = {"x": ("win", "cash", "prize", "free"), "y": ("lunch", "noon", "home", "late")}
    rows = [
        (topic, f"{words[topic][i % 4]} {words[topic][(i + 1 + i // 4) % 4]} w{i}") for topic in "xy" for i in range(20)
    ]
    rows[3], rows[30] = ("y", rows[3][1]), ("x", rows[30][1])
    rows.append((None, "win cash"))
    return {"topic": [label for label, _ in rows], "body": [text for _, text in rows]}


def test_turned_labels_are_the_doubtful_ones():
    docs = turned()
    found = SPEC.cross_validate(docs, folds=5).doubtful_labels(n=5)
    assert found.n_docs == 40
    assert found.n_doubtful == 2
    assert {(one["label"], one["prediction"], one["text"]) for one in found.worst} == {
        ("y", "x", docs["body"][3]),
        ("x", "y", docs["body"][30]),
    }
    assert all(one["margin"] < 0 and one["probability"] < 0.5 for one in found.worst)
    # 20 have each label, one of them wrongly; of the 19 others not all are sure enough to be counted.
    assert 1 / 40 <= found.noise["x"]["y"] < 2 / 40
    assert sum(sum(row.values()) for row in found.noise.values()) == 1.0


def test_doubts_on_spark_are_those_in_memory(spark):
    docs = turned()
    rows = list(zip(*docs.values(), strict=True))
    on_spark = SPEC.cross_validate(spark.createDataFrame(rows, "topic string, body string"), folds=5)
    found, expected = on_spark.doubtful_labels(), SPEC.cross_validate(docs, folds=5).doubtful_labels()
    assert (found.n_docs, found.n_doubtful, found.noise) == (expected.n_docs, expected.n_doubtful, expected.noise)
    assert [one["text"] for one in found.worst] == [one["text"] for one in expected.worst]


def test_the_page_on_data_runs():
    found = run_page("docs/data.md")["found"]
    assert found.n_doubtful == 1
    assert [(one["text"], one["prediction"]) for one in found.worst] == [("win cash", "spam")]
