"""Counts that workers write: one file a task, and only files of tasks that ended well belong to the model."""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nbspark import Text
from nbspark.counting.facts import add_up, class_docs, facts_of
from nbspark.counting.writing import adopt, decode_counts, encode_counts, write_files
from nbspark.errors import StoreError
from nbspark.schemas import COUNTS
from nbspark.spec import Spec
from tests.builders import count_rows, documents

COUNTED = count_rows(Spec("y", (Text("t"),)), [documents(["spam", "ham", None], ["win win cash", None, "win"])])


def test_a_file_holds_the_counts_and_its_report_the_facts_in_them(tmp_path):
    files = encode_counts(COUNTED.to_batches(max_chunksize=3))
    [report] = write_files(files, str(tmp_path))
    [file] = tmp_path.iterdir()
    data = file.read_bytes()
    assert report.select(["file", "n_bytes", "sha256"]).to_pylist() == [
        {"file": file.name, "n_bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    ]
    assert pq.read_table(file).equals(COUNTED)
    assert pq.read_schema(file).equals(COUNTS)
    facts = facts_of(pa.Table.from_batches([report]))
    assert add_up(facts) == {
        "rows_read": 3, "unlabelled": 1, "without_terms": 1, "undecodable": 0, "missing.t": 0, "n_pairs": 2,
    }  # fmt: skip
    assert class_docs(facts) == {"ham": 1.0, "spam": 1.0}


def test_files_that_are_full_are_followed_by_others_with_the_rest(monkeypatch):
    monkeypatch.setattr("nbspark.counting.writing.FILE_BYTES", 1)
    files = list(encode_counts(COUNTED.to_batches(max_chunksize=2)))
    assert len(files) == -(-COUNTED.num_rows // 2)
    assert pa.Table.from_batches(decode_counts(files)).equals(COUNTED)


def test_no_counts_are_no_file():
    assert list(encode_counts([])) == []


def test_a_worker_that_does_not_see_the_folder_says_so_and_makes_none(tmp_path):
    with pytest.raises(StoreError, match=r"a worker on .* does not see it. Put the model on a disk that all machines"):
        list(write_files(encode_counts(COUNTED.to_batches()), str(tmp_path / "elsewhere")))
    assert list(tmp_path.iterdir()) == []


def test_the_file_of_an_attempt_that_was_not_reported_is_left_out(tmp_path):
    attempts = tmp_path / "_attempts"
    attempts.mkdir()
    [lost, kept] = [next(write_files(encode_counts(COUNTED.to_batches()), str(attempts))) for _ in "ab"]
    data = (attempts / kept.column("file")[0].as_py()).read_bytes()
    adopted = adopt(pa.Table.from_batches([kept]), str(attempts), str(tmp_path))
    assert lost.column("file")[0] != kept.column("file")[0]
    assert [path.name for path in tmp_path.iterdir()] == ["part-00000.parquet"]
    assert adopted == [("part-00000.parquet", len(data), hashlib.sha256(data).hexdigest())]
    assert (tmp_path / "part-00000.parquet").read_bytes() == data
