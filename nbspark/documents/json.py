"""JSON Lines, or whole files of JSON: every record is read, or the first text that is none is shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.arrays.frame import column
from nbspark.documents.decoding import with_valid_text
from nbspark.documents.encodings import SPARK_CHARSETS, decode, is_ascii_based
from nbspark.documents.engines import is_sail
from nbspark.documents.json_types import NoRecordError, Records, Type, from_text, merged, to_text
from nbspark.documents.text import VALUE, read_text
from nbspark.errors import DocumentsError, NbsparkError
from nbspark.files.choose import files_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import Column, DataFrame, SparkSession

    from nbspark.documents.load import Load

# What chooses and cuts files. With any other option the user has a dialect of JSON in mind, which Spark knows.
_OF_FILES = frozenset(
    ("multiline", "linesep", "samplingratio", "basepath", "pathglobfilter", "recursivefilelookup", "modifiedbefore",
     "modifiedafter", "ignorecorruptfiles", "ignoremissingfiles")
)  # fmt: skip
_RECORD = "_record"
_SHOWN = 80  # characters of a text that is no record


def read_json(load_lines: Load, load_json: Load, options: dict[str, str], *, path: str, encoding: str) -> DataFrame:
    """Read JSON Lines, or whole files of JSON with the option ``multiLine``.

    The records are looked at now, by a short Spark job that finds the types of the columns: whole numbers keep their
    digits, and a text that is no record is an error. Spark by itself passes over a second record on a line and over
    all but the first of a file, takes a broken one for a row of nulls, and 12345678901234567 for a double where
    another row has 0.5.

    Parameters
    ----------
    load_lines, load_json : Load
        Of the path, with Spark's sources ``text`` and ``json``.
    """
    given = {name.lower(): value for name, value in options.items()}
    if not set(given) <= _OF_FILES | {"mode"} or given.get("mode", "FAILFAST").upper() != "FAILFAST":
        return _in_dialect(load_json, options, encoding=encoding)
    of_files = {name: value for name, value in given.items() if name in _OF_FILES - {"multiline", "samplingratio"}}
    whole_files = given.get("multiline", "false").lower() == "true"
    texts = _texts(load_lines, of_files, path=path, encoding=encoding, whole_files=whole_files)
    records = _type_of_records(texts, path=path, whole_files=whole_files)
    if not any(records.fields or ()):
        raise DocumentsError(f"documents: {path} has no JSON object in {encoding}. Is it JSON?")
    return _parsed(texts, records.spark_type(), path=path)


def _in_dialect(load: Load, options: dict[str, str], *, encoding: str) -> DataFrame:
    """Return what Spark itself reads under options of its own; a broken record is an error unless they say other."""
    charset = SPARK_CHARSETS.get(encoding)
    if charset is None:
        raise DocumentsError(
            f"documents: JSON in {encoding} cannot be read with options of its own ({', '.join(sorted(options))}). "
            f"Convert the files to UTF-8 (iconv -f {encoding} -t UTF-8), or leave the options out."
        )
    named = {} if charset == "UTF-8" else {"encoding": charset, "lineSep": "\n"}
    return with_valid_text(load({"mode": "FAILFAST", **named, **options}))


def _texts(load: Load, options: dict[str, str], *, path: str, encoding: str, whole_files: bool) -> DataFrame:
    """Return the texts that hold one record, or one array of records, each; no blank ones."""
    cut_here = not is_ascii_based(encoding)
    whole = {"wholetext": "true"} if whole_files or cut_here else {}
    texts = read_text(load, {**options, **whole}, path=path, encoding=encoding)
    if cut_here and not whole_files:
        lines = F.explode(F.split(column(VALUE), "\r\n|\n|\r"))
        texts = texts.select([lines.alias(VALUE) if name == VALUE else column(name) for name in texts.columns])
    return texts.where(F.trim(column(VALUE)) != "")


def _type_of_records(texts: DataFrame, *, path: str, whole_files: bool) -> Type:
    """Run the texts: return the type of their records, or raise an error that shows a text that is none."""
    schema = pa.schema([(name, pa.string()) for name in ("type", "file", "text", "why")])

    def look(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        records = Records()
        for batch in batches:
            for text, file in zip(*(values.to_pylist() for values in batch.columns), strict=True):
                try:
                    records.add(text)
                except NoRecordError as why:
                    wrong = {"file": file, "text": text[:_SHOWN], "why": str(why)}
                    yield pa.RecordBatch.from_pylist([wrong], schema)
                    return
        yield pa.RecordBatch.from_pylist([{"type": to_text(records.type)}], schema)

    file = F.lit("") if is_sail(texts.sparkSession) else F.input_file_name()
    looked = texts.select(VALUE, file.alias("file")).mapInArrow(look, ", ".join(f"{n} string" for n in schema.names))
    found = looked.toArrow().to_pylist()
    for one in found:
        if one["why"] is not None:
            raise _no_record(one, path=path, spark=texts.sparkSession, whole_files=whole_files)
    return merged(from_text(one["type"]) for one in found)


def _no_record(wrong: dict[str, str], *, path: str, spark: SparkSession, whole_files: bool) -> DocumentsError:
    """Return the error for a text that is no record."""
    file = re.sub("^file:/+", "/", unquote(wrong["file"])) or path
    line = None if whole_files else _line_in(file, wrong["text"], spark)
    advice = (
        "With multiLine=true a file is one object or one array of objects; for an object on each line leave it out."
        if whole_files
        else "An object or array over several lines needs the option multiLine=true; of objects each has its own line."
    )
    where = file if line is None else f"{file}, line {line}"
    return DocumentsError(f"documents: {where}: {wrong['why']}: {wrong['text']!r}. {advice}")


def _line_in(file: str, text: str, spark: SparkSession) -> int | None:
    """Return the number of the first line that begins with a text, or None where that cannot be told from here."""
    try:
        with files_for(file, spark).open(file) as lines:
            begins = (decode(line, "utf-8").startswith(text) for line in lines)
            return next((number for number, found in enumerate(begins, start=1) if found), None)
    except (OSError, NbsparkError):
        return None


def _parsed(texts: DataFrame, record: str, *, path: str) -> DataFrame:
    """Return the records of the texts, a column a field, and the columns of partition folders.

    In brackets a text is an array of its records, and it is no array if it holds more than one value.
    """
    text = column(VALUE)
    bracketed = F.concat(F.lit("["), text, F.lit("]"))
    one = F.from_json(bracketed, f"array<{record}>")
    many = F.flatten(F.from_json(bracketed, f"array<array<{record}>>"))
    records = F.when(text.rlike(r"^\s*\["), many).otherwise(one)
    broken = F.concat(F.lit(f"documents: {path}: no JSON record: "), F.substring(text, 1, _SHOWN))
    checked = F.when(records.isNull(), F.raise_error(broken)).otherwise(records)
    partitions = [name for name in texts.columns if name != VALUE]
    rows = texts.select(F.explode(checked).alias(_RECORD), *map(column, partitions))
    fields = rows.schema[_RECORD].dataType
    assert isinstance(fields, T.StructType)
    _require_names(fields.names, path)
    values = [
        _finite(column(_RECORD)[one.name], one, path).alias(one.name) for one in fields if one.name not in partitions
    ]
    return rows.select(*values, *map(column, partitions))


def _require_names(names: list[str], path: str) -> None:
    """Raise if two names differ in case only: to Spark they are one."""
    alike = sorted(name for name in names if [other.lower() for other in names].count(name.lower()) > 1)
    if alike:
        raise DocumentsError(f"documents: the records of {path} have the keys {alike}, to Spark the same. Rename one.")


def _finite(values: Column, field: T.StructField, path: str) -> Column:
    """Return a field's values, or for an infinite number an error: 1e400 is no number that a double can be."""
    if not isinstance(field.dataType, T.DoubleType):
        return values
    told = F.concat(
        F.lit(f"documents: {field.name!r} of {path} holds a number beyond 1.8e308: "), values.cast("string")
    )
    return F.when(F.abs(values) == float("inf"), F.raise_error(told)).otherwise(values)
