"""The commands end to end on files: what is printed, what is written, and how they fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nbspark import local
from nbspark.cli import main
from nbspark.commands.train import warnings_of

CSV = "topic,body\nspam,win cash\nspam,\nham,lunch noon\n,win\nham,caf\ufffd\n"


@pytest.fixture
def docs(tmp_path: Path) -> str:
    """Write five documents: one without a label, one without text, one damaged."""
    file = tmp_path / "docs.csv"
    file.write_text(CSV, encoding="utf-8")
    return str(file)


def run(*argv: str) -> int:
    """Run a command in the session of the tests."""
    return main([str(one) for one in argv])


@pytest.fixture(scope="module")
def model(spark, tmp_path_factory) -> str:
    """Train a model from such a file once; no test changes it."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "docs.csv").write_text(CSV, encoding="utf-8")
    argv = ["--documents", folder / "docs.csv", "--label", "topic", "--text", "body", "--allow-undecodable"]
    assert run("train", *argv, "--model", folder / "model") == 0
    return str(folder / "model")


def test_train_says_what_became_of_every_row(spark, tmp_path, docs, capsys):
    report = tmp_path / "reports" / "train.json"
    argv = ["--documents", docs, "--label", "topic", "--text", "body", "--model", tmp_path / "m", "--report", report]
    assert run("train", *argv, "--allow-undecodable") == 0
    found = json.loads(report.read_text(encoding="utf-8"))
    assert found["rows"] == {
        "read": 5, "learned": 4, "unlabelled": 1, "without_terms": 1, "undecodable": 1,
        "missing": {},
    }  # fmt: skip
    assert found["rows"]["read"] == found["rows"]["learned"] + found["rows"]["unlabelled"]
    assert found["classes"] == {"ham": 2, "spam": 2}
    assert (found["n_terms"], found["n_pairs"]) == ({"body": 5}, 5)
    printed = capsys.readouterr()
    assert "5 rows from" in printed.out
    assert "1 of 4 documents with U+FFFD" in printed.err


def test_score_keeps_the_columns_that_are_asked_for_and_reports_what_they_tell(tmp_path, docs, model, capsys):
    scored, report = tmp_path / "scored", tmp_path / "score.json"
    asked = ["--keep", "topic", "--report", report, "--output-format", "json"]
    assert run("score", "--documents", docs, "--model", model, "--output", scored, *asked) == 0
    [first, *_] = (line for part in sorted(scored.glob("part-*")) for line in part.read_text().splitlines())
    assert list(json.loads(first)) == ["topic", "prediction", "probability", "n_terms", "n_known"]
    rows = json.loads(report.read_text(encoding="utf-8"))["rows"]
    assert rows == {"read": 5, "scored": 5, "impossible": 0, "without_terms": 1, "all_unknown": 0,
                    "missing": {}, "unseen": {}}  # fmt: skip
    assert "undecodable" not in capsys.readouterr().out


def test_score_withholds_what_misses_a_threshold_and_says_so(tmp_path, docs, model, capsys):
    scored, report, costs = tmp_path / "scored.csv", tmp_path / "score.json", tmp_path / "costs.toml"
    costs.write_text("[ham]\nspam = 1\n[spam]\nham = 5\n")
    asked = ["--min-known", 1, "--min-probability", 0.5, "--costs", costs, "--with-version", "--report", report]
    assert run("score", "--documents", docs, "--model", model, "--output", scored, "--keep", "body", *asked) == 0
    found = json.loads(report.read_text(encoding="utf-8"))
    assert (found["rows"]["impossible"], found["rows"]["withheld"]) == (0, {"min_known": 1, "min_probability": 2})
    assert found["predictions"] == {"spam": 2}
    assert ["withheld", "min_known", "1,", "min_probability", "2"] in map(
        str.split, capsys.readouterr().out.splitlines()
    )
    lines = [line for part in scored.glob("part-*") for line in part.read_text(encoding="utf-8").splitlines()]
    assert [line.rpartition(",")[2] for line in lines if line.startswith("win cash")] == ["1"]
    assert run("score", "--documents", docs, "--model", model, "--output", tmp_path / "x", "--min-margin", 2) == 1
    assert "min_margin wants a number from 0 to 1" in capsys.readouterr().err


def test_score_and_evaluate_go_on_from_there(tmp_path, docs, model, capsys):
    scored, metrics, report = (tmp_path / name for name in ("scored", "metrics.json", "score.json"))
    asked = ["--top-k", "2", "--probabilities", "--label", "topic", "--report", report]
    assert run("score", "--documents", docs, "--model", model, "--output", scored, *asked) == 0
    found = json.loads(report.read_text(encoding="utf-8"))
    assert found["rows"] == {
        "read": 5, "scored": 5, "impossible": 0, "without_terms": 1, "all_unknown": 0, "undecodable": 1,
        "missing": {}, "unseen": {},
    }  # fmt: skip
    assert found["terms"] == {"n_terms": 6, "n_known": 6}
    assert found["predictions"] == {"ham": 3, "spam": 2}

    assert run("evaluate", "--predictions", scored, "--label", "topic", "--output", metrics, "--coverage") == 0
    found = json.loads(metrics.read_text(encoding="utf-8"))
    # "spam" without text: the prior is 1/2 each, the tie goes to ham.
    assert (found["n_docs"], found["n_unlabelled"], found["accuracy"]) == (4, 1, 3 / 4)
    printed = capsys.readouterr().out
    assert "accuracy 0.7500" in printed
    assert ["min_known", "1", "3", "75.0%", "1.0000"] in map(str.split, printed.splitlines())


