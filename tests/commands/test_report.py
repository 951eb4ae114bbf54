"""The command that writes a page, and the pages of other commands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from nbspark import Text
from nbspark.cli import main
from nbspark.spec import Spec
from tests.builders import count_rows, documents, store_model

CSV = "id,topic,body\n1,spam,win cash\n2,ham,win win\n3,ham,lunch <b>noon</b>\n4,,lunch\n"


@pytest.fixture
def paths(tmp_path) -> dict[str, str]:
    """Write four documents and a model; return where they are, and where a page goes."""
    spec = Spec("topic", (Text("body"),), temperature=2.0)
    counts = count_rows(spec, [documents(["spam", "ham"], ["win cash", "lunch noon"])])
    store_model(tmp_path / "model", spec, counts, n_pairs=4)
    (tmp_path / "docs.csv").write_text(CSV, encoding="utf-8")
    names = {"documents": "docs.csv", "model": "model", "output": "report.html"}
    return {name: str(tmp_path / file) for name, file in names.items()}


def page_of(path: str) -> str:
    """Return the page without its style and script."""
    return re.sub(r"<(style|script)>.*?</\1>", "", Path(path).read_text(encoding="utf-8"), flags=re.DOTALL)


def headings(page: str) -> list[str]:
    """Return the headings of the sections."""
    return re.findall(r"<h2[^>]*>([^<]+)</h2>", page)


def test_documents_are_scored_and_the_mistake_is_shown_with_what_decided(spark, paths):
    argv = ["report", *(word for name, path in paths.items() for word in (f"--{name}", path))]
    assert main(argv) == 0
    page = page_of(paths["output"])
    assert headings(page) == ["Figures", "Confusion", "Classes", "Confidence", "Mistakes", "Terms", "Versions", "Spec"]
    assert '<span class="figure">66.7 %</span>' in page  # 2 of 3 with a label
    # "win" twice: 2 ln 2 for spam, in a model whose probabilities are of half of that: 1 / (1 + 1 / 2).
    assert "with probability 0.667" in page
    assert page.count('<mark class="for4" title="+0.69 nats">win</mark>') == 2 * 2  # among the worst, and by pair
    assert "1 of ham predicted spam: examples" in page
    assert "Calibration took the log loss from" in page
    assert main(argv) == 0  # replaces the page


def test_predictions_are_evaluated_as_they_are(spark, paths, tmp_path):
    (tmp_path / "scored.csv").write_text("topic,prediction\nspam,ham\nspam,spam\nham,ham\nham,ham\n", encoding="utf-8")
    argv = ["report", "--model", paths["model"], "--predictions", str(tmp_path / "scored.csv")]
    assert main([*argv, "--output", paths["output"], "--report", str(tmp_path / "report.json")]) == 0
    page = page_of(paths["output"])
    assert '<span class="figure">75.0 %</span>' in page
    assert "Mistakes" not in headings(page)  # there is no text to explain
    assert json.loads((tmp_path / "report.json").read_text())["metrics"]["accuracy"] == 0.75


def test_a_model_alone_is_shown_without_spark(paths, monkeypatch):
    monkeypatch.setattr("nbspark.runtime.session.local_session", None)
    assert main(["report", "--model", paths["model"], "--output", paths["output"]]) == 0
    assert headings(page_of(paths["output"])) == ["Terms", "Versions", "Spec"]


def test_train_and_tune_end_with_a_page(spark, paths, tmp_path):
    rows = [f"{'spam' if i % 2 else 'ham'},{'win' if i % 3 else 'noon'} x{i}\n" for i in range(40)]
    (tmp_path / "docs.csv").write_text("topic,body\n" + "".join(rows), encoding="utf-8")
    own = ["--documents", paths["documents"], "--label", "topic", "--text", "body", "--report-html", paths["output"]]
    assert main(["train", *own, "--model", str(tmp_path / "new"), "--test-share", "0.5"]) == 0
    assert {"Figures", "Confusion", "Mistakes", "Terms"} <= set(headings(page_of(paths["output"])))
    tuning = str(tmp_path / "tune.json")
    assert main(["tune", *own, "--grid", "alpha=0.1,1,10", "--folds", "2", "--report", tuning]) == 0
    assert headings(page_of(paths["output"])) == ["Tuning"]
    argv = ["report", "--model", paths["model"], "--output", paths["output"], "--tuning", tuning]
    assert main(argv) == 0
    assert "Tuning" in headings(page_of(paths["output"]))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--predictions", "x", "--documents", "y"], "either --predictions"),
        (["--label", "topic"], "--label is the column of --documents or --predictions"),
        (["--tuning", "{documents}"], "cannot be read as JSON"),
        (["--output", "{documents}"], "is no report of nbspark"),
        (["--documents", "{documents}", "--label", "class"], "no column 'class'"),
    ],
)
def test_what_cannot_be_shown_is_told_before_spark_starts(paths, more, told, capsys):
    argv = ["report", "--model", paths["model"], "--output", paths["output"]]
    assert main([*argv, *(one.format(**paths) for one in more)]) == 1
    assert told in capsys.readouterr().err
