"""The life of a model's folder, on the local disk and through Hadoop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nbspark import schemas
from nbspark.counting.writing import WrittenFile
from nbspark.errors import PathError, StoreError
from nbspark.files.hadoop import HadoopFiles
from nbspark.files.local import LocalFiles
from nbspark.store import Batch, Store, spec_file

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPEC = {"label": "topic", "features": [{"kind": "text", "column": "body"}]}
# One document of spam, "win cash", and its totals.
ROWS: list[dict[str, Any]] = [
    {
        **dict.fromkeys(schemas.COUNTS.names),
        "label": "spam",
        "feature": feature,
        "term": term,
        "n_tokens": n,
        "n_docs": 1.0,
    }
    for feature, term, n in (("body", "win", 1.0), ("body", "cash", 1.0), ("body", None, 2.0), (None, None, 0.0))
]


@pytest.fixture(params=["local", "hadoop"])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """Return a model without a version."""
    path = f"{tmp_path}/model"
    if request.param == "local":
        return Store.create(path, SPEC, LocalFiles())
    return Store.create(f"file:{path}", SPEC, HadoopFiles(request.getfixturevalue("spark"), "file:/"))


@pytest.fixture
def local_model(tmp_path: Path) -> Store:
    """Return a model without a version, on the local disk."""
    return Store.create(f"{tmp_path}/model", SPEC, LocalFiles())


def write_batch(store: Store, batch: str, rows: list[dict[str, Any]] = ROWS) -> Batch:
    """Write a batch of one counts file, with what Spark leaves beside it."""
    folder = store.new_batch_folder(batch)
    counts = Path(LocalFiles().local(folder)) / "counts"
    counts.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows, schemas.COUNTS), counts / "part-00000.parquet")
    (counts / "_SUCCESS").touch()
    (counts / ".hidden").write_bytes(b"not listed")
    return store.describe_batch(batch, folder, {"learned": 1, "unlabelled": 0, "n_pairs": 2})


def counts_file(store: Store, batch: Batch) -> Path:
    """Return the one counts file of a batch."""
    return Path(LocalFiles().local(f"{store.root}/{batch.folder}")) / "counts/part-00000.parquet"


def test_a_published_model_opens_with_its_spec_and_its_batch(model: Store) -> None:
    batch = write_batch(model, "2026-11-29")
    published = model.publish([batch], note={"accuracy": 0.75, "rows": (1, 2)})
    again = Store.open(model.root, model.files)
    assert again.spec == SPEC
    assert again.latest() == published == again.version(1)
    assert (published.version, published.parent, published.batches) == (1, None, (batch,))
    assert published.note == {"accuracy": 0.75, "rows": [1, 2]}
    again.verify(published)


def test_a_batch_lists_its_parquet_files_and_nothing_hidden(model: Store) -> None:
    batch = write_batch(model, "b")
    assert [(file.name, file.n_bytes) for file in batch.files] == [
        ("counts/part-00000.parquet", counts_file(model, batch).stat().st_size)
    ]
    assert batch.folder.startswith("batches/b-")


def test_nothing_is_there_until_a_version_is_published(model: Store) -> None:
    write_batch(model, "b")
    with pytest.raises(StoreError, match="no version is published"):
        Store.open(model.root, model.files).latest()


def test_versions_follow_their_parents(model: Store) -> None:
    first, second = write_batch(model, "a"), write_batch(model, "b")
    one = model.publish([first], note={})
    two = model.publish([first, second], note={}, parent=one)
    assert (two.version, two.parent, model.versions()) == (2, 1, [1, 2])
    assert (model.latest(), model.version(1)) == (two, one)
    assert model.counts_paths(two) == [(f"{model.root}/{one.folder}/counts", 1.0) for one in (first, second)]


def test_of_two_writers_the_second_is_told_to_read_again(model: Store) -> None:
    one = model.publish([write_batch(model, "a")], note={})
    model.publish([write_batch(model, "b")], note={}, parent=one)
    with pytest.raises(StoreError, match="version 2 was published by another writer"):
        model.publish([write_batch(model, "c")], note={}, parent=one)
    assert [batch.batch for batch in model.latest().batches] == ["b"]


def test_a_local_model_lists_its_files_for_pyarrow(local_model: Store, spark: SparkSession) -> None:
    batch = write_batch(local_model, "a")
    version = local_model.publish([batch], note={})
    files = local_model.local_counts_files(version)
    assert files is not None
    assert [(pq.read_table(path).to_pylist(), weight) for path, weight in files] == [(ROWS, 1.0)]
    through_hadoop = Store.open(local_model.root, HadoopFiles(spark, local_model.root))
    assert through_hadoop.local_counts_files(version) is None


def test_spark_reads_the_counts_of_a_version(model: Store, spark: SparkSession) -> None:
    version = model.publish([write_batch(model, "a")], note={})
    [(path, _)] = model.counts_paths(version)
    rows = [row.asDict() for row in spark.read.parquet(path).collect()]
    assert sorted(rows, key=str) == sorted(ROWS, key=str)


def test_a_model_is_never_written_over_anything(local_model: Store, tmp_path: Path) -> None:
    local_model.publish([write_batch(local_model, "a")], note={})
    with pytest.raises(PathError, match=r"there already; found \['batches', 'spec.json', 'versions'\]"):
        Store.create(local_model.root, SPEC, LocalFiles())
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "to_ana.txt").write_text("dear Ana")
    for path in ("letters", "letters/to_ana.txt"):
        with pytest.raises(PathError, match="there already"):
            Store.create(f"{tmp_path}/{path}", SPEC, LocalFiles())
    assert (tmp_path / "letters" / "to_ana.txt").read_text() == "dear Ana"


def test_an_empty_folder_may_become_a_model(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    assert Store.create(f"{tmp_path}/model/", SPEC, LocalFiles()).root == f"{tmp_path}/model"


def test_what_a_killed_job_left_is_taken_up_by_its_retry(model: Store) -> None:
    write_batch(model, "orphan")
    again = Store.create(model.root, SPEC | {"label": "other"}, model.files)
    again.publish([write_batch(again, "a")], note={})
    assert Store.open(model.root, model.files).spec == SPEC | {"label": "other"}


def test_two_specs_cannot_become_one_model(model: Store) -> None:
    other = Store.create(model.root, SPEC | {"label": "other"}, model.files)
    model.publish([write_batch(model, "a")], note={})
    with pytest.raises(StoreError, match="another spec was written there meanwhile"):
        other.publish([write_batch(other, "b")], note={})
    assert Store.open(model.root, model.files).versions() == [1]


def test_what_is_no_model_is_named_with_what_was_found(tmp_path: Path) -> None:
    (tmp_path / "data.csv").touch()
    with pytest.raises(StoreError, match=r"is not a model: no spec.json in it; found \['data.csv'\]"):
        Store.open(str(tmp_path), LocalFiles())
    with pytest.raises(StoreError, match="found no such folder"):
        Store.open(f"{tmp_path}/none", LocalFiles())
    with pytest.raises(StoreError, match="is not a model"):
        Store.open(f"{tmp_path}/data.csv", LocalFiles())


def test_a_model_of_another_tokenizer_is_not_read(local_model: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    local_model.publish([write_batch(local_model, "a")], note={})
    monkeypatch.setattr(spec_file, "TOKENIZER_VERSION", 0)
    with pytest.raises(StoreError, match=r"tokenizer_version \d+ \(this nbspark knows 0\)"):
        Store.open(local_model.root, LocalFiles())


def test_a_later_format_is_said_before_its_other_keys(local_model: Store) -> None:
    local_model.publish([write_batch(local_model, "a")], note={})
    path = Path(local_model.root) / "spec.json"
    path.write_text(json.dumps({"format": 2, "tokenizer_version": 1, "model": {}}))
    with pytest.raises(StoreError, match=r"format 2 \(this nbspark knows 1\)"):
        Store.open(local_model.root, LocalFiles())
    path.write_text(json.dumps({"format": 1, "tokenizer_version": 1, "model": {}}))
    with pytest.raises(StoreError, match=r"no key 'spec'; unknown key 'model'"):
        Store.open(local_model.root, LocalFiles())


@pytest.mark.parametrize("batch", ["", ".", "../x", "a/b", "a b", "ärger", "-rf", "_x", "x" * 101, "a\n"])
def test_a_batch_id_that_is_no_safe_name_is_refused(local_model: Store, batch: str) -> None:
    with pytest.raises(StoreError, match="batch id"):
        local_model.new_batch_folder(batch)


def test_two_folders_of_one_batch_differ(local_model: Store) -> None:
    first, second = (local_model.new_batch_folder("2026-11-29_b.1") for _ in range(2))
    assert first != second
    assert first.startswith(f"{local_model.root}/batches/2026-11-29_b.1-")


def test_a_batch_without_counts_is_refused(local_model: Store, tmp_path: Path) -> None:
    folder = local_model.new_batch_folder("b")
    with pytest.raises(StoreError, match="no files in"):
        local_model.describe_batch("b", folder, {})
    Path(folder, "counts").mkdir(parents=True)
    Path(folder, "counts", "_SUCCESS").touch()
    with pytest.raises(StoreError, match="no files in"):
        local_model.describe_batch("b", folder, {})
    with pytest.raises(StoreError, match="not a folder that this model gave"):
        local_model.describe_batch("b", str(tmp_path), {})


def test_files_that_their_writer_hashed_are_not_read_again(local_model: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    read = write_batch(local_model, "a")
    folder = f"{local_model.root}/{read.folder}"
    written = [WrittenFile(file.name.removeprefix("counts/"), file.n_bytes, file.sha256) for file in read.files]
    with monkeypatch.context() as patch:
        patch.setattr(LocalFiles, "sha256", None)
        patch.setattr(LocalFiles, "read", None)
        described = local_model.describe_batch("a", folder, read.rows, written=written)
    assert described == read
    Path(folder, "counts", "part-00001.parquet").write_bytes(b"of nobody")
    with pytest.raises(StoreError, match=r"is not as it was written: counts/part-00001.parquet: not part of"):
        local_model.describe_batch("a", folder, read.rows, written=written)


def test_a_version_wants_batches_each_once(local_model: Store) -> None:
    batch = write_batch(local_model, "a")
    for batches in ([], [batch, batch]):
        with pytest.raises(StoreError, match="one batch or more, each once"):
            local_model.publish(batches, note={})


def test_verify_lists_every_damage_at_once(model: Store) -> None:
    batches = [write_batch(model, name) for name in ("cut", "flipped", "gone", "more", "whole")]
    version = model.publish(batches, note={})
    cut, flipped, gone, more = (counts_file(model, batch) for batch in batches[:4])
    cut.write_bytes(cut.read_bytes()[:-1])
    data = flipped.read_bytes()
    flipped.write_bytes(data[:20] + bytes([data[20] ^ 1]) + data[21:])
    gone.unlink()
    (more.parent / "part-00001.parquet").write_bytes(more.read_bytes())
    with pytest.raises(StoreError) as caught:
        model.verify(version)
    message = str(caught.value)
    size = batches[0].files[0].n_bytes
    assert f"{batches[0].folder}/counts/part-00000.parquet: {size - 1} bytes, not {size}" in message
    assert f"{batches[1].folder}/counts/part-00000.parquet: other content of the same size" in message
    assert f"{batches[2].folder}/counts/part-00000.parquet: missing" in message
    assert f"{batches[3].folder}/counts/part-00001.parquet: not part of the version" in message
    assert batches[4].folder not in message
    with pytest.raises(StoreError) as caught:
        model.verify(version, checksums=False)
    assert batches[1].folder not in str(caught.value)


def test_a_version_that_is_not_there_is_named_with_those_that_are(local_model: Store) -> None:
    local_model.publish([write_batch(local_model, "a")], note={})
    with pytest.raises(StoreError, match=r"no version 7; found \[1\]"):
        local_model.version(7)


def test_a_copied_version_file_is_found_out(local_model: Store) -> None:
    local_model.publish([write_batch(local_model, "a")], note={})
    versions = Path(local_model.root) / "versions"
    (versions / "00000002.json").write_bytes((versions / "00000001.json").read_bytes())
    with pytest.raises(StoreError, match="says it is version 1"):
        local_model.latest()