def test_a_spec_file_does_the_same_as_columns(tmp_path, docs, model):
    spec = tmp_path / "spec.toml"
    spec.write_text("label = 'topic'\n[[features]]\nkind = 'text'\ncolumn = 'body'\n", encoding="utf-8")
    assert (
        run("train", "--documents", docs, "--spec", spec, "--allow-undecodable", "--model", tmp_path / "by_spec") == 0
    )
    texts = ["win noon", None]
    assert local.load(str(tmp_path / "by_spec")).predict(texts) == local.load(model).predict(texts)


def test_the_demos_spec_file_parses():
    from nbspark.commands.demo import SPEC
    from nbspark.spec import Spec

    assert Spec.from_file(SPEC).columns() == ["text"]


def test_labels_of_a_folder_per_class_are_the_folders_names(spark, tmp_path):
    for label, text in {"1": "win", "01": "lunch", "\u8d22\u7ecf": "\u80a1\u7968"}.items():
        (tmp_path / "in" / label).mkdir(parents=True)
        (tmp_path / "in" / label / "a.txt").write_text(text, encoding="utf-8")
    argv = ["--documents", tmp_path / "in", "--format", "folders", "--label", "label", "--text", "text"]
    assert run("train", *argv, "--model", tmp_path / "model") == 0
    assert local.load(str(tmp_path / "model")).labels == ["01", "1", "\u8d22\u7ecf"]


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--text", "body"], "either --spec FILE, or --label COLUMN"),
        (["--spec", "no.toml"], "'no.toml' cannot be read"),
        (["--label", "topic", "--text", "text"], "no column 'text'"),
        (["--label", "body", "--text", "topic", "--conf", "spark.x=1"], "too late"),
        (["--label", "topic", "--text", "body", "--batch", "a b"], "batch id 'a b'"),
    ],
)
def test_train_fails_with_one_line_that_says_why(spark, tmp_path, docs, capsys, argv, told):
    assert run("train", "--documents", docs, "--model", tmp_path / "m", *argv) == 1
    error = capsys.readouterr().err
    assert error.startswith("nbspark train: error: ")
    assert told in error
    assert not (tmp_path / "m").exists()


def test_outputs_are_new_and_apart_from_inputs(tmp_path, docs, model, capsys):
    inside = Path(docs).parent
    for output in (model, f"{model}/versions/x", docs, f"file:{docs}/day=1"):
        assert run("score", "--documents", docs, "--model", model, "--output", output) == 1
    assert (
        run("train", "--documents", inside, "--label", "topic", "--text", "body", "--model", inside / "in" / "m") == 1
    )
    assert capsys.readouterr().err.count("error:") == 5
    assert Path(docs).read_text(encoding="utf-8") == CSV
    assert local.load(model).labels == ["ham", "spam"]


def test_score_names_what_is_missing(tmp_path, docs, model, capsys):
    (tmp_path / "other.csv").write_text("text\nwin\n", encoding="utf-8")
    for argv, told in [
        (["--documents", tmp_path / "none.csv", "--model", model], "none.csv"),
        (["--documents", docs, "--model", tmp_path / "none"], "is not a model"),
        (["--documents", tmp_path / "other.csv", "--model", model], "no column 'body'"),
        (["--table", "no_such_table", "--model", model], "no_such_table"),
    ]:
        assert run("score", *argv, "--output", tmp_path / "out") == 1
        assert told in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_evaluate_does_not_overwrite_and_names_the_missing_label(tmp_path, docs, model, capsys):
    scored = tmp_path / "scored"
    assert run("score", "--documents", docs, "--model", model, "--output", scored) == 0
    assert run("evaluate", "--predictions", scored, "--label", "class") == 1
    assert "no column 'class'" in capsys.readouterr().err
    assert run("evaluate", "--predictions", scored, "--label", "topic", "--output", docs) == 1
    assert Path(docs).read_text(encoding="utf-8") == CSV


def test_wrong_arguments_end_with_the_usage(capsys):
    for argv in (["train"], ["score", "--documents", "x"], ["frobnicate"], ["train", "--option", "sep"]):
        with pytest.raises(SystemExit) as ended:
            main(argv)
        assert ended.value.code == 2
    assert "wants KEY=VALUE, found 'sep'" in capsys.readouterr().err


def test_class_with_one_document_beside_large_ones_is_worth_a_warning(spark, tmp_path, capsys):
    file = tmp_path / "docs.csv"
    file.write_text("label,text\n" + "spam,win\n" * 10 + "ham,noon\n" * 10 + "odd,x\n", encoding="utf-8")
    argv = ["--documents", file, "--label", "label", "--text", "text", "--model", tmp_path / "m"]
    assert run("train", *argv) == 0
    assert "1 class with a single document ('odd')" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("n_labels", "n_docs", "told"),
    [
        (1_001, 1, "1,001 classes, fewer than five documents each on average. If the label column holds an id"),
        (1_001, 5, None),
        (1_000, 1, None),
        (1, 9, "all documents have one label, 'id0': every prediction will be that."),
    ],
)
def test_labels_that_look_like_an_id_are_warned_of_and_many_classes_are_not(n_labels, n_docs, told):
    classes = {f"id{i}": float(n_docs) for i in range(n_labels)}
    found = warnings_of(classes, {"undecodable": 0})
    assert [one for one in found if told and told in one] == ([found[-1]] if told else [])
    assert bool(found) == (told is not None)
