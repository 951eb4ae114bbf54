"""The memory of a process and of those it started, as Linux counts it."""

from __future__ import annotations

from pathlib import Path


def memory_of(pid: int) -> list[tuple[str, int]]:
    """Return the peak resident memory of a process and its descendants, in MB, each with its kind."""
    found, left = [], [pid]
    while left:
        one = left.pop()
        try:
            status = Path(f"/proc/{one}/status").read_text()
        except OSError:
            continue  # it has just ended
        facts = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        kind = "driver" if one == pid else "java" if facts["Name"].strip() == "java" else "worker"
        found.append((kind, int(facts.get("VmHWM", "0 kB").split()[0]) // 1024))
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            left += [int(child) for child in task.read_text().split()]
    return found


def largest(pid: int) -> dict[str, int]:
    """Return the largest peak of each kind, in MB; 0 where there is no such process."""
    peaks = {"driver": 0, "java": 0, "worker": 0}
    for kind, megabytes in memory_of(pid):
        peaks[kind] = max(peaks[kind], megabytes)
    return peaks
