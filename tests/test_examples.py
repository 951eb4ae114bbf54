"""The examples of schedulers call the commands by options that there are, and know their exit codes."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from nbspark.commands import retrain, score
from nbspark.commands.arguments import add_run

EXAMPLES = Path(__file__).parents[1] / "docs" / "examples"


@pytest.mark.parametrize("name", ["night.sh", "airflow_dag.py", "databricks_job.yml"])
def test_an_example_uses_options_that_there_are(name):
    parser = argparse.ArgumentParser()
    for command in (retrain, score):
        one = argparse.ArgumentParser()
        command.add_arguments(one)
        parser._option_string_actions |= one._option_string_actions
    add_run(parser)
    used = re.findall(r"(?<![\w-])--[a-z-]+", (EXAMPLES / name).read_text(encoding="utf-8"))
    assert {"--batch", "--minimum", "--model"} <= set(used)
    assert set(used) <= set(parser._option_string_actions)


def test_the_examples_know_the_exit_code_of_a_kept_champion():
    for name, said in (("night.sh", "3)"), ("airflow_dag.py", "KEPT = 3"), ("databricks_job.py", '3: "kept"')):
        assert said.replace("3", str(retrain.KEPT)) in (EXAMPLES / name).read_text(encoding="utf-8")
