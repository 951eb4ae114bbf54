"""What is special to stores behind fsspec: what is missing, what they cannot do, and what they say."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest

from nbspark.errors import SetupError, StoreError
from nbspark.files import remote
from nbspark.files.protocol import create_once
from nbspark.files.remote import RemoteFiles
from nbspark.files.store_errors import store_errors


def test_without_the_extra_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = importlib.import_module("fsspec.registry")._registry
    for module in ("fsspec", "s3fs"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            for scheme in ("s3", "s3a"):  # another test may have opened one
                patch.delitem(opened, scheme, raising=False)
            with pytest.raises(SetupError, match=r"^'s3://lake/m'.*pip install 'nbspark\[remote\]'\.$"):
                RemoteFiles("s3://lake/m")


def test_a_scheme_that_nobody_knows_names_those_that_are_known() -> None:
    with pytest.raises(StoreError, match=r"no kind of store is called s33://.* s3://, s3a://, gs://, abfs://"):
        RemoteFiles("s33://lake/m")


def test_a_store_without_create_if_absent_is_read_but_not_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    RemoteFiles("memory://a").create("memory://a/x", b"1")
    monkeypatch.setattr(remote, "CONDITIONS", {"s3": {}})
    files = RemoteFiles("memory://a")
    assert files.read("memory://a/x") == b"1"
    with pytest.raises(StoreError, match=r"cannot create 'memory://a/y': .*two writers could overwrite each other"):
        files.create("memory://a/y", b"2")
    assert files.names("memory://a") == ["x"]


class ClientError(Exception):
    """As botocore's."""

    def __init__(self, code: str) -> None:
        self.response = {"Error": {"Code": code}}


def refusing(code: str) -> OSError:
    error = OSError(22, "told by s3fs at https://key:secret@store/?X-Amz-Signature=abc")
    error.__cause__ = ClientError(code)
    return error


def test_two_creations_that_met_are_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    files = RemoteFiles("memory://met")
    answers: list[Any] = [refusing("ConditionalRequestConflict"), refusing("409"), None]

    def pipe_file(path: str, data: bytes, mode: str) -> None:
        if (answer := answers.pop(0)) is not None:
            raise answer

    monkeypatch.setattr(files._fs, "pipe_file", pipe_file)
    monkeypatch.setattr("time.sleep", lambda _: None)
    files.create("memory://met/x", b"1")
    assert answers == []
    answers += [refusing("409")] * 100
    with pytest.raises(StoreError, match="another writer is at it"):
        files.create("memory://met/x", b"1")


def test_an_error_of_a_store_is_one_line_without_addresses_and_keys() -> None:
    with pytest.raises(StoreError) as caught, store_errors("read", "s3://lake/m"):
        raise refusing("AccessDenied")
    assert str(caught.value).startswith("cannot read 's3://lake/m': OSError: [Errno 22] told by s3fs at (an address). ")
    assert "secret" not in str(caught.value)


def test_a_large_file_is_read_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "_WHOLE_BYTES", 4)
    files = RemoteFiles("memory://large")
    files.create("memory://large/x", b"0123456789")
    for is_memory in (True, False):
        files._is_memory = is_memory
        with files.open("memory://large/x") as file:
            assert (file.seek(6), file.read()) == (6, b"6789")


def test_a_pattern_leads_to_full_paths_with_the_scheme_that_was_given() -> None:
    for name in ("a/1.csv", "a/2.csv", "b/1.csv", "a[1]/1.csv"):
        RemoteFiles("memory://p").create(f"memory://p/{name}", b"1")
    files = RemoteFiles("memory://p")
    assert files.matches("memory://p/*/1.csv") == ["memory://p/a/1.csv", "memory://p/a[1]/1.csv", "memory://p/b/1.csv"]
    assert files.matches("memory://p/{a,c}/?.csv") == ["memory://p/a/1.csv", "memory://p/a/2.csv"]
    assert files.matches("memory://p/a\\[1\\]/*") == ["memory://p/a[1]/1.csv"]


def test_a_file_whose_answer_was_lost_is_there_by_the_same_call() -> None:
    files = RemoteFiles("memory://once")
    files.create("memory://once/x", b"1")
    create_once(files, "memory://once/x", b"1")
    for other in (b"2", b"12"):
        with pytest.raises(FileExistsError):
            create_once(files, "memory://once/x", other)
