"""Where predictions go: a folder of files of one format, or a table of the catalog. pyspark only in what writes."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from nbspark.commands.interrupts import to_its_end
from nbspark.documents.formats import guess_format, name_without_compression, separator_of
from nbspark.errors import DocumentsError, PathError
from nbspark.files.choose import OUT_OF_REACH, files_for
from nbspark.files.paths import require_new
from nbspark.files.patterns import literal
from nbspark.version import __version__

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from nbspark.files.protocol import Files

FORMATS = ("parquet", "csv", "json", "orc")
MARKER = "_nbspark.json"  # in a folder of predictions: that this folder is ours, since when
DONE = "_SUCCESS"  # Spark writes it last
_OTHER_ENDINGS = (".xlsx", ".xls", ".feather", ".arrow", ".pkl", ".zip")

_OPTIONS = {
    # Hardly any probability comes twice: a dictionary of them is built, found too large and thrown away.
    "parquet": {
        f"parquet.enable.dictionary#probabilities.{values}": "false" for values in ("key_value.value", "list.element")
    },
    # As documents are read: RFC 4180, blanks kept, null the empty field and "" the empty text.
    "csv": {
        "header": "true",
        "escape": '"',
        "ignoreLeadingWhiteSpace": "false",
        "ignoreTrailingWhiteSpace": "false",
    },
}


class Output(Protocol):
    """A place for predictions; its text is for people."""

    @property
    def format(self) -> str | None:
        """The format of the files; None where the catalog chooses."""

    def write(self, predictions: DataFrame) -> None:
        """Run the predictions and write them, all or nothing."""

    def read(self, spark: SparkSession, schema: StructType) -> DataFrame:
        """Return what was written."""


def output_of(args: argparse.Namespace) -> Output:
    """Return the output that the arguments name.

    Raises
    ------
    PathError
        Its name and its format contradict each other, or the name promises what cannot be written.
    DocumentsError
        The format cannot hold what is asked for.
    """
    if args.output is None:
        if args.overwrite_unfinished:
            raise PathError("--overwrite-unfinished is for --output; a table of the catalog is written at once.")
        output: Output = Table(args.output_table, args.output_format)
    else:
        output = Folder(args.output, format_of(args.output, args.output_format), args.overwrite_unfinished)
    if isinstance(output, Folder) and output.format == "csv":
        nested = ["--top-k"] * bool(args.top_k) + ["--probabilities"] * bool(args.probabilities)
        if nested:
            raise DocumentsError(_flat_only(f"{' and '.join(nested)}, which give nested columns"))
    return output


def format_of(path: str, asked: str | None) -> str:
    """Return the format of predictions at a path.

    >>> format_of("scored", None), format_of("scored.csv", None), format_of("scored", "json")
    ('parquet', 'csv', 'json')
    """
    named, name = guess_format(path), path.rstrip("/").rpartition("/")[2].lower()
    ending = name[name.rfind(".") :] if "." in name else ""
    if name != name_without_compression(path) and named:
        raise PathError(
            f"output {path}: predictions are a folder of files, and no compressed file. Leave out the last ending."
        )
    if named not in (None, *FORMATS) or ending in _OTHER_ENDINGS:
        raise PathError(
            f"output {path}: predictions are not written as {named or ending}. Choose a name that ends in .parquet, "
            ".csv, .json or .orc, or has no ending."
        )
    if named and asked and named != asked:
        raise PathError(f"output {path} names {named}, and --output-format says {asked}. Leave one of them out.")
    return asked or named or "parquet"


@dataclass(frozen=True)
class Folder:
    """A new folder of files.

    The folder is marked as ours before a row is written, so that what a killed run leaves can be told from a folder
    of the user's.
    """

    path: str
    format: str
    overwrite_unfinished: bool = False

    def require_free(self, spark: SparkSession | None = None) -> Files:
        """Return the files there, or raise unless nothing is there, or what this run may overwrite."""
        files = files_for(self.path, spark)
        if not is_unfinished(files, self.path):
            require_new(self.path, what="output", spark=spark)
        elif not self.overwrite_unfinished:
            raise PathError(
                f"output: {self.path} is unfinished: the run that wrote it was stopped ({DONE} is missing). If it runs "
                "no more, pass --overwrite-unfinished to write it anew; or choose another path."
            )
        return files

    def write(self, predictions: DataFrame) -> None:
        """Run the predictions and write them; what a failure leaves is removed."""
        require_flat(predictions, self.format)
        writer = predictions.write.format(self.format).options(**self._options())
        try:
            files = self.require_free(predictions.sparkSession)
        except OUT_OF_REACH:  # out of reach from here: Spark refuses a path where something is
            writer.save(self.path)
            return
        if files.exists(self.path):
            files.remove(self.path)
        about = {"nbspark": __version__, "started": datetime.now(UTC).isoformat(timespec="seconds")}
        try:
            files.create(f"{self.path}/{MARKER}", json.dumps(about).encode())
        except FileExistsError as error:
            raise PathError(f"output: {self.path} is being written by another run. Choose another path.") from error
        try:
            to_its_end(lambda: writer.mode("append").save(self.path))
        except BaseException:
            with contextlib.suppress(Exception):  # the first failure is the one to be told
                files.remove(self.path)
            raise

    def read(self, spark: SparkSession, schema: StructType) -> DataFrame:
        """Return what was written."""
        options = self._options() | ({"multiLine": "true"} if self.format == "csv" else {})
        return spark.read.format(self.format).options(**options).schema(schema).load(literal(self.path))

    def __str__(self) -> str:
        return f"{self.path} (a folder of {self.format} files)"

    def _options(self) -> dict[str, str]:
        """Return the options of the format."""
        return _OPTIONS.get(self.format, {}) | (separator_of(self.path) if self.format == "csv" else {})


@dataclass(frozen=True)
class Table:
    """A new table of the session's catalog."""

    name: str
    format: str | None = None

    def write(self, predictions: DataFrame) -> None:
        """Run the predictions and write them."""
        require_lasting_catalog(predictions.sparkSession, self.name)
        if predictions.sparkSession.catalog.tableExists(self.name):
            raise PathError(f"output table {self.name} exists already, and nothing is overwritten. Choose a new name.")
        require_flat(predictions, self.format)
        writer = predictions.write if self.format is None else predictions.write.format(self.format)
        to_its_end(lambda: writer.options(**_OPTIONS.get(self.format or "parquet", {})).saveAsTable(self.name))

    def read(self, spark: SparkSession, schema: StructType) -> DataFrame:
        """Return what was written."""
        return spark.table(self.name).select(schema.fieldNames())

    def __str__(self) -> str:
        return f"table {self.name}"


