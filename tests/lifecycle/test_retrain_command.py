"""``nbspark retrain`` and ``nbspark set``: nights on Spark, and what is refused before it starts."""

from __future__ import annotations

import json

import pytest

from nbspark import ModelStore, NaiveBayes, Text
from nbspark.cli import main
from nbspark.spec import Spec
from tests.lifecycle.test_retrain import HELD_OUT, SPEC, mails


def run(*argv: object) -> int:
    """Run a command in the session of the tests; return its exit code, that of wrong arguments, too."""
    try:
        return main([str(one) for one in argv])
    except SystemExit as error:
        return int(str(error.code))


@pytest.fixture
def place(tmp_path):
    """Return a folder with the mails of some days."""
    days = {
        "mon": mails("mon", 40),
        "bad": mails("bad", 100, wrong=True),
        "held": HELD_OUT,
        "eggs": {"y": ["eggs"] * 4, "t": mails("x", 4)["t"]},
        "bare": {"t": ["cash"]},
    }
    for day, columns in days.items():
        rows = [",".join(row) for row in zip(*columns.values(), strict=True)]
        (tmp_path / f"{day}.csv").write_text("\n".join([",".join(columns), *rows]) + "\n")
    return tmp_path


def test_nights_by_the_command_are_those_in_memory(spark, place, capsys):
    model, report = place / "m", place / "r.json"
    night = ["retrain", "--model", model, "--report", report, "--holdout-documents", place / "held.csv"]
    first = [*night, "--documents", place / "mon.csv", "--batch", "mon", "--date", "2026-11-23"]
    assert run(*first, "--label", "y", "--text", "t", "--minimum", "accuracy=0.9") == 0
    bad = [*night, "--documents", place / "bad.csv", "--batch", "bad", "--metric", "log_loss", "--level", "0.01"]
    assert run(*bad) == 3
    found = json.loads(report.read_text())
    assert (found["status"], found["gate"]["decision"], found["version"], found["champion"]) == (
        "succeeded",
        "kept",
        2,
        1,
    )
    captured = capsys.readouterr()
    assert "not promoted" in captured.out
    assert f"nbspark forget --batch bad --model {model}" in captured.err

    local = ModelStore(place / "local", spec=SPEC)
    local.retrain(mails("mon", 40), batch="mon", holdout=HELD_OUT)
    kept = local.retrain(mails("bad", 100, wrong=True), batch="bad", holdout=HELD_OUT, metric="log_loss", level=0.01)
    ours = kept.decision.to_json()
    for model_name in ("challenger", "champion"):  # bit for bit; what is drawn is by another hash
        assert ours[model_name] == found["gate"][model_name]
    assert (ours["decision"], ours["p_value"]) == (found["gate"]["decision"], found["gate"]["p_value"])

    capsys.readouterr()
    assert run("model", "list", model) == run("model", "show", model, "2") == 0
    printed = capsys.readouterr().out
    assert "1 batch  promoted: accuracy 1.0000  <- champion" in printed
    assert "2 batches  kept: log_loss" in printed
    assert "lineage\n  2  " in printed


def test_a_share_of_a_frame_is_held_out_by_its_content(spark, tmp_path):
    columns = mails("mon", 60)
    rows = list(zip(*columns.values(), strict=True))
    frames = [spark.createDataFrame(some, "y string, t string") for some in (rows, rows[::-1])]
    store = ModelStore(tmp_path / "m", spec=NaiveBayes("y", [Text("t")]), spark=spark)
    first = store.retrain(frames[0], batch="mon", holdout=0.5, metric="macro_f1")
    again = store.retrain(frames[1].repartition(3), batch="mon", holdout=0.5)
    assert (again.changed, again.version) == (False, first.version)
    n_learned = first.version.rows["rows_read"]
    assert n_learned + first.decision.challenger["n_docs"] == 60
    assert first.version.note["spark"] == spark.version
    assert first.decision.holdout == {"share": "1/2"}


