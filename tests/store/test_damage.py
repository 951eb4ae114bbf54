"""A damaged model is refused in one line by whoever reads it: both plans, without Spark, and `verify`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nbspark import Text
from nbspark.spec import Spec
from tests.builders import counts_rows, store_batch, store_model
from tests.store.conftest import READERS

if TYPE_CHECKING:
    from collections.abc import Callable

SPEC = Spec("label", (Text("body"),))
TERMS = [("spam", "body", "win", 2.0, 1.0), ("spam", "body", "cash", 1.0, 1.0), ("ham", "body", "lunch", 1.0, 1.0)]
TOTALS = [("spam", "body", None, 3.0, 2.0), ("ham", "body", None, 1.0, 1.0)]
CLASSES = [("spam", None, None, 0.0, 2.0), ("ham", None, None, 0.0, 1.0)]

Plain = dict[str, Any]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Return a model of two versions; the second has two batches, one of them in two files."""
    store = store_model(tmp_path / "model", SPEC, counts_rows(*TERMS), counts_rows(*TOTALS, *CLASSES), n_pairs=3)
    [first] = store.latest().batches
    second = store_batch(store, "2", counts_rows(*TERMS, *TOTALS, *CLASSES), n_pairs=3)
    store.publish([first, second], note={}, parent=store.latest())
    return tmp_path / "model"


def test_a_whole_model_is_read_by_everyone(model: Path, read_with: Callable[[str, Path], Any]) -> None:
    for how in READERS:
        read_with(how, model)


def newest(model: Path) -> Path:
    """Return the file of the newest version."""
    return max((model / "versions").iterdir())


def without(plain: Plain, *keys: str) -> Plain:
    """Return a mapping without some keys."""
    return {key: value for key, value in plain.items() if key not in keys}


def with_batch(version: Plain, **change: Any) -> Plain:
    """Return a version whose first batch is changed."""
    first, *others = version["batches"]
    return version | {"batches": [first | change, *others]}


WRONG_VERSIONS: dict[str, tuple[Callable[[Plain], Plain], str]] = {
    "a file twice": (
        lambda v: with_batch(v, files=v["batches"][0]["files"][:1] * 2),
        r"the file counts/part-00000\.parquet twice",
    ),
    "a batch twice": (lambda v: v | {"batches": v["batches"] * 2}, "the batch 1 twice; the batch 2 twice"),
    "a folder twice": (
        lambda v: v | {"batches": [v["batches"][0], v["batches"][0] | {"batch": "2"}]},
        "folder '.*' is not a path inside the model of the form batches/2-SUFFIX",
    ),
    "no batch": (lambda v: v | {"batches": []}, "no batch"),
    "no list of batches": (lambda v: v | {"batches": None}, "batches has the value None"),
    "no file": (lambda v: with_batch(v, files=[]), "no files"),
    "weight -1": (lambda v: with_batch(v, weight=-1), r"weight wants a number > 0, found -1\.0"),
    "weight 0": (lambda v: with_batch(v, weight=0.0), r"weight wants a number > 0, found 0\.0"),
    "weight true": (lambda v: with_batch(v, weight=True), "weight has the value True"),
    "no n_pairs": (lambda v: with_batch(v, rows=without(v["batches"][0]["rows"], "n_pairs")), "no key 'n_pairs'"),
    "n_pairs of 10^30": (lambda v: with_batch(v, rows={"n_pairs": 10**30}), "has more than 64 bits"),
    "n_pairs of 2^62": (lambda v: with_batch(v, rows={"n_pairs": 2**62}), r"rows\.n_pairs is 4611686018427387904"),
    "n_pairs below 0": (lambda v: with_batch(v, rows={"n_pairs": -1}), r"rows\.n_pairs is -1"),
    "n_pairs too few": (lambda v: with_batch(v, rows={"n_pairs": 2}), "n_pairs 2, but its files have 3 rows with a te"),
    "n_pairs too many": (lambda v: with_batch(v, rows={"n_pairs": 4}), "n_pairs 4, but its files have 3 rows with a t"),
    "more unlabelled than read": (
        lambda v: with_batch(v, rows={"n_pairs": 3, "rows_read": 1, "unlabelled": 2}),
        "2 rows unlabelled of 1 read",
    ),
    "its own parent": (lambda v: v | {"parent": 2}, "the parent of version 2 cannot be 2"),
    "a later parent": (lambda v: v | {"parent": 7}, "the parent of version 2 cannot be 7"),
    "no parent": (lambda v: v | {"parent": None}, "version 2 has no parent"),
    "parent 0": (lambda v: v | {"parent": 0}, "the parent of version 2 cannot be 0"),
    "another number": (lambda v: v | {"version": 3}, "says it is version 3"),
    "no time": (lambda v: v | {"created": "yesterday"}, "created wants a time in UTC"),
    "a file from outside": (
        lambda v: with_batch(v, files=[v["batches"][0]["files"][0] | {"name": "../../../other/counts/x.parquet"}]),
        "is not a path inside the model",
    ),
    "a file left out": (
        lambda v: with_batch(v, files=v["batches"][0]["files"][:1]),
        r"counts/part-00001\.parquet: not part of the version",
    ),
    "a file too many": (
        lambda v: with_batch(v, files=[v["batches"][0]["files"][0] | {"name": "counts/x.parquet"}]),
        r"counts/x\.parquet: missing",
    ),
    "400 digits": (lambda v: v | {"note": {"n": 10**400}}, "has more than 64 bits"),
    "120 levels": (lambda v: v | {"note": nested(120)}, "nested more than 100 levels deep"),
}  # fmt: skip


