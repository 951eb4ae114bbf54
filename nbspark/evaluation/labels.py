"""Labels that look alike: told apart in what people read. No pyspark in it."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


def look_alikes(labels: Iterable[str]) -> list[list[str]]:
    """Return the groups of labels that differ in blanks, case, invisible characters or Unicode form only.

    >>> look_alikes(["ham", "spam", "spam ", "Spam"])
    [['Spam', 'spam', 'spam ']]
    """
    groups: dict[str, list[str]] = {}
    for label in sorted(labels):
        groups.setdefault(_seen(label).casefold(), []).append(label)
    return [group for group in groups.values() if len(group) > 1]


def quoted(labels: Collection[str]) -> dict[str, str]:
    r"""Return each label in quotes, so that no two of them look the same.

    >>> list(quoted(["spam ", "caf\u00e9", "cafe\u0301"]).values())
    ["'spam '", "'caf\\xe9'", "'cafe\\u0301'"]
    """
    by_look = Counter(unicodedata.normalize("NFKC", repr(label)) for label in labels)
    return {
        label: repr(label) if by_look[unicodedata.normalize("NFKC", repr(label))] == 1 else ascii(label)
        for label in labels
    }


def display_names(labels: Collection[str], taken: Collection[str] = ()) -> dict[str, str]:
    """Return how each label is shown: as it is if that is clear, else in quotes.

    Parameters
    ----------
    labels : collection of str
    taken : collection of str
        What is shown for something else, such as ``(none)``.

    Examples
    --------
    >>> display_names(["spam", "spam ", "ham", "(none)"], taken=["(none)"])
    {'spam': 'spam', 'spam ': "'spam '", 'ham': 'ham', '(none)': "'(none)'"}
    """
    by_look = Counter(map(_seen, labels))
    in_quotes = quoted(labels)
    # Of labels that look the same, one may stay as it is: quotes tell the others from it.
    clear = {
        label
        for label in labels
        if label == label.strip() != "" and label not in taken and (by_look[_seen(label)] == 1 or _seen(label) == label)
    }
    return {label: label if label in clear else in_quotes[label] for label in labels}


def warning_of(counts: Mapping[str, float]) -> str | None:
    """Return a warning of labels that look alike, with their documents, or None.

    >>> warning_of({"spam": 12, "spam ": 3, "ham": 5})
    "labels that look alike are classes of their own: 'spam' 12, 'spam ' 3. If they are meant to be one, clean the \
label column."
    """
    groups = look_alikes(counts)
    if not groups:
        return None
    shown = [
        ", ".join(f"{name} {counts[label]:,.10g}" for label, name in quoted(group[:5]).items())
        + (", ..." if len(group) > 5 else "")
        for group in groups[:5]
    ]
    more = f"; and {len(groups) - 5:,} more groups" if len(groups) > 5 else ""
    return (
        f"labels that look alike are classes of their own: {'; '.join(shown)}{more}. If they are meant to be one, "
        "clean the label column."
    )


def _seen(label: str) -> str:
    """Return what the eye sees of a label: no blanks around it, one form of each character, nothing invisible."""
    plain = unicodedata.normalize("NFKC", label)
    return " ".join("".join(c for c in plain if unicodedata.category(c) != "Cf").split())
