"""A failed Spark run ends in one line that says what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

from nbspark.errors import DocumentsError, PathError
from nbspark.runtime.failures import condition_of, explain_failure

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
