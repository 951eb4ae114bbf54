"""A failed Spark run ends in one line that says what to do."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PythonException
from pyspark.sql import functions as F

from nbspark.errors import DocumentsError, PathError, SetupError
from nbspark.estimator import NaiveBayes
from nbspark.features import Text
from nbspark.runtime.failures import condition_of, explain_failure, own_errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

WORKER = """
  An exception was thrown from the Python worker. Please see the stack trace below.
Traceback (most recent call last):
  File "/site/counting.py", line 20, in count
    {code}
{error}

\tat org.apache.spark.api.python.BasePythonRunner.handlePythonException(PythonRunner.scala:581)
Caused by: something else
"""


def explained(documents: DataFrame) -> str | None:
    """Return the line about the run of ``documents``, which fails."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - Spark's own, of several classes
        documents.collect()
    return explain_failure(caught.value)


def test_an_error_of_ours_in_a_worker_is_told_in_its_own_words(spark: SparkSession) -> None:
    def refuse(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.num_rows > 0:
                raise DocumentsError("documents: found a list,\nexpected text. Cast it.")
            yield batch

    assert explained(spark.range(3).mapInArrow(refuse, "id long")) == (
        "documents: found a list, expected text. Cast it."
    )


def test_an_error_of_ours_in_a_worker_reaches_a_program_as_what_it_was(spark: SparkSession) -> None:
    def refuse(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        raise DocumentsError("documents: found a list,\nexpected text. Cast it.")
        yield from batches

    expected = r"^documents: found a list, expected text\. Cast it\.$"
    with pytest.raises(DocumentsError, match=expected) as caught, own_errors():
        spark.range(3).mapInArrow(refuse, "id long").toArrow()
    assert isinstance(caught.value.__cause__, PythonException)


@pytest.mark.parametrize("error", ["OSError: x", "nbspark.errors.OSError: x", "other.errors.DocumentsError: x"])
def test_any_other_error_stays_as_it_is(error: str) -> None:
    failure = RuntimeError(WORKER.format(code="f(x)", error=error))
    with pytest.raises(RuntimeError) as caught, own_errors():
        raise failure
    assert caught.value is failure


def test_a_number_that_cannot_be_read_fails_fit_and_evaluate_with_our_own_error(spark: SparkSession) -> None:
    documents = spark.createDataFrame([("spam", -1.0), ("ham", None)], "label string, weight double")
    documents = documents.selectExpr("*", "'win cash' AS text")
    with pytest.raises(DocumentsError, match="weight") as caught:
        NaiveBayes(label="label", features=[Text("text")], weight="weight").fit(documents)
    assert isinstance(caught.value.__cause__, PythonException)


def test_a_check_of_a_row_is_told_in_its_own_words(spark: SparkSession) -> None:
    bad = F.raise_error(F.concat(F.lit("weight: found "), F.col("id").cast("string"))).cast("double")
    documents = spark.range(1).select(F.when(F.col("id") == 0, bad).alias("weight"))
    assert explained(documents) == "weight: found 0"


def test_a_value_that_does_not_fit_a_type_is_shown(spark: SparkSession) -> None:
    documents = spark.createDataFrame([("x",), (None,)], "a string").select(F.col("a").cast("int"))
    message = explained(documents)
    assert message is not None
    assert message.startswith('The value \'x\' of the type "STRING" cannot be cast to "INT"')
    assert "SQLSTATE" not in message


def test_files_whose_columns_differ_in_type_are_named(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(1).write.parquet(str(tmp_path / "a"))
    spark.createDataFrame([("x",)], "id string").write.parquet(str(tmp_path / "b"))
    message = explained(spark.read.schema("id long").parquet(str(tmp_path / "a"), str(tmp_path / "b")))
    assert message is not None
    assert f"{tmp_path}/b/part-" in message
    assert "Expected Spark type bigint, actual Parquet type BINARY" in message


def test_a_module_that_workers_lack_is_named() -> None:
    text = WORKER.format(code="import rjieba", error="ModuleNotFoundError: No module named 'rjieba'")
    assert explain_failure(RuntimeError(text)) == (
        "a Python worker says: No module named 'rjieba'. Install it on every executor, or pass the package as a .zip "
        "with --py-files."
    )


def test_workers_without_nbspark_are_told_which_python_they_should_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    text = WORKER.format(code="loads(obj)", error="ModuleNotFoundError: No module named 'nbspark'")
    message = (
        "a Python worker says: No module named 'nbspark'. They run the python3 on PATH. On one machine set "
        f"PYSPARK_PYTHON={sys.executable} before the session starts; on a cluster set it to a Python that has nbspark "
        "there, or pass nbspark as a .zip with --py-files."
    )
    assert explain_failure(RuntimeError(text)) == message
    with pytest.raises(SetupError, match=re.escape(message)), own_errors():
        raise RuntimeError(text)


def test_a_python_of_another_version_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "/usr/bin/python3")
    mismatch = (
        "pyspark.errors.exceptions.base.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker has different "
        "version: 3.9 than that in driver: 3.11, PySpark cannot run with different minor versions."
    )
    message = explain_failure(RuntimeError(WORKER.format(code="main()", error=mismatch)))
    assert message is not None
    assert message.startswith(
        "the Python workers run Python 3.9, this process runs 3.11. They run /usr/bin/python3. On one machine set "
        f"PYSPARK_PYTHON={sys.executable} before"
    )


def test_any_other_exception_of_a_worker_is_named() -> None:
    text = WORKER.format(code="x[1]", error="IndexError: list index out of range")
    assert explain_failure(RuntimeError(text)) == "a Python worker failed: IndexError: list index out of range"


@pytest.mark.parametrize(
    "text",
    [
        "An error occurred while calling o1.collectToPython.\n: java.lang.OutOfMemoryError: Java heap space\n\tat java",
        "Job aborted due to stage failure: Task 1: ExecutorLostFailure (executor 3 exited) Reason: Exit code 137",
        "Job aborted: org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)",
        WORKER.format(code="np.zeros(n)", error="MemoryError"),
    ],
)
def test_a_process_that_died_is_a_matter_of_memory(text: str) -> None:
    message = explain_failure(RuntimeError(text))
    assert message is not None
    assert "Raise spark.executor.memory or spark.executor.memoryOverhead" in message


def test_a_reason_that_spark_does_not_name_is_the_innermost_cause() -> None:
    text = (
        "An error occurred while calling o9.parquet.\n"
        ": org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 failed\n"
        "\tat org.apache.spark.A.b(A.scala:1)\n"
        "Caused by: java.io.IOException: No space left on device\n"
        "\tat java.io.C.d(C.java:2)\n\t... 3 more\n"
    )
    assert explain_failure(RuntimeError(text)) == "the Spark job failed: No space left on device"


def test_our_own_errors_are_their_message_and_others_are_left_alone() -> None:
    assert explain_failure(PathError("there is nothing at x")) == "there is nothing at x"
    assert explain_failure(KeyError("label")) is None
    assert explain_failure(OSError(28, "No space left on device")) == "No space left on device."
    assert explain_failure(FileNotFoundError(2, "No such file", "a.csv")) == "a.csv: No such file."
    assert condition_of(KeyError("label")) is None


def test_a_message_without_end_is_cut() -> None:
    message = explain_failure(RuntimeError(f"[USER_RAISED_EXCEPTION] {'x' * 10_000} SQLSTATE: P0001"))
    assert message == "x" * 500 + "..."