def nested(levels: int) -> Plain:
    """Return objects in one another."""
    found: Plain = {}
    for _ in range(levels):
        found = {"note": found}
    return found


@pytest.mark.parametrize("wrong", WRONG_VERSIONS)
def test_a_version_that_cannot_be_true_is_refused(model: Path, refused: Callable[..., None], wrong: str) -> None:
    change, told = WRONG_VERSIONS[wrong]
    changed = change(json.loads(newest(model).read_text(encoding="utf-8")))
    newest(model).write_text(json.dumps(changed), encoding="utf-8")
    refused(model, told)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"weight": 1.0', '"weight": NaN', "the number nan"),
        ('"weight": 1.0', '"weight": -Infinity', "the number -inf"),
        ('"weight": 1.0', '"weight": 1e999', "the number inf"),
        ('"version": 2', '"version": 2, "version": 2', "'version' more than once in one object"),
        ('"n_pairs": 3', '"n_pairs": 3, "n_pairs": 4', "'n_pairs' more than once in one object"),
        ('"by": "', '"by": "\\ud800', "surrogates not allowed"),
        ('"note": {}', '"note": {"deep": ' + "[" * 5_000 + "]" * 5_000 + "}", "nested more than 100 levels deep"),
        ('"note": {}', '"note": {"n": ' + "9" * 400 + "}", "has more than 64 bits"),
        ('"note": {}', '"note": {"n": ' + "9" * 5_000 + "}", "Exceeds the limit"),
    ],
)
def test_a_text_that_is_no_json_of_ours_is_refused(
    model: Path, refused: Callable[..., None], old: str, new: str, told: str
) -> None:
    text = newest(model).read_text(encoding="utf-8")
    assert old in text
    newest(model).write_text(text.replace(old, new, 1), encoding="utf-8")
    refused(model, told)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"format": 1', '"format": 1, "format": 1', "'format' more than once"),
        ('"format": 1', '"format": true', "format has the value True"),
        ('"label": "label"', '"label": NaN', "the number nan"),
        ('"label": "label"', '"label": 7', "label"),
        ('"label": "label"', '"label": "label", "x": 1e999', "the number inf"),
        ('"label": "label"', '"label": "label", "x": ' + "[" * 2_000 + "]" * 2_000, "nested more than 100 levels deep"),
        ('"kind": "text"', '"kind": "os.system"', "os.system"),
    ],
)
def test_a_spec_that_is_none_is_refused(
    model: Path, refused: Callable[..., None], old: str, new: str, told: str
) -> None:
    text = (model / "spec.json").read_text(encoding="utf-8")
    assert old in text
    (model / "spec.json").write_text(text.replace(old, new, 1), encoding="utf-8")
    refused(model, told)


def folder_of(model: Path) -> Path:
    """Return the folder of counts of the first batch."""
    return next((model / "batches").glob("1-*")) / "counts"


@pytest.mark.parametrize("kind", ["folder", "loop", "to a folder"])
@pytest.mark.parametrize("what", ["spec", "version", "counts", "batch", "model"])
def test_a_folder_or_a_loop_of_links_in_place_of_a_file_is_refused(
    model: Path, refused: Callable[..., None], what: str, kind: str
) -> None:
    target = {
        "spec": model / "spec.json",
        "version": newest(model),
        "counts": folder_of(model) / "part-00000.parquet",
        "batch": folder_of(model),
        "model": model,
    }[what]
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    if kind == "folder":
        target.mkdir()
    elif kind == "loop":
        target.symlink_to(target.with_name("loop"))
        target.with_name("loop").symlink_to(target)
    else:
        (model.parent / "elsewhere").mkdir()
        target.symlink_to(model.parent / "elsewhere")
    refused(model, "cannot read|cannot list|missing|is not a model|bytes, not")


def test_a_parent_that_is_not_there_is_said(model: Path, refused: Callable[..., None]) -> None:
    (model / "versions" / "00000001.json").unlink()
    refused(model, "its parent, version 1, is not there")
