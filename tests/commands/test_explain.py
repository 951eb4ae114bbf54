"""The command that says why."""

from __future__ import annotations

import pytest

from nbspark import Text
from nbspark.cli import main
from nbspark.spec import Spec
from tests.builders import count_rows, documents, store_model

CSV = "id,topic,body\n1,spam,win cash\n2,ham,win win\n3,,lunch\n"


@pytest.fixture
def argv(tmp_path) -> list[str]:
    """Write three documents and a model; return the arguments that name them."""
    spec = Spec("topic", (Text("body"),))
    counts = count_rows(spec, [documents(["spam", "ham"], ["win cash", "lunch noon"])])
    store_model(tmp_path / "model", spec, counts, n_pairs=4)
    (tmp_path / "docs.csv").write_text(CSV, encoding="utf-8")
    return ["explain", "--documents", str(tmp_path / "docs.csv"), "--model", str(tmp_path / "model")]


def test_errors_are_printed_with_what_decided(spark, argv, capsys):
    assert main([*argv, "--label", "topic", "--errors-only", "--keep", "id"]) == 0
    # "win": (1 + 1) / (2 + 4) in spam, (0 + 1) / (2 + 4) in ham, twice: 2 ln 2 = 1.386.
    assert capsys.readouterr().out.splitlines() == [
        "1. spam (probability 0.8000) rather than ham, by 1.386 nats; id: 2; topic: ham",
        "    +1.386  body: win (2 times)",
        "    +0.000  prior",
        "    body: [+win] [+win]",
    ]


def test_explanations_of_all_documents_are_written(spark, argv, tmp_path):
    assert main([*argv, "--output", str(tmp_path / "why.json"), "--keep", "id", "--top", "1"]) == 0
    found = {row["id"]: row for row in spark.read.json(str(tmp_path / "why.json")).collect()}
    assert sorted(found) == ["1", "2", "3"]
    assert found["3"]["explanation"]["against"] == "spam"
    assert [one["term"] for one in found["1"]["explanation"]["terms"]] == ["cash"]
    assert found["1"]["explanation"]["n_other"] == 1


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--errors-only"], "--errors-only wants --label COLUMN"),
        (["--output", "why.csv"], "CSV cannot hold explanations"),
        (["--output", "why", "--limit", "3"], "--limit is of what is printed"),
        (["--overwrite-unfinished"], "want --output PATH"),
    ],
)
def test_what_does_not_go_together_is_told_before_spark_starts(argv, more, told, capsys):
    assert main([*argv, *more]) == 1
    assert told in capsys.readouterr().err
