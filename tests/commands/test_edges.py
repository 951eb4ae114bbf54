"""The commands where something is missing, unseen, in the way, or stopped half-way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from nbspark import __version__, local
from nbspark.cli import main
from nbspark.errors import PathError
from nbspark.runtime import session

CSV = "topic,body\nspam,win cash\nham,lunch noon\n,win\n"
MIXED = """
label = "topic"
[[features]]
kind = "categorical"
column = "size"
[[features]]
kind = "categorical"
column = "the.colour"
name = "colour"
[[features]]
kind = "numeric"
column = "length"
"""


def run(*argv: object) -> int:
    """Run a command in the session of the tests."""
    return main([str(one) for one in argv])


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    file = tmp_path / "docs.csv"
    file.write_text(CSV, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def model(spark, tmp_path_factory) -> Path:
    """Train a model once; no test changes it."""
    path = tmp_path_factory.mktemp("model")
    (path / "docs.csv").write_text(CSV, encoding="utf-8")
    argv = ["--documents", path / "docs.csv", "--label", "topic", "--text", "body"]
    assert run("train", *argv, "--model", path / "m") == 0
    return path / "m"


@pytest.fixture(scope="module")
def mixed(spark, tmp_path_factory) -> tuple[Path, dict]:
    """Return a folder with a model of categories and numbers and with documents to score, and the report of train."""
    folder = tmp_path_factory.mktemp("mixed")
    schema = "topic string, size double, `the.colour` string, length double"
    nan = float("nan")
    learned = [("a", 1.0, "red", 3.0), ("b", 2.0, None, nan), ("b", None, "blue", None), (None, None, "green", 1.0)]
    # Green was seen without a label only, which is not seen; of doubles it is the text that counts.
    asked = [("a", 1.0, "red", 3.0), ("c", 3.0, "green", nan), ("b", nan, None, None), ("b", 3.0, "Red", 0.0)]
    for name, rows in {"learned": learned, "asked": asked}.items():
        spark.createDataFrame(rows, schema).write.parquet(str(folder / name))
    spec, model, report = (folder / name for name in ("spec.toml", "model", "report.json"))
    spec.write_text(MIXED, encoding="utf-8")
    assert run("train", "--documents", folder / "learned", "--spec", spec, "--model", model, "--report", report) == 0
    return folder, json.loads(report.read_text(encoding="utf-8"))


@pytest.mark.parametrize("plan", ["broadcast", "join"])
def test_missing_values_unseen_categories_and_unseen_labels_are_told(tmp_path, mixed, capsys, plan):
    folder, trained = mixed
    assert trained["rows"]["missing"] == {"size": 1, "colour": 1, "length": 2}

    model, out, report = folder / "model", tmp_path / "out", tmp_path / "report.json"
    argv = ["--documents", folder / "asked", "--model", model, "--output", out, "--report", report, "--plan", plan]
    assert run("score", *argv) == 0
    found = json.loads(report.read_text(encoding="utf-8"))
    assert found["rows"]["missing"] == {"size": 1, "colour": 1, "length": 2}
    assert found["rows"]["unseen"] == {"size": 2, "colour": 2}
    assert "unseen category  size 2, colour 2" in capsys.readouterr().out

    assert run("evaluate", "--predictions", out, "--label", "topic", "--model", model) == 0
    assert "1 document with a label that the model does not know: c (1)" in capsys.readouterr().out


def test_a_given_prior_that_lacks_a_class_publishes_no_model(tmp_path, docs, capsys):
    spec = tmp_path / "spec.toml"
    spec.write_text("label = 'topic'\nprior.spam = 1.0\n[[features]]\nkind = 'text'\ncolumn = 'body'\n", "utf-8")
    assert run("train", "--documents", docs, "--spec", spec, "--model", tmp_path / "m") == 1
    assert "the given prior lacks the classes ['ham']" in capsys.readouterr().err
    assert not (tmp_path / "m" / "versions").exists()


def test_what_a_killed_training_left_is_no_hindrance(spark, tmp_path, docs):
    (tmp_path / "m" / "batches" / "1-dead" / "counts").mkdir(parents=True)
    assert run("train", "--documents", docs, "--label", "topic", "--text", "body", "--model", tmp_path / "m") == 0
    assert local.load(str(tmp_path / "m")).labels == ["ham", "spam"]


def test_a_report_replaces_a_report_and_nothing_else(tmp_path, docs, model, capsys):
    argv = ["score", "--documents", docs, "--model", model, "--output"]
    report = tmp_path / "reports" / "report.json"
    for out in (tmp_path / "a", tmp_path / "b"):
        assert run(*argv, out, "--report", report) == 0
        assert json.loads(report.read_text(encoding="utf-8"))["output"] == str(out)
    for other in (docs, tmp_path, model / "spec.json", "s3a://lake/report.json"):
        assert run(*argv, tmp_path / "c", "--report", other) == 1
    assert capsys.readouterr().err.count("error: report ") == 4
    assert docs.read_text(encoding="utf-8") == CSV
    assert not (tmp_path / "c").exists()


def test_no_documents_are_scored_and_none_can_be_evaluated(tmp_path, model, capsys):
    (tmp_path / "none.csv").write_text("body\n", encoding="utf-8")
    assert run("score", "--documents", tmp_path / "none.csv", "--model", model, "--output", tmp_path / "out") == 0
    assert "0 rows to" in capsys.readouterr().out
    assert run("evaluate", "--predictions", tmp_path / "out", "--label", "body") == 1
    assert "none of the 0 documents has a label" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--documents", "{docs}", "--option", "multiLine=perhaps"], "as csv with the options ['multiLine']: For in"),
        (["--documents", "{docs}", "--option", "sep="], "Delimiter cannot be empty. It was taken for csv. Give"),
        (["--documents", "s3a://lake/in"], "s3a://lake/in cannot be read as parquet: this Spark has no class org.apa"),
        (["--table", "a.b.c.d"], "there is no table or view 'a.b.c.d'"),
    ],
)
def test_documents_that_cannot_be_read_are_named_in_one_line(tmp_path, docs, model, capsys, argv, told):
    capsys.readouterr()
    argv = [one.format(docs=docs) for one in argv]
    assert run("score", *argv, "--model", model, "--output", tmp_path / "out") == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("nbspark score: error: documents: ")
    assert told in line


def test_a_failure_shows_its_traceback_on_request(tmp_path, model):
    with pytest.raises(PathError):
        run("score", "--documents", tmp_path / "none", "--model", model, "--output", tmp_path / "out", "--verbose")


def test_ctrl_c_ends_with_the_code_of_a_shell(monkeypatch, tmp_path, docs, capsys):
    def interrupt(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr("nbspark.runtime.session.local_session", interrupt)
    argv = ["--documents", docs, "--label", "topic", "--text", "body", "--model", tmp_path / "m"]
    assert run("train", *argv, "--report", tmp_path / "report.json") == 130
    assert capsys.readouterr().err == "nbspark train: stopped\n"
    found = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert (found["status"], found["error"]) == ("failed", "stopped")


def test_ctrl_c_waits_until_spark_has_started(monkeypatch):
    steps = []

    def start():
        os.kill(os.getpid(), signal.SIGINT)
        steps.append("started")

    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "")
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        session._start(
            SimpleNamespace(builder=SimpleNamespace(getOrCreate=start)), name="x", conf={}, short=False, meanwhile=()
        )
    assert steps == ["started"]
    assert signal.getsignal(signal.SIGINT) is before


def test_the_package_is_the_command():
    told = subprocess.run([sys.executable, "-m", "nbspark", "--version"], capture_output=True, text=True, check=True)
    assert told.stdout == f"nbspark {__version__}\n"


def test_without_pyspark_the_command_names_the_extra():
    code = "import sys; sys.modules['pyspark'] = None; from nbspark.cli import main; sys.exit(main(sys.argv[1:]))"
    argv = ["evaluate", "--table", "t", "--label", "x"]
    told = subprocess.run([sys.executable, "-c", code, *argv], capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert told.stderr.startswith("nbspark evaluate: error: no pyspark to run with (")
    assert told.stderr.endswith("). Run: pip install 'nbspark[spark]'\n")
