"""Paths as Hadoop reads them: which names are patterns, and how a name is said so that it is none."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"[*?\[\]{}\\]")
_GLOB = re.compile(r"[*?\[{]")


def is_pattern(path: str) -> bool:
    """Say whether Hadoop would take ``path`` for a pattern.

    >>> is_pattern("in/2024-*.csv"), is_pattern("in/2024.csv")
    (True, False)
    """
    return _GLOB.search(path) is not None


def literal(path: str) -> str:
    r"""Return ``path`` so that ``spark.read`` takes every character of it for itself, not for a pattern.

    Everything that nbspark wrote itself is read back by it. It is for reading only: writers know no patterns.

    Examples
    --------
    >>> literal("models/a[1]"), literal("models/a1")
    ('models/a\\[1\\]', 'models/a1')
    """
    return _SPECIAL.sub(lambda found: "\\" + found[0], path)


def without_braces(path: str) -> list[str]:
    """Return the paths that Hadoop reads for ``{a,b}``; what is left has ``*``, ``?`` and ``[...]`` only.

    >>> without_braces("in/{2024,2025}/{a,b}.csv")
    ['in/2024/a.csv', 'in/2024/b.csv', 'in/2025/a.csv', 'in/2025/b.csv']
    """
    found = re.search(r"\{([^{}]*)\}", path)
    if not found:
        return [path.replace("[^", "[!")]
    before, after = path[: found.start()], path[found.end() :]
    return [whole for choice in found[1].split(",") for whole in without_braces(before + choice + after)]
