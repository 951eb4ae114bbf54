"""Whether a model may be made in a folder: where there is nothing, or what a job left that did not publish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbspark.errors import PathError, StoreError
from nbspark.store.plain import MAX_BYTES, bare, from_bytes, shown
from nbspark.store.versions import BATCHES_FOLDER, SPEC_FILE, VERSIONS_FOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbspark.files.protocol import Files


def require_vacant(files: Files, root: str, spec: bytes) -> None:
    """Raise PathError unless a model with this spec file may be made in a folder.

    Batches that nobody published, an empty folder of versions and the same spec file may be there: a job that was
    killed leaves them, and its retry goes on in the same folder.
    """
    found = files.names(root)
    is_folder = files.is_folder(root)
    is_left = set(found) <= {SPEC_FILE, BATCHES_FOLDER, VERSIONS_FOLDER} and all(
        files.is_folder(f"{root}/{name}") for name in found if name != SPEC_FILE
    )
    if (files.exists(root) and not is_folder) or not is_left or files.names(f"{root}/{VERSIONS_FOLDER}"):
        raise PathError(
            f"model {root}: there already; found {some(found)}. "
            "A model is never overwritten: choose a new path, or remove that one yourself."
        )
    if SPEC_FILE in found:
        left = files.read(f"{root}/{SPEC_FILE}", MAX_BYTES + 1)
        if left != spec:
            raise PathError(
                f"model {root}: a job that published nothing left {SPEC_FILE} there, of another model"
                f"{_difference(left, spec)}. If that job runs no more, remove the folder; or choose a new path."
            )


def _difference(left: bytes, spec: bytes) -> str:
    """Return in what two spec files differ, for a message; nothing if one cannot be read."""
    try:
        heads = (from_bytes(data, SPEC_FILE) for data in (left, spec))
        theirs, ours = ({**head, **head["spec"], "spec": None} for head in heads)
        keys = [key for key in {**theirs, **ours} if theirs.get(key) != ours.get(key)]
        told = "; ".join(f"{bare(key)} {shown(theirs.get(key))}, not {shown(ours.get(key))}" for key in keys)
        return f" ({told})" if told else ""
    except (StoreError, TypeError, KeyError, AttributeError):
        return ""


def some(names: Sequence[str]) -> str:
    """Return the first names of a folder, for a message."""
    return f"{list(names[:10])}" + (f" and {len(names) - 10} more" if len(names) > 10 else "")
