"""What a gate decided, for a person to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

METRICS = ("accuracy", "macro_f1", "log_loss")  # those of lifecycle.gate, which takes time to import


def decision_facts(gate: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the facts of a decision as a version's note has it; nothing of a version that no gate judged."""
    if gate is None:
        return {}
    champion = gate["champion"]
    return {
        "decision": "promoted" if gate["decision"] == "promoted" else "not promoted",
        "because": gate["reason"],
        "metrics": f"{metrics_line(gate['challenger'])} on {gate['challenger']['n_docs']:,} documents",
        "champion's": f"{metrics_line(champion)}, version {gate['champion_version']}" if champion else "",
    }


def metrics_line(metrics: Mapping[str, Any]) -> str:
    """Return metrics in one line.

    >>> metrics_line({"accuracy": 0.9, "macro_f1": 0.875, "log_loss": None})
    'accuracy 0.9000, macro_f1 0.8750, log_loss unknown'
    """
    shown = {name: "unknown" if metrics[name] is None else f"{float(metrics[name]):.4f}" for name in METRICS}
    return ", ".join(f"{name} {value}" for name, value in shown.items())