def test_what_is_wrong_is_one_line_before_spark_starts(place, capsys):
    store = ModelStore(place / "m", spec=SPEC)
    store.retrain(mails("mon", 40), batch="mon", holdout=HELD_OUT)
    night = ["retrain", "--model", place / "m", "--batch", "tue"]
    new = ["retrain", "--model", place / "new", "--batch", "tue", "--label", "y", "--text", "t"]
    good = ["--documents", place / "bad.csv"]
    for argv, code, told in (
        ([*night, "--documents", place / "bare.csv"], 1, "no column 'y'"),
        ([*new, "--documents", place / "bare.csv"], 1, "no column 'y'"),
        ([*night, *good, "--holdout-documents", place / "bare.csv"], 1, "no column 'y'"),
        ([*night, *good, "--holdout-documents", place / "bad.csv"], 1, "is in both, and would be learned"),
        ([*night, *good, "--holdout-documents", place / "none.csv"], 1, "none.csv"),
        ([*night, *good, "--holdout", "1"], 2, "wants a number between 0 and 1"),
        ([*night, *good, "--holdout", "0.1", "--holdout-documents", "x"], 2, "not allowed with argument --holdout"),
        ([*night, *good, "--minimum", "acuracy=0.9"], 2, "no metric 'acuracy' (did you mean 'accuracy'?)"),
        ([*night, *good, "--minimum", "accuracy=9"], 2, "wants accuracy from 0 to 1, found '9'"),
        ([*night, *good, "--minimum", "accuracy=1", "--minimum", "accuracy=0"], 1, "accuracy is given twice"),
        ([*night, *good, "--level", "5"], 2, "wants a number between 0 and 1, for example 0.05, found '5'"),
        ([*night, *good, "--metric", "acuracy"], 2, "did you mean 'accuracy'?"),
        ([*night, *good, "--date", "monday"], 1, "wants a day as YYYY-MM-DD"),
        ([*night, *good, "--label", "y", "--text", "t", "--tokens", "chars"], 1, "tokens 'chars', not 'words'"),
        (["retrain", "--model", place / "new", "--batch", "tue", *good], 1, "say what to learn"),
        (["set", "--model", place / "m"], 1, "wants an option or more"),
        (["set", "--model", place / "m", "--alhpa", "1"], 2, "no option '--alhpa' (did you mean '--alpha'?)"),
        (["set", "--model", place / "m", "--alpha", "0"], 1, "alpha wants a number > 0, found 0"),
        (["set", "--model", place / "m", "--event", "binomial"], 1, "event"),
        (["set", "--model", place / "m", "--prior", "spam=0.5"], 1, "sum to 1"),
        (["set", "--model", place / "m", "--prior", "spam=x", "ham=1"], 1, "CLASS=NUMBER once for each class"),
        (["set", "--model", place / "m", "--prior", "spam=0.5", "eggs=0.5"], 1, "lacks the classes ['ham']"),
        (["set", "--model", place / "m", "--feature", "u", "--alpha", "1"], 1, "no feature 'u'"),
        (["set", "--model", place / "none", "--alpha", "1"], 1, "is not a model"),
    ):
        assert run(*argv) == code, argv
        error = capsys.readouterr().err
        assert told in error, error
        assert error.count("\n") == 1
    assert (store.store.versions(), (place / "new").exists()) == ([1], False)


def test_options_are_set_without_spark_and_the_same_ones_change_nothing(place, capsys):
    store = ModelStore(place / "m", spec=SPEC)
    store.retrain(mails("mon", 40), batch="mon", holdout=HELD_OUT)
    asked = [
        "set",
        "--model",
        place / "m",
        "--alpha",
        "0.1",
        "--event",
        "complement",
        "--prior",
        "spam=0.25",
        "ham=0.75",
    ]
    assert run(*asked, "--report", place / "r.json") == 0
    assert json.loads((place / "r.json").read_text())["version"] == 2
    options = {"alpha": 0.1, "prior": {"spam": 0.25, "ham": 0.75}}
    assert store.version(2).options == {**options, "features": {"t": {"event": "complement"}}}
    assert run(*asked) == 0
    assert "unchanged" in capsys.readouterr().out
    assert run("set", "--model", place / "m", "--max-docs", "0.5", "--feature", "t") == 0
    assert store.load(3).spec == Spec("y", (Text("t", event="complement", max_docs=0.5),), **options)
