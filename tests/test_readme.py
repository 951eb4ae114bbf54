"""The README's own code, run word by word."""

from __future__ import annotations

import ast

import nbspark
from tests.pages import python_blocks, run_page


def test_the_readme_runs_and_prints_what_it_says(spark, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    partitions = spark.conf.get("spark.sql.shuffle.partitions")
    try:
        names = run_page("README.md")
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", partitions)
    assert "|prediction|" in capsys.readouterr().out
    *_, expression, comment = python_blocks("README.md")[-1].strip().splitlines()
    assert eval(expression, names) == ast.literal_eval(comment.removeprefix("# "))
    run_page("docs/explain.md", spark=spark, nbspark=nbspark)  # it goes on with the README's model, as the next
    assert "'Win' -0.51" in capsys.readouterr().out
    retrained = run_page("docs/retraining.md")  # it goes on with the README's model
    assert (retrained["outcome"].changed, retrained["store"].version().version) == (True, 3)
    assert retrained["corrected"].version.version == 3