def is_unfinished(files: Files, path: str) -> bool:
    """Say whether a folder holds predictions of a run that did not end, and nothing else."""
    if not files.is_folder(path) or files.exists(f"{path}/{DONE}"):
        return False
    is_ours = files.exists(f"{path}/{MARKER}") or files.exists(f"{path}/_temporary")
    return is_ours and all(name.startswith("part-") for name in files.names(path))


def require_flat(predictions: DataFrame, output_format: str | None) -> None:
    """Raise if a column cannot be written in a flat format."""
    from nbspark.arrays.frame import NO_SCALAR

    nested = [field for field in predictions.schema if isinstance(field.dataType, NO_SCALAR)]
    if output_format == "csv" and nested:
        listed = ", ".join(f"{field.name!r} ({field.dataType.simpleString()})" for field in nested)
        raise DocumentsError(_flat_only(f"the columns {listed}"))


def require_lasting_catalog(spark: SparkSession, name: str) -> None:
    """Raise if a table would be forgotten when the command ends.

    Spark's own catalog lives in memory unless the session is told otherwise.
    """
    kind = spark.conf.get("spark.sql.catalogImplementation", "in-memory")
    catalog = name.partition(".")[0] if name.count(".") > 1 else spark.catalog.currentCatalog()
    if kind == "in-memory" and catalog == "spark_catalog":
        raise PathError(
            f"output table {name}: this session's catalog lives in memory, so the table would be forgotten when the "
            "command ends. Name a table of a lasting catalog (--conf spark.sql.catalogImplementation=hive, or "
            "spark.sql.catalog.NAME=...), or write files with --output."
        )


def _flat_only(what: str) -> str:
    """Return the message for what CSV cannot hold."""
    return (
        f"output: CSV cannot hold {what}. Leave them out (--keep names the columns of the documents to write), or "
        "write --output-format json or parquet."
    )
