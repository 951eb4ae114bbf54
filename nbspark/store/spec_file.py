"""The file that says what a model learns, and under which numbers of format and tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbspark.errors import StoreError
from nbspark.store.plain import from_bytes, require_shape, shown, to_bytes
from nbspark.text import TOKENIZER_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = 1  # of the files; a reader knows exactly one


def spec_bytes(spec: Mapping[str, Any]) -> bytes:
    """Return the content of the spec file."""
    return to_bytes({"format": FORMAT, "tokenizer_version": TOKENIZER_VERSION, "spec": spec})


def spec_of(data: bytes, where: str) -> dict[str, Any]:
    """Return the plain values of the spec in a spec file.

    Raises
    ------
    StoreError
        It is no spec file, or one of another format or tokenizer than this nbspark knows.

    Examples
    --------
    >>> spec_of(spec_bytes({"label": "topic"}), "spec.json")
    {'label': 'topic'}
    """
    head = from_bytes(data, where)
    known = {"format": FORMAT, "tokenizer_version": TOKENIZER_VERSION}
    # The numbers come first: a later format may have other keys.
    other = [
        f"{key} {shown(head[key])} (this nbspark knows {number})"
        for key, number in known.items()
        if isinstance(head, dict) and key in head and head[key] != number
    ]
    if other:
        raise StoreError(f"{where}: {', '.join(other)}. Use the nbspark that wrote it, or learn the model anew.")
    require_shape(head, {"format": int, "tokenizer_version": int, "spec": dict}, where)
    return dict(head["spec"])
