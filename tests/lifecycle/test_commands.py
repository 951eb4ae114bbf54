"""The commands of a model's life, in the order in which a week needs them."""

from __future__ import annotations

import json

import pytest

import nbspark
from nbspark import Spec, Text, local
from nbspark.cli import main
from nbspark.lifecycle.batches import read_batch
from nbspark.lifecycle.subtract import add_up
from nbspark.model_store import ModelStore
from tests.lifecycle.test_histories import content

MONDAY = ["spam,win cash now", "spam,cash prize", "ham,lunch at noon", "ham,noon call"]
TUESDAY = ["ham,prize giving at noon", ",not labelled"]


def run(*argv: object) -> int:
    """Run a command in the session of the tests."""
    return main([str(one) for one in argv])


@pytest.fixture
def place(tmp_path):
    """Return a folder with two days of mails and a model of the first."""

    def write(name, lines, header="y,t"):
        (tmp_path / name).write_text("\n".join([header, *lines]) + "\n")

    write("mon.csv", MONDAY)
    write("tue.csv", TUESDAY)
    write("bad.csv", ["ham,win cash now"], header="wrong,t")
    write("gone.csv", MONDAY[1:2])
    write("moved.csv", ["spam,ham,win cash now"], header="y,right,t")
    return tmp_path


def test_a_week_of_a_model(spark, place, capsys):
    model, report = place / "m", place / "r.json"
    train = ["--label", "y", "--text", "t", "--model", model, "--batch", "mon", "--date", "2026-11-23"]
    assert run("train", "--documents", place / "mon.csv", *train) == 0
    learn = ["learn", "--documents", place / "tue.csv", "--model", model, "--report", report]

    assert run(*learn, "--batch", "tue", "--date", "2026-11-24") == 0
    found = json.loads(report.read_text())
    assert (found["changed"], found["version"], found["batches"]) == (True, 2, ["mon", "tue"])
    assert run(*learn, "--batch", "tue") == 0  # the job comes twice
    assert json.loads(report.read_text())["changed"] is False
    assert "batch 'tue' is already learned" in capsys.readouterr().out
    assert run(*learn, "--batch", "wed") == 1
    assert "were learned as batch 'tue' already" in capsys.readouterr().err

    assert run("forget", "--documents", place / "gone.csv", "--model", model) == 0
    assert run("forget", "--documents", place / "bad.csv", "--model", model) == 1
    assert "no column 'y'" in capsys.readouterr().err
    assert run("relabel", "--documents", place / "moved.csv", "--model", model, "--from", "y", "--to", "right") == 0
    assert run("model", "promote", model, "4") == 0
    assert run("window", "--model", model, "--last", "1", "--dry-run") == 0
    assert run("window", "--model", model, "--since", "2026-11-24") == 0
    capsys.readouterr()
    assert run("model", "list", model) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[2] for line in listed] == [
        "train mon",
        "learn tue",
        *([listed[2].split("  ")[2]]),
        *(line.split("  ")[2] for line in listed[3:]),
    ]
    assert [line.endswith("<- champion") for line in listed] == [False, False, False, True, False]

    # What is left of both days is what a training on it gives, bit for bit.
    left = ["ham,win cash now", *MONDAY[2:], *TUESDAY]
    (place / "left.csv").write_text("\n".join(["y,t", *left]) + "\n")
    assert (
        run("train", "--documents", place / "left.csv", "--label", "y", "--text", "t", "--model", place / "anew") == 0
    )
    counts = [
        content(add_up(read_batch(store.store, one) for one in store.version().batches))
        for store in (ModelStore(model), ModelStore(place / "anew"))
    ]
    assert counts[0] == counts[1]
    assert nbspark.load(model).version == 4  # the champion, not the newest
    assert nbspark.load(model, version=1, spark=spark).labels == ["ham", "spam"]


def test_the_folder_is_looked_after_without_spark(place, spark, capsys):
    model = place / "m"
    train = ["--documents", place / "mon.csv", "--label", "y", "--text", "t", "--model", model]
    assert run("train", *train, "--batch", "mon", "--date", "2026-11-23") == 0
    store = ModelStore(model)
    store.learn({"y": ["eggs"], "t": ["breakfast cash"]}, batch="tue", date="2026-11-24")
    capsys.readouterr()
    assert run("model", "diff", model, "1", "2") == 0
    assert "gained ['eggs'], lost none" in capsys.readouterr().out
    assert run("decay", "--model", model, "--half-life", "1") == 0
    assert [one.weight for one in store.version().batches] == [0.5, 1.0]
    assert run("model", "show", model, "3") == 0
    printed = capsys.readouterr().out
    lineage = [line.split("  ") for line in printed.partition("lineage\n")[2].splitlines()[:3]]
    assert [(line[1], line[3]) for line in lineage] == [
        ("3", "decay 2026-11-24"),
        ("2", "learn tue"),
        ("1", "train mon"),
    ]
    assert "batch  mon  2026-11-23" in printed
    assert run("model", "compact", model) == 1
    assert "these decay" in capsys.readouterr().err
    assert run("model", "promote", model, "1") == run("model", "promote", model, "3") == 0
    assert run("model", "rollback", model) == 0
    assert run("model", "verify", model) == run("model", "vacuum", model, "--dry-run") == 0
    assert "would remove 1 version and 0 folders" in capsys.readouterr().out
    assert run("model", "vacuum", model) == 0
    assert store.store.versions() == [1, 3]
    assert local.load(model).labels == ["ham", "spam"]
    for argv, told in (
        (["promote", model, "9"], "no version 9; found [1, 3]"),
        (["promote", model], "wants a version, found nothing"),
        (["diff", model, "1", "x"], "a version is a number, found x"),
        (["show", place / "none"], "is not a model"),
        (["merge", model, place / "none"], "is not a model"),
    ):
        assert run("model", *argv) == 1
        assert told in capsys.readouterr().err


def test_what_a_newcomer_gets_wrong_is_told_with_what_there_is(place, capsys):
    for argv, told in (
        (["model", "list"], "the following arguments are required: DIR. See"),
        (["evaluate", "--documents", "a.csv"], "no option '--documents'; known: --help, --predictions, "),
    ):
        with pytest.raises(SystemExit):
            main(argv)
        assert told in capsys.readouterr().err
    (place / "models" / "sms").mkdir(parents=True)
    assert main(["model", "list", str(place / "models" / "smss")]) == 1
    assert "found no such folder. " in (told := capsys.readouterr().err)
    assert f"{place / 'models'} has: sms." in told


def test_vacuum_tells_of_an_old_version_that_an_alias_holds(tmp_path, capsys):
    path = str(tmp_path / "m")
    mails = {"y": ["spam", "ham"], "t": ["win cash", "noon call"]}
    local.train(Spec("y", (Text("t"),)), mails, path, batch="mon")
    assert run("model", "promote", path, "1") == 0
    local.learn(path, {"y": ["ham"], "t": ["late lunch"]}, batch="tue")
    local.forget(path, {"y": ["spam"], "t": ["win cash"]})
    assert run("model", "vacuum", path) == 0
    assert "removed 1 version and" in (told := capsys.readouterr().out)
    assert "version 1 stays, for the alias champion names it" in told
    assert run("model", "promote", path, "3") == run("model", "vacuum", path) == 0
    assert "stays" not in capsys.readouterr().out
