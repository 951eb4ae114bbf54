"""The terms that say most: by hand, by every plan, and without Spark."""

from __future__ import annotations

import math

import pytest

from nbspark import Categorical, NaiveBayes, Numeric, Text, local
from nbspark.cli import main
from nbspark.counts import CountsAsTable
from nbspark.errors import SpecError
from nbspark.insight.top_terms import MEASURES, top_terms
from nbspark.spec import Spec
from tests.builders import count_rows, count_table, documents, store_model

SPEC = Spec("y", (Text("t"), Categorical("d"), Numeric("n")))
LABELS = ["spam", "spam", "ham", "ham"]
COLUMNS = (
    ["win cash win", "win prize", "lunch at noon", "cash at noon"],
    ["no", "no", "yes", None],
    [1.0, 2.0, 3.0, 4.0],
)


def found(by: str, **asked) -> list[dict]:
    return top_terms(SPEC, count_table(SPEC, LABELS, *COLUMNS), by=by, **asked).to_pylist()


def test_terms_come_with_their_counts_by_class_feature_and_rank():
    [first, *_] = found("chi2", label="spam", n=1)
    # "win" is in both documents of spam and in none of ham: chi-square is n = 4.
    assert first == {
        "label": "spam", "feature": "d", "rank": 1, "term": "no", "score": 3.0, "n_tokens": 2.0, "n_docs": 2.0,
        "all_docs": 2.0,
    }  # fmt: skip
    assert found("chi2", label="spam", n=1)[1]["term"] == "win"
    assert [row["rank"] for row in found("likelihood", label="ham", n=3) if row["feature"] == "t"] == [1, 2, 3]


def test_the_likelihood_is_the_models_own():
    [row] = [row for row in found("likelihood", label="spam", n=1) if row["feature"] == "t"]
    assert (row["term"], row["score"]) == ("win", pytest.approx(math.log((3 + 1) / (5 + 6))))  # 5 tokens, 6 terms


def test_what_speaks_against_a_class_is_not_listed_for_it():
    for by in ("chi2", "mutual_information"):
        assert {row["term"] for row in found(by, label="ham") if row["feature"] == "t"} == {"at", "noon", "lunch"}


def test_what_is_not_known_is_told_with_what_is_near():
    with pytest.raises(SpecError, match="no measure 'chi' "):
        found("chi")
    with pytest.raises(SpecError, match=r"no class 'span' \(did you mean 'spam'\?\)"):
        found("chi2", label="span")


def test_a_model_that_stays_a_table_ranks_alike(spark):
    docs = spark.createDataFrame(list(zip(LABELS, *COLUMNS, strict=True)), "y string, t string, d string, n double")
    spec = {"features": list(SPEC.features), "class_weight": "balanced"}
    model = NaiveBayes(label="y", **spec).fit(docs)
    as_table = CountsAsTable(model.spec, model.counts)
    for by in MEASURES[:3]:
        here, there = model.top_terms(3, by), as_table.top_terms(n=3, by=by, label=None)
        for one, other in zip(here.to_pylist(), there.to_pylist(), strict=True):
            assert one.pop("score") == pytest.approx(other.pop("score"))
            assert one == other


def test_the_command_lists_them_without_spark(tmp_path, capsys):
    spec = Spec("y", (Text("t"),))
    counts = count_rows(spec, [documents(LABELS, COLUMNS[0])])
    path = str(tmp_path / "model")
    store_model(path, spec, counts, n_pairs=7)
    assert main(["model", "top-terms", path, "--by", "npmi", "--n", "1", "--label", "spam"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "spam, t",
        "                  npmi      tokens   documents      of all  term",
        "                1.0000           3           2           2  win",
    ]
    assert local.load(path).top_terms(1, "npmi", label="spam")["term"].to_pylist() == ["win"]
