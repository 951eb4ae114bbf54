"""Labels, categories and terms as text: one rule for bytes that are none, and for instants, whatever the column."""

from __future__ import annotations

import datetime
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from nbspark import Categorical, NaiveBayes, Terms, Text
from nbspark.features.occurrences import read_terms
from nbspark.features.undecodable import is_undecodable
from nbspark.features.values import as_text
from tests.builders import count_rows, documents

LATIN_1 = pa.array([b"caf\xe9", b"caf\xe8", b"ok", None]).view(pa.string())


def facts(rows: pa.Table) -> dict[str, float]:
    """Return what became of the rows: those without label and term."""
    return {row["feature"]: row["n_docs"] for row in rows.to_pylist() if row["label"] is None and row["term"] is None}


def lists(values: pa.Array) -> pa.Array:
    """Return each of four values as a list by itself."""
    return pa.ListArray.from_arrays(pa.array([0, 1, 2, 3, 4], pa.int32()), values)


def maps(values: pa.Array) -> pa.Array:
    """Return a map of the first two keys, null, and a map of the third."""
    return pa.MapArray.from_arrays(pa.array([0, None, 2, 3], pa.int32()), values[:3], pa.array([1.0, 2.0, 1.0]))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_bytes_that_are_not_utf_8_become_the_replacement_character(kind: pa.DataType) -> None:
    assert as_text(LATIN_1.cast(kind)).to_pylist() == ["caf\ufffd", "caf\ufffd", "ok", None]


def test_terms_in_arrays_and_maps_are_valid_too() -> None:
    assert read_terms(lists(LATIN_1), "x").terms.to_pylist() == ["caf\ufffd", "caf\ufffd", "ok"]
    assert read_terms(maps(LATIN_1), "x").terms.to_pylist() == ["caf\ufffd", "caf\ufffd", "ok"]


def test_rows_with_undecodable_bytes_are_told_in_every_kind_of_column() -> None:
    assert is_undecodable(LATIN_1).tolist() == [True, True, False, False]
    assert is_undecodable(LATIN_1.dictionary_encode()).tolist() == [True, True, False, False]
    assert is_undecodable(lists(LATIN_1)).tolist() == [True, True, False, False]
    assert is_undecodable(lists(LATIN_1)[1:3]).tolist() == [True, False]
    assert is_undecodable(maps(LATIN_1)).tolist() == [True, False, False]
    assert is_undecodable(pa.array([None, None])).tolist() == [False, False]


@pytest.mark.parametrize(
    ("feature", "labels", "values"),
    [
        (Text("x"), ["a", "a", "b", "b"], LATIN_1),
        (Categorical("x"), ["a", "a", "b", "b"], LATIN_1),
        (Terms("x"), ["a", "a", "b", "b"], lists(LATIN_1)),
        (Categorical("x"), pa.array([b"caf\xe9", b"caf\xe8", b"ok", b"ok"]).view(pa.string()), ["u", "v", "w", None]),
    ],
    ids=["text", "category", "array", "label"],
)
def test_documents_with_undecodable_bytes_are_counted_once_and_what_is_stored_is_valid(
    feature: object, labels: object, values: object
) -> None:
    batch = documents(labels if isinstance(labels, list) else ["x"] * 4, values)
    if not isinstance(labels, list):
        batch = batch.set_column(0, "label", labels)
    rows = count_rows(NaiveBayes("label", [feature]), [batch])
    rows.validate(full=True)
    assert facts(rows)["undecodable"] == 2
    if not isinstance(labels, list):
        assert set(rows["label"].to_pylist()) == {"caf\ufffd", "ok", None}


def test_two_keys_of_a_map_that_become_one_are_one_term_of_the_document() -> None:
    [row] = [r for r in count_rows(NaiveBayes("label", [Terms("x")]), [documents(["a"], maps(LATIN_1)[:1])]).to_pylist()
             if r["term"] is not None and r["label"] is not None]  # fmt: skip
    assert (row["term"], row["n_tokens"], row["n_docs"]) == ("caf\ufffd", 1.0 + 2.0, 1.0)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/Sao_Paulo"])
def test_an_instant_is_the_same_text_in_every_zone(zone: str) -> None:
    instants = [datetime.datetime(2024, 1, 1, 12, 30, tzinfo=datetime.UTC).astimezone(ZoneInfo(zone)), None]
    assert as_text(pa.array(instants, pa.timestamp("us", zone))).to_pylist() == ["2024-01-01T12:30:00+00:00", None]


def test_a_time_without_a_zone_stays_as_it_is_written() -> None:
    written = pa.array([datetime.datetime(2024, 1, 1, 12, 30)], pa.timestamp("us"))  # noqa: DTZ001 - has no zone
    assert as_text(written).to_pylist() == ["2024-01-01T12:30:00"]
