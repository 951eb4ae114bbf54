"""The command that looks at documents before they are learned."""

from __future__ import annotations

import json

from nbspark.cli import main


def test_what_is_found_is_printed_and_reported_and_strict_ends_with_4(spark, tmp_path, capsys):
    words = {"spam": ("win", "cash", "prize", "free"), "ham": ("lunch", "noon", "home", "late")}
    rows = [
        (label, f"re: {words[label][i % 4]} {words[label][i // 4]} number {i}" if label == "ham" else
         f"{words[label][i % 4]} {words[label][i // 4]} number {i}")
        for label in words for i in range(16)
    ]  # fmt: skip
    rows[3] = ("ham", rows[3][1])
    rows += [("spam", rows[0][1]), ("ham", rows[0][1]), ("", "free lunch"), ("ham", "re: cafÃ© noir at home, at noon")]
    lines = "".join(f"{label},{text!r}\n".replace("'", '"') for label, text in rows)
    (tmp_path / "docs.csv").write_text(f"topic,body\n{lines}", encoding="utf-8")
    argv = ["check", "--documents", str(tmp_path / "docs.csv"), "--label", "topic", "--text", "body"]
    more = ["--labels", "--folds", "4", "--near-duplicates", "--strict", "--report", str(tmp_path / "r.json")]
    assert main([*argv, *more]) == 4
    out = capsys.readouterr().out
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["rows"] == {"read": 36, "unlabelled": 1}
    assert report["classes"] == {"ham": 19, "spam": 16}
    found = {one["name"]: one for one in report["findings"]}
    assert (found["conflicting"]["n_docs"], found["conflicting"]["is_serious"]) == (3, True)
    assert found["mojibake"]["examples"] == ["'re: cafÃ© noir at home, at noon'"]
    assert found["giveaways"]["examples"] == ["'re' in body: 17 of 19 documents of 'ham', 0 of others"]
    assert "! 3 documents (8.3%) that are the same under several labels" in out
    assert "      'win win number 0': 3 documents, 'spam' 2, 'ham' 1" in out
    # "win cash number 4" and "win free number 12" and their like: five-character windows of "number 1" are the same.
    assert found["near_duplicates"]["n_docs"] > 0
    assert report["label_errors"]["n_docs"] == 35
    assert [one["text"] for one in report["label_errors"]["worst"]][:1] == [rows[3][1]]
    assert "probably 'spam'" in out

    (tmp_path / "clean.csv").write_text("topic,body\n" + "".join(f"{'xy'[i % 2]},w{i}\n" for i in range(40)), "utf-8")
    argv[2] = str(tmp_path / "clean.csv")
    assert main([*argv, "--strict"]) == 0
    assert "nothing serious" in capsys.readouterr().out


def test_near_duplicates_of_what_is_no_text_are_refused_before_spark_starts(tmp_path, capsys):
    (tmp_path / "docs.csv").write_text("topic,size\nx,1\n", encoding="utf-8")
    argv = ["check", "--documents", str(tmp_path / "docs.csv"), "--label", "topic", "--categorical", "size"]
    assert main([*argv, "--near-duplicates"]) == 1
    assert "--near-duplicates: for texts" in capsys.readouterr().err
