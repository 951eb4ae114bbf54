"""A version in a line: what a list of many versions needs of each, without reading every one of their files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from nbspark.store.plain import require_shape

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 200  # characters of what made a version
GATE = "gate"  # the key of a version's note under which a gate's decision is
HISTORY = 100  # versions before a version that its file tells of, so that a list opens one file in a hundred


@dataclass(frozen=True)
class Summary:
    """A version in a line.

    Attributes
    ----------
    version : int
    created : str
        UTC, ISO 8601.
    change : str
        What made it, in words.
    documents, batches : int
        How many it has learned, and in how many batches they lie.
    judged : str
        What a gate decided about it, and by which number; empty if none did.
    """

    version: int
    created: str
    change: str
    documents: int
    batches: int
    judged: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the plain values of the file form."""
        return dict(vars(self))

    @classmethod
    def from_json(cls, given: Any, where: str = "summary") -> Self:
        """Return the summary that plain values describe, or raise StoreError with everything that is wrong."""
        shape = {"version": int, "created": str, "change": str, "documents": int, "batches": int, "judged": str}
        require_shape(given, shape, where)
        return cls(**given)


def in_words(change: Mapping[str, Any]) -> str:
    """Say what made a version.

    >>> in_words({"kind": "learn", "batch": "2026-11-29"})
    'learn 2026-11-29'
    """
    kind = str(change.get("kind", "unknown"))
    what = next((str(value) for key, value in change.items() if key != "kind" and isinstance(value, str)), "")
    return f"{kind} {what}".strip()[:LONGEST]


def judged_in_words(note: Mapping[str, Any]) -> str:
    """Say what the gate in a version's note decided; see ``lifecycle.gate.Decision``, which checks it.

    >>> judged_in_words({"gate": {"decision": "kept", "metric": "accuracy", "challenger": {"accuracy": 0.5}}})
    'kept: accuracy 0.5000'
    >>> judged_in_words({"gate": "closed"}), judged_in_words({})
    ('', '')
    """
    gate = note.get(GATE)
    if not isinstance(gate, dict) or not isinstance(gate.get("challenger"), dict):
        return ""
    metric = str(gate.get("metric"))
    value = gate["challenger"].get(metric)
    shown = f"{value:.4f}" if isinstance(value, int | float) else str(value)
    return f"{gate.get('decision')}: {metric} {shown}"[:LONGEST]
