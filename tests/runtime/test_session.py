"""A command starts its own Spark with the right settings, or takes the session that is there as it is."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from nbspark.errors import SetupError
from nbspark.runtime.session import CONF_DIR, local_session, submit_args

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

# Starts a session as a command does and prints what came of the settings.
PROBE = """
import json, os
from nbspark.runtime.session import local_session
conf = {"spark.driver.memory": "500m", "spark.test.value": "it's \\"a  b\\" = $c"}
spark = local_session(name="a name", conf=conf, short=True, meanwhile=["no.such.module"])
runtime = spark._jvm.java.lang.Runtime.getRuntime()

def find_pandas(batches):
    import pyarrow as pa, sys
    for batch in batches:
        yield pa.record_batch([pa.array(["pandas" in sys.modules])], names=["found"])

log4j = spark._jvm.org.apache.logging.log4j.LogManager.getContext(False).getConfiguration().getConfigurationSource()
keys = ["app.name", "master", "test.value", "ui.showConsoleProgress", "sql.session.timeZone"]
print(json.dumps({
    "conf": [spark.conf.get(f"spark.{key}") for key in keys],
    "flags": list(spark._jvm.java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments()),
    "pandas": spark.range(1).mapInArrow(find_pandas, "found boolean").first().found,
    "heap": runtime.maxMemory(),
    "log4j": log4j.getLocation(),
    "left": os.environ["PYSPARK_SUBMIT_ARGS"],
}))
"""


def test_settings_are_there_before_java_starts_and_survive_quoting() -> None:
    inherited = "--conf spark.driver.memory=900m pyspark-shell"
    environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": inherited}
    del environment["LOG4J_CONFIGURATION_FILE"], environment["PYSPARK_PYTHON"]
    command = [sys.executable, "-c", PROBE]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["conf"] == ["a name", "local[*,4]", 'it\'s "a  b" = $c', "false", "UTC"]
    assert found["heap"] <= 500 * 2**20
    assert found["log4j"] == str(CONF_DIR / "log4j2.properties")
    assert found["left"] == inherited
    assert "-XX:TieredStopAtLevel=1" in found["flags"]  # little to read: see `short`
    assert not found["pandas"]


def test_the_users_settings_come_after_the_environments_and_those_after_the_file() -> None:
    inherited = "--conf spark.a=1 pyspark-shell"
    args = shlex.split(submit_args(name="n", conf={"spark.a": "2"}, progress=True, inherited=inherited))
    assert args[:2] == ["--properties-file", str(CONF_DIR / "local.conf")]
    assert args[-5:] == ["--conf", "spark.a=1", "--conf", "spark.a=2", "pyspark-shell"]
    assert args.count("pyspark-shell") == 1


def test_a_session_that_is_there_is_taken_as_it_is(spark: SparkSession) -> None:
    assert local_session(name="other", conf={}) is spark


def test_settings_for_a_session_that_is_there_are_refused(spark: SparkSession) -> None:
    with pytest.raises(SetupError, match=r"spark\.a, spark\.b: too late, because this process has a session already"):
        local_session(name="other", conf={"spark.a": "1", "spark.b": "2"})


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        ("PYSPARK_GATEWAY_PORT", "1", "spark-submit has started Spark already"),
        ("SPARK_REMOTE", "sc://host;token=secret", r"SPARK_REMOTE names a server \(sc://host\)"),
    ],
)
def test_settings_are_refused_where_another_starts_spark(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, reason: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(SetupError, match=reason + ". Give these settings to what starts Spark") as caught:
        local_session(name="other", conf={"spark.a": "1"})
    assert "secret" not in str(caught.value)


def test_all_keys_that_spark_would_ignore_are_named() -> None:
    with pytest.raises(SetupError, match=r"--conf 'driver\.memory', 'Spark\.x': the name of a Spark setting starts"):
        local_session(name="other", conf={"driver.memory": "1g", "spark.a": "1", "Spark.x": "1"})


def test_the_extra_is_named_where_pyspark_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(SetupError, match=r"pip install 'nbspark\[spark\]'"):
        local_session(name="other", conf={})


@pytest.mark.parametrize("path", sorted(CONF_DIR.glob("*.*")), ids=lambda path: path.name)
def test_every_setting_has_its_reason_above_it(path: Path) -> None:
    unexplained = []
    blocks = re.split(r"\n\s*\n", path.read_text())
    for block in blocks:
        lines = block.splitlines()
        settings = [line for line in lines if line.strip() and not line.startswith("#")]
        if settings and not lines[0].startswith("#"):
            unexplained += settings
        if path.suffix == ".conf":
            unexplained += settings[1:]  # one reason per key
    assert unexplained == []
