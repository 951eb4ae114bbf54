"""One Spark for the whole run, on this machine, whatever Spark the machine is set up for."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nbspark.runtime.archive import archive_of, make
from nbspark.runtime.java import ensure_java
from nbspark.runtime.session import CONF_DIR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

# The site's own Spark, its defaults and its server are not what is tested.
for name in ("SPARK_HOME", "SPARK_CONF_DIR", "SPARK_REMOTE", "PYSPARK_SUBMIT_ARGS", "PYSPARK_DRIVER_PYTHON"):
    os.environ.pop(name, None)

# Workers and spark-submit run with the Python that runs the tests.
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

# Quiet: what a test expects to fail is not printed with its Java stack.
os.environ["LOG4J_CONFIGURATION_FILE"] = (CONF_DIR / "log4j2.properties").as_uri()

if importlib.util.find_spec("pysail") is None:  # Sail's tests run in a venv of their own, which needs no Java
    # The run and every command that it starts begin sooner with an archive; it is made once for a Java and a Spark.
    archive = archive_of(ensure_java())
    if archive is not None:
        make(archive)
        os.environ["SPARK_SUBMIT_OPTS"] = archive.java_options

SETTINGS = {
    # Two cores, so that tasks run side by side; four attempts, so that a failing task is tried again as on a cluster.
    "spark.master": "local[2,4]",
    # Enough to have more than one reducer; every further one costs milliseconds in each test.
    "spark.sql.shuffle.partitions": "3",
    # A test has a handful of rows. With batches of four even these cross from one batch into the next.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4",
    # The same dates everywhere.
    "spark.sql.session.timeZone": "UTC",
    # No port, no web server.
    "spark.ui.enabled": "false",
    # No progress bar in the captured output.
    "spark.ui.showConsoleProgress": "false",
    # Nothing listens on the network, and no name has to resolve.
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    # Every test has plans of its own, run once on a handful of rows: code that is generated for one and compiled is
    # thrown away, a tenth of the run. Commands in a process of their own run it.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # Every function of a column would ask Java a handful of questions, to name its line in an error that is not ours.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    # A worker ends with every job that fails or leaves rows unread; the next is there at once, as a fork of this one.
    "spark.python.daemon.module": "tests.forker",
    "spark.executorEnv.PYTHONPATH": str(Path(__file__).parents[1]),
    # Short programs: compile quickly rather than well, and keep the second core for the tests.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Return the one session of the run; starting it takes seconds, so the tests share it."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("nbspark-tests")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    # Tables that a test saves must not appear in the checkout.
    builder = builder.config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def compiled(spark: SparkSession) -> Iterator[None]:
    """Let Spark generate and compile code, as it does outside the tests."""
    ours = {key: value for key, value in SETTINGS.items() if key.startswith("spark.sql.codegen.")}
    for key in ours:
        spark.conf.unset(key)
    yield
    for key, value in ours.items():
        spark.conf.set(key, value)
