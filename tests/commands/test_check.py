"""The command that looks at documents before they are learned."""

from __future__ import annotations

import json

from nbspark.cli import main
from nbspark.commands.check import exit_code


def test_what_is_found_is_printed_and_reported_and_strict_ends_with_4(spark, tmp_path, capsys):
    words = {"spam": ("win", "cash", "prize", "free"), "ham": ("lunch", "noon", "home", "late")}
    rows = [
        (label, f"re: {words[label][i % 4]} {words[label][i // 4]} number {i}" if label == "ham" else
         f"{words[label][i % 4]} {words[label][i // 4]} number {i}")
        for label in words for i in range(16)
    ]  # fmt: skip
    rows += [("spam", rows[0][1]), ("ham", rows[0][1]), ("", "free lunch"), ("ham", "re: cafÃ© noir at home, at noon")]
    rows += [("spam", f"win cash in our draw of the month, number {i}") for i in (8, 9)]
    rows.append(("ham", "win free cash prize, free cash prize"))  # its label is wrong
    lines = "".join(f"{label},{text!r}\n".replace("'", '"') for label, text in rows)
    (tmp_path / "docs.csv").write_text(f"topic,body\n{lines}", encoding="utf-8")
    argv = ["check", "--documents", str(tmp_path / "docs.csv"), "--label", "topic", "--text", "body"]
    more = ["--labels", "--folds", "4", "--near-duplicates", "--strict", "--report", str(tmp_path / "r.json")]
    assert main([*argv, *more]) == 4
    out = capsys.readouterr().out
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["rows"] == {"read": 39, "unlabelled": 1}
    assert report["classes"] == {"ham": 19, "spam": 19}
    found = {one["name"]: one for one in report["findings"]}
    assert (found["conflicting"]["n_docs"], found["conflicting"]["is_serious"]) == (3, True)
    assert found["mojibake"]["examples"] == ["'re: cafÃ© noir at home, at noon'"]
    assert found["giveaways"]["examples"] == ["'re' in body: 17 of 19 documents of 'ham', 0 of others"]
    assert "! 3 documents (7.7%) that are the same under several labels" in out
    assert "      'win win number 0': 3 documents, 'spam' 2, 'ham' 1" in out
    assert (found["near_duplicates"]["n_docs"], found["near_duplicates"]["counts"]["pairs"]) == (2, 1)
    assert "win cash in our draw of the month, number 8" in found["near_duplicates"]["examples"][0]
    assert report["label_errors"]["n_docs"] == 38
    assert [one["text"] for one in report["label_errors"]["worst"]][:1] == [rows[-1][1]]
    assert "probably 'spam'" in out


def test_the_exit_code_is_4_where_something_is_serious_and_strict_was_asked_for():
    codes = [exit_code({"strict": strict, "serious": serious}) for strict in (0, 1) for serious in (0, 1)]
    assert codes == [0, 0, 0, 4]


def test_near_duplicates_of_what_is_no_text_are_refused_before_spark_starts(tmp_path, capsys):
    (tmp_path / "docs.csv").write_text("topic,size\nx,1\n", encoding="utf-8")
    argv = ["check", "--documents", str(tmp_path / "docs.csv"), "--label", "topic", "--categorical", "size"]
    assert main([*argv, "--near-duplicates"]) == 1
    assert "--near-duplicates: for texts" in capsys.readouterr().err
