"""What was found in documents, said for people: each with its documents, examples, and whether it is serious."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from nbspark.evaluation.labels import look_alikes, quoted
from nbspark.insight.quality import SHOWN_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from nbspark.insight.quality import Example, Observed

# The share of the documents from which on a finding is serious; what is not named here never is by its share.
SERIOUS = {
    "unlabelled": 0.1,
    "null": 0.1,
    "empty": 0.1,
    "undecodable": 0.01,
    "mojibake": 0.01,
    "repeated": 0.1,
    "conflicting": 0.01,
}
TOLD = {
    "unlabelled": "without a label",
    "null": "without a value",
    "empty": "empty, or nothing but blanks",
    "undecodable": "with U+FFFD, or bytes that are not valid: see --encoding",
    "mojibake": "with UTF-8 that was read as Windows-1252 or Latin-1",
    "repeated": "that repeat another one with the same label",
    "conflicting": "that are the same under several labels",
}
RARE = 10  # documents: a class with fewer says little
LONG_BITS, LONGEST_USUAL = 7, 13  # at least 64 times as long as half of the documents, and 8,192 characters
SHOWN = 10  # labels or terms of a kind


@dataclass(frozen=True)
class Finding:
    """One thing to know about documents.

    Attributes
    ----------
    name : str
    told : str
        In words.
    n_docs : int
        Documents of which it is true.
    share : float
        Of all documents.
    is_serious : bool
    column : str or None
    counts : dict of str to float
        By label or script, where there are several.
    examples : list of str
        Quoted, so that nothing in them acts on a terminal.
    """

    name: str
    told: str
    n_docs: int
    share: float
    is_serious: bool
    column: str | None = None
    counts: dict[str, float] = field(default_factory=dict)
    examples: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class NearDuplicates:
    """Pairs of distinct texts that are nearly the same.

    Attributes
    ----------
    n_docs, n_pairs, n_conflicting : int
        Texts in such pairs, the pairs, and those of two labels.
    similarity : float
    shown : list of (str, str, str, str)
        Text and label of both.
    """

    n_docs: int
    n_pairs: int
    n_conflicting: int
    similarity: float
    shown: list[tuple[str, str | None, str, str | None]]


def verdicts(found: Observed, giveaways: pa.Table, near: NearDuplicates | None = None) -> list[Finding]:
    """Return what there is to know, the serious things first.

    Parameters
    ----------
    giveaways : Table of ``schemas.GIVEAWAYS``
    """
    n = max(1, sum(found.of("documents").values()))
    every = [*_of_documents(found, n), *_of_labels(found.labels, n), *_of_terms(giveaways, n), *_of_texts(found, n)]
    if near is not None and near.n_docs:
        told = f"in {near.n_pairs:,} pairs of texts that are at least {near.similarity:g} alike, "
        told += f"{near.n_conflicting:,} of them of two labels"
        shown = [
            f"{one[:SHOWN_CHARACTERS]!r} ({label}) and {other[:SHOWN_CHARACTERS]!r} ({second})"
            for one, label, other, second in near.shown
        ]
        counts = {"pairs": float(near.n_pairs), "pairs_of_two_labels": float(near.n_conflicting)}
        share = near.n_docs / n
        is_serious = near.n_conflicting / n >= SERIOUS["conflicting"]
        every.append(Finding("near_duplicates", told, near.n_docs, share, is_serious, None, counts, shown))
    return sorted(every, key=lambda one: not one.is_serious)


def _of_documents(found: Observed, n: int) -> Iterator[Finding]:
    """Yield what is counted for itself."""
    unlabelled = {(None, None): found.of("documents").get((None, None), 0)}
    for name, told in TOLD.items():
        for (column, _), n_docs in (unlabelled if name == "unlabelled" else found.of(name)).items():
            if n_docs:
                examples = list(map(_example, found.examples((name, column, None))))
                yield Finding(name, told, n_docs, n_docs / n, n_docs / n >= SERIOUS[name], column, {}, examples)


def _of_labels(labels: dict[str, int], n: int) -> Iterator[Finding]:
    """Yield what the labels say."""
    n_docs = sum(labels.values())
    if len(labels) < 2:
        told = f"{'one label' if labels else 'no label'} in all: nothing can be learned to tell"
        yield Finding("single_class", told, n_docs, n_docs / n, True)
    groups = look_alikes(labels)
    if groups:
        shown = [", ".join(f"{name} {labels[one]:,}" for one, name in quoted(group).items()) for group in groups]
        alike = sum(labels[one] for group in groups for one in group)
        told = "with labels that look alike, and are classes of their own"
        yield Finding("look_alikes", told, alike, alike / n, True, None, {}, shown[:SHOWN])
    rare = {label: count for label, count in sorted(labels.items(), key=lambda one: one[1]) if count < RARE}
    if rare:
        told, some = f"of {len(rare):,} classes with fewer than {RARE} documents", sum(rare.values())
        shown = [f"{label!r} {count}" for label, count in rare.items()]
        yield Finding("rare_classes", told, some, some / n, False, None, dict(rare), shown[:SHOWN])


def _of_terms(giveaways: pa.Table, n: int) -> Iterator[Finding]:
    """Yield the terms that give the label away."""
    rows = giveaways.sort_by([("n_docs", "descending"), ("feature", "ascending"), ("term", "ascending")]).to_pylist()
    if rows:
        shown = [
            f"{row['term']!r} in {row['feature']}: {row['n_docs']:,.10g} of {row['class_docs']:,.10g} documents of "
            f"{row['label']!r}, {row['all_docs'] - row['n_docs']:,.10g} of others"
            for row in rows[:SHOWN]
        ]
        most = int(max(row["n_docs"] for row in rows))
        told = f"at most with one of {len(rows):,} terms that give the label away"
        yield Finding("giveaways", told, most, most / n, True, None, {}, shown)


def _of_texts(found: Observed, n: int) -> Iterator[Finding]:
    """Yield which scripts texts are of, and which texts are much longer than others."""
    for column in dict.fromkeys(column for column, _ in found.of("script")):
        counts = {str(key): count for (one, key), count in found.of("script").items() if one == column and count}
        counts = dict(sorted(counts.items(), key=lambda one: -one[1]))
        shown = [_example(one) for key in [*counts][1:] for one in found.examples(("script", column, key))[:1]]
        if counts:
            told, some = f"most letters of which are {', '.join(counts)}", sum(counts.values())
            yield Finding("scripts", told, some, some / n, False, column, dict(counts), shown)
    for column in dict.fromkeys(column for column, _ in found.of("length")):
        lengths = sorted((int(key or 0), count) for (one, key), count in found.of("length").items() if one == column)
        half, total, usual = sum(count for _, count in lengths) / 2, 0, 0
        for bits, count in lengths:
            total += count
            usual = bits
            if total >= half:
                break
        long = {bits: count for bits, count in lengths if bits >= max(usual + LONG_BITS, LONGEST_USUAL + 1) and count}
        if long:
            shown = [_example(one) for bits in sorted(long) for one in found.examples(("length", column, str(bits)))]
            told = f"of {1 << (min(long) - 1):,} characters or more, where half have fewer than {1 << usual:,}"
            some = sum(long.values())
            yield Finding("long", told, some, some / n, False, column, {}, shown[:SHOWN])


def _example(one: Example) -> str:
    """Return an example for people."""
    return repr(one.text) + ("" if one.n_docs is None else f": {one.n_docs:,} documents, {one.labels}")
