"""Changes to a model that die at each of their file-system events in turn, and the same again; without Spark.

Run as a program, with a folder to work in and, for fewer deaths, which of the events to take (every 5th): prints one
JSON object, how often each change died, by death. After each death the versions that were good before are unchanged,
and the same change again ends as it does undisturbed.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbspark import Text, local
from nbspark.files.local import LocalFiles
from nbspark.lifecycle import sums
from nbspark.lifecycle.batches import count_in_memory, read_batch
from nbspark.lifecycle.documents import kernel_batches
from nbspark.lifecycle.subtract import add_up
from nbspark.model_store import ModelStore
from nbspark.spec import Spec
from nbspark.store import Store
from nbspark.store.learned import Learned, create_files, publish_first
from nbspark.store.sums import sum_names, summable
from tests.deaths import dies, watch_this_process

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbspark.store import Version

SPEC = Spec("y", (Text("t"),))
DAYS = {
    "2026-11-21": {"y": ["spam", "ham"], "t": ["win cash", "lunch at noon"]},
    "2026-11-22": {"y": ["spam", "ham", None], "t": ["cash prize", "noon call", "no label"]},
    "2026-11-23": {"y": ["ham", "spam"], "t": ["call me", "win a prize"]},
}
HELD_OUT = {"y": ["spam", "ham"], "t": ["win a lot", "late lunch"]}
NEW = {"y": ["eggs", "ham"], "t": ["scrambled", "at lunch"]}

CHANGES: dict[str, Callable[[ModelStore], Any]] = {
    "learn": lambda model: model.learn(NEW, batch="2026-11-24", date="2026-11-24"),
    "retrain": lambda model: model.retrain(NEW, batch="2026-11-24", holdout=HELD_OUT),
    "replace": lambda model: model.learn(NEW, batch="2026-11-22", date="2026-11-22", replace=True),
    "forget": lambda model: model.forget({"y": ["spam"], "t": ["cash prize"]}),
    "forget a batch": lambda model: model.forget(batch="2026-11-22"),
    "relabel": lambda model: model.relabel({"y": ["ham"], "z": ["spam"], "t": ["call me"]}, old="y", new="z"),
    "window": lambda model: model.window(last=2),
    "decay": lambda model: model.decay(10.0),
    "set": lambda model: model.set_options(alpha=0.5),
    "promote": lambda model: model.promote(3),
    "compact": lambda model: model.compact(keep=1),
    "vacuum": lambda model: model.vacuum(min_age=0),
    "merge": lambda model: model.merge(ModelStore(model.store.root + "-other")),
}


def train(path: Path, days: dict[str, Any]) -> None:
    """Make a model of one batch, learn the others, and promote the second version."""
    (first, documents), *others = days.items()
    store = Store.create(path, SPEC.to_dict(), LocalFiles())
    files = count_in_memory(SPEC, kernel_batches(documents, SPEC))
    with store.new_batch(first) as folder:
        written = create_files(files, store.files, folder)
        publish_first(store, folder, batch=first, learned=Learned.of(files), written=written, date=first)
    for day, more in others:
        ModelStore(path).learn(more, batch=day, date=day)


def state(path: Path) -> dict[str, Any]:
    """Return what users see of a model: versions with their counts and options, aliases, and what is scored."""
    model = ModelStore(path)
    model.verify()
    require_sums_agree(model)
    return {
        "versions": {one.version: _seen(model, one) for one in model.versions()},
        "removed": model.store.removed(),
        "aliases": {name: one.version for name, one in model.aliases().items()},
        "scored": local.load(path).predict(["win cash at noon"], probabilities=True).to_pylist(),
    }


def _seen(model: ModelStore, version: Version) -> dict[str, Any]:
    """Return what users see of a version."""
    held = [(each.batch, each.date, each.fingerprint) for one in version.batches for each in one.holds]
    counts = [sorted(read_batch(model.store, one).to_pylist(), key=str) for one in version.batches]
    weights = [one.weight for one in version.batches]
    made = {"parent": version.parent, "change": dict(version.change), "options": dict(version.options)}
    return made | {"held": held, "counts": counts, "weights": weights}


def require_sums_agree(model: ModelStore) -> None:
    """Assert that a version reads the same with a stored sum in the place of its first batches as without."""
    newest = model.store.latest()
    added = [
        sorted(add_up(read_batch(model.store, one) for one in batches).to_pylist(), key=str)
        for batches in (newest.batches, model.store.to_read(newest).batches)
        if summable(newest) == len(newest.batches)
    ]
    assert added[:1] == added[1:]


def leftovers(path: Path) -> int:
    """Return how many folders of batches no version lists, after what a scheduler would clean with."""
    model = ModelStore(path)
    listed = {one.folder.split("/")[-1] for version in model.versions() for one in version.batches}
    everything = len(model.versions())
    model.vacuum(keep=everything, min_age=0)
    root, files = model.store.root, model.store.files
    needed = {Path(one.folder).name for one in sum_names(files, root)}
    needed |= {Path(one.file).name for one in sum_names(files, root)}
    return len(set(files.names(f"{root}/batches")) - listed) + len(set(files.names(f"{root}/sums")) - needed)


def replay(name: str, template: Path, root: Path, kind: str, step: int) -> list[int]:
    """Let a change die at every ``step``-th of its events and be made again; return the events at which it died."""
    change = CHANGES[name]

    def make(path: Path) -> None:
        change(ModelStore(path))

    def fresh(folder: str) -> Path:
        for suffix in ("", "-other"):
            shutil.copytree(f"{template}{suffix}", root / f"{folder}{suffix}")
        return root / folder

    before = state(template)
    make(undisturbed := fresh(f"{name}, {kind}, undisturbed"))
    wanted = state(undisturbed)
    events: list[int] = []
    # Each change begins elsewhere, so that a few steps of each still meet every kind of event.
    event = 1 + list(CHANGES).index(name) % step
    while dies(make, path := fresh(f"{name}, {kind} {event}"), kind, event):
        after = state(path)
        gone = set(before["versions"]) - set(after["versions"])
        assert gone <= set(wanted["removed"]), f"{name}, {kind} at {event}: versions {gone} are lost"
        assert all(after["versions"][one] == before["versions"][one] for one in set(before["versions"]) - gone)
        assert after["scored"] in (before["scored"], wanted["scored"])
        make(path)
        assert state(path) == wanted, f"{name}, {kind} at {event}: made again, it ends otherwise"
        assert not leftovers(path)
        shutil.rmtree(path)
        events.append(event)
        event += step
    return events


def main(root: Path, step: int = 1) -> None:
    """Print at how many events each change died, by death."""
    template = root / "model"
    sums.EVERY = 2  # so that most changes write a sum, or find one in their way
    train(template, DAYS)
    train(root / "model-other", {"2026-10-01": {"y": ["spam"], "t": ["other cash"]}})
    ModelStore(template).promote(2)
    watch_this_process()
    kinds = ("killed", "disk full", "interrupted")
    died = {kind: {name: len(replay(name, template, root, kind, step)) for name in CHANGES} for kind in kinds}
    print(json.dumps(died))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *map(int, sys.argv[2:]))
