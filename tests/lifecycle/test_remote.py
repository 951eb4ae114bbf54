"""A model's whole life on an S3 (moto's, on loopback), without Spark: commands, Python, and writers that race."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nbspark import Text, local
from nbspark.cli import main
from nbspark.errors import StoreError
from nbspark.files.choose import files_for
from nbspark.files.remote import RemoteFiles
from nbspark.lifecycle.batches import count_in_memory
from nbspark.lifecycle.documents import kernel_batches
from nbspark.model_store import ModelStore
from nbspark.spec import Spec
from nbspark.store import Store
from nbspark.store.learned import Learned, create_files, publish_first

SPEC = Spec("y", (Text("t"),))
MONDAY = {"y": ["spam", "spam", "ham"], "t": ["win cash now", "cash prize", "lunch at noon"]}
TUESDAY = {"y": ["ham", None], "t": ["noon call", "no label"]}


class S3:
    """A server of its own for these tests."""

    def __init__(self, port: str, log: Path) -> None:
        self.port, self.log = port, log
        self.seen = 0

    def requests(self) -> list[str]:
        """Return the requests since the last time."""
        lines = self.log.read_text().splitlines()
        new, self.seen = lines[self.seen :], len(lines)
        return new


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    log = tmp_path_factory.mktemp("s3") / "requests.txt"
    command = [sys.executable, "-m", "tests.s3_server", str(log)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield S3(process.stdout.readline().strip(), log)
        process.stdin.close()  # it ends by that
        process.wait(10)


@pytest.fixture
def s3(server, monkeypatch):
    import s3fs

    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    server.requests()
    yield server
    s3fs.S3FileSystem.clear_instance_cache()


def new_model(path: str) -> ModelStore:
    """Train in memory on Monday's documents."""
    store = Store.create(path, SPEC.to_dict(), files_for(path))
    files = count_in_memory(SPEC, kernel_batches(MONDAY, SPEC))
    with store.new_batch("mon") as folder:
        written = create_files(files, store.files, folder)
        publish_first(store, folder, batch="mon", learned=Learned.of(files), written=written, date="2026-11-23")
    return ModelStore(path)


def run(*argv: object) -> int:
    return main([str(one) for one in argv])


def test_a_model_lives_on_s3_as_on_a_disk(s3, tmp_path, capsys):
    here, there = new_model(str(tmp_path / "m")), new_model("s3://lake/models/m")
    for model in (here, there):
        assert model.learn(TUESDAY, batch="tue", date="2026-11-24").changed
        assert not model.learn(TUESDAY, batch="tue").changed
        model.forget({"y": ["spam"], "t": ["cash prize"]})
        path = model.store.root
        for argv in (["list"], ["show", "2"], ["diff", "1", "3"], ["promote", "2"], ["promote", "3"], ["rollback"]):
            assert run("model", argv[0], path, *argv[1:]) == 0
        assert run("model", "verify", path) == run("model", "compact", path) == run("model", "promote", path, "4") == 0
        assert run("model", "vacuum", path, "--min-age", "0") == 0
        assert run("decay", "--model", path, "--half-life", "1", "--as-of", "2026-11-25", "--dry-run") == 1  # folded
    out = capsys.readouterr().out.replace(here.store.root, "PATH").replace(there.store.root, "PATH")
    out = re.sub(r"20\d\d-\d\d-\d\dT?\d\d:\d\d\S*", "NOW", out).splitlines()
    assert out[: len(out) // 2] == out[len(out) // 2 :]
    texts = ["cash at noon", None, "prize"]
    for path in ("s3://lake/models/m", "s3a://lake/models/m"):  # Hadoop's name for the same
        assert local.load(path).predict(texts).equals(local.load(here.store.root).predict(texts))
    assert there.store.removed() == here.store.removed() == [1, 2, 3]
    folders = [one.store.files.names(f"{one.store.root}/batches") for one in (here, there)]
    assert len(folders[0]) == len(folders[1]) == 1


def test_writers_that_race_on_s3_count_each_batch_once(s3):
    new_model("s3://lake/race")

    def write(name: str) -> None:
        for i in range(4):
            own = ModelStore("s3://lake/race")
            assert own.learn({"y": ["ham"], "t": [f"word{name}{i}"]}, batch=f"{name}{i}").changed

    with ThreadPoolExecutor(2) as writers:
        list(writers.map(write, "ab"))
    model = ModelStore("s3://lake/race")
    assert model.store.versions() == list(range(1, 10))
    held = [one.batch for batch in model.version().batches for one in batch.holds]
    assert sorted(held) == ["a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3", "mon"]
    assert model.version().rows["rows_read"] == 3 + 8
    assert len(model.store.files.names("s3://lake/race/batches")) == 9
    refused = [line for line in s3.requests() if line.startswith("PUT") and "/versions/" in line]
    assert len(refused) > 8, "no two writers met"


def test_a_store_that_ignores_the_condition_is_not_published_to(s3):
    with pytest.raises(StoreError, match=r"cannot create 's3://careless/m/.*this store ignores the condition"):
        new_model("s3://careless/m")
    assert RemoteFiles("s3://careless").walk("s3://careless/m") == []


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("s3://nosuchbucket/m", "cannot read 's3://nosuchbucket/m/spec.json': no such bucket is there"),
        ("s3://lake/none", "'s3://lake/none' is not a model: no spec.json in it; found no such folder"),
        ("s33://lake/m", "no kind of store is called s33://"),
    ],
)
def test_what_is_no_model_is_said_in_one_line(s3, capsys, path, told):
    assert run("model", "list", path) == 1
    printed = capsys.readouterr().err
    assert told in printed
    assert printed.count("\n") == 1


def test_without_credentials_one_line_says_so(s3, capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run("model", "list", "s3://lake/none") == 1
    printed = capsys.readouterr().err
    assert "credentials" in printed
    assert s3.port not in printed
    assert printed.count("\n") == 1
