"""Training from the command line: several inputs, a part held back, and documents that were read wrongly."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from nbspark import local
from nbspark.cli import main
from nbspark.commands.train import warnings_of
from nbspark.documents.split import split


def run(*argv: object) -> int:
    """Run a command in the session of the tests."""
    return main([str(one) for one in argv])


def test_equal_documents_are_on_one_side_whatever_their_order_and_place(spark):
    rows = [(f"text {i % 40}", float(i % 40), {"a": i % 40}, i) for i in range(80)]
    documents = spark.createDataFrame(rows, "text string, n double, m map<string, long>, id long")
    for columns in (["text"], ["text", "n"], ["m"]):
        learned, held_back = split(documents, columns=columns, share=Fraction(1, 4))
        sides = [{row["id"] for row in side.collect()} for side in (learned, held_back)]
        assert sorted(sides[0] | sides[1]) == list(range(80))
        assert {i % 40 for i in sides[0]} & {i % 40 for i in sides[1]} == set()
        assert 0 < len(sides[1]) < 40
        again, _ = split(documents.repartition(5).orderBy("id", ascending=False), columns=columns, share=Fraction(1, 4))
        assert {row["id"] for row in again.collect()} == sides[0]


def test_several_documents_are_learned_and_a_share_of_them_is_held_back(spark, tmp_path, capsys):
    words = [f"w{i}" for i in range(30)]
    for name, label in (("a", "spam"), ("b", "ham")):
        lines = [f"{label},{label} {word}" for word in words]
        (tmp_path / f"{name}.csv").write_text("\n".join(["topic,body", *lines, ",nothing"]) + "\n")
    # The columns of the second file come in another order.
    swapped = [",".join(reversed(line.split(","))) for line in (tmp_path / "b.csv").read_text().splitlines()]
    (tmp_path / "b.csv").write_text("\n".join(swapped) + "\n")
    report = tmp_path / "r.json"
    argv = ["--documents", tmp_path / "a.csv", tmp_path / "b.csv", "--label", "topic", "--text", "body"]
    argv += ["--model", tmp_path / "m", "--test-share", "0.3", "--report", report]
    assert run("train", *argv) == 0
    found = json.loads(report.read_text())
    rows, metrics = found["rows"], found["test"]["metrics"]
    assert rows["read"] == 62 == rows["learned"] + rows["unlabelled"] + rows["held_back"]
    assert sum(found["classes"].values()) == rows["learned"]
    assert rows["held_back"] == metrics["n_docs"] + metrics["n_unlabelled"] > 0
    assert metrics["accuracy"] == 1.0
    assert {"start", "read", "learn", "describe", "evaluate"} <= set(found["seconds"])
    printed = capsys.readouterr().out
    assert f"held back       {rows['held_back']} rows to evaluate on" in printed
    assert "accuracy 1.0000" in printed


def test_documents_read_in_a_wrong_encoding_are_not_learned_unless_asked_to(spark, tmp_path, capsys):
    file = tmp_path / "gbk.csv"
    file.write_bytes("topic,body\n好,前台服务非常好\n坏,房间又脏又吵闹\n".encode("gbk"))
    argv = ["train", "--documents", file, "--label", "topic", "--text", "body", "--model", tmp_path / "m"]
    assert run(*argv) == 1
    assert "2 of 2 hold U+FFFD" in capsys.readouterr().err
    assert not (tmp_path / "m").exists()
    assert run(*argv, "--encoding", "gbk") == 0
    assert "--tokens chinese, or --tokens chars --ngrams 1-2" in capsys.readouterr().err
    assert local.load(str(tmp_path / "m")).labels == ["坏", "好"]


def test_a_model_that_exists_is_named_with_what_to_do(spark, tmp_path, capsys):
    (tmp_path / "a.csv").write_text("topic,body\nspam,win\nham,noon\n")
    argv = ["train", "--documents", tmp_path / "a.csv", "--label", "topic", "--text", "body", "--model", tmp_path / "m"]
    assert run(*argv) == 0
    assert run(*argv) == 1
    found = capsys.readouterr().err
    assert "version 1 is published there, and a model is never overwritten. To score with it: nbspark score" in found


def test_labels_that_look_alike_are_learned_apart_and_warned_of(spark, tmp_path, capsys):
    (tmp_path / "a.csv").write_text("topic,body\nspam,win\nspam ,win\nham,noon\n")
    argv = ["train", "--documents", tmp_path / "a.csv", "--label", "topic", "--text", "body", "--model", tmp_path / "m"]
    assert run(*argv) == 0
    assert "classes of their own: 'spam' 1, 'spam ' 1." in capsys.readouterr().err
    assert local.load(str(tmp_path / "m")).labels == ["ham", "spam", "spam "]


@pytest.mark.parametrize(("n_undecodable", "n_warnings"), [(0, 0), (1, 1)])
def test_undecodable_documents_are_said_of_all_that_were_learned(n_undecodable, n_warnings):
    rows = {"rows_read": 5, "unlabelled": 1, "undecodable": n_undecodable}
    found = warnings_of({"a": 2.0, "b": 2.0}, rows)
    assert [one.split(" with ")[0] for one in found] == ["1 of 4 documents"] * n_warnings
