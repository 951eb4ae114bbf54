"""What documents are like before anything is learned: facts that add, from batches, on workers or in this process.

Kinds: ``documents`` of each label (the key), ``null`` and ``empty`` values of a column, ``undecodable`` and
``mojibake`` texts, the ``script`` of texts (the key), their ``length`` (the key: bits of the number of characters), and
``content``, one row a document, which ``merge_findings`` turns into ``repeated`` and ``conflicting`` ones.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.strings import valid_strings
from nbspark.features import Text
from nbspark.features.undecodable import is_undecodable
from nbspark.features.values import as_text
from nbspark.insight.damage import is_mojibake
from nbspark.insight.scripts import scripts_of
from nbspark.lifecycle.holdout import content_hashes
from nbspark.schemas import FINDINGS, LABEL_COLUMN, feature_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nbspark.spec import Spec

EXAMPLES = 3  # of a kind and key
SHOWN_CHARACTERS = 80  # of an example
CONTENT, REPEATED, CONFLICTING = "content", "repeated", "conflicting"
Key = tuple[str, str | None, str | None]  # kind, column, key


def findings(batches: Iterable[pa.RecordBatch], spec: Spec) -> Iterator[pa.RecordBatch]:
    """Yield the ``schemas.FINDINGS`` of documents.

    Parameters
    ----------
    batches : iterable of RecordBatch
        The label, and one column a feature, as the kernels of counting have them.
    """
    for batch in batches:
        if batch.num_rows:
            yield pa.concat_tables(_of_batch(batch, spec)).combine_chunks().to_batches()[0]


def _of_batch(batch: pa.RecordBatch, spec: Spec) -> Iterator[pa.Table]:
    """Yield the findings of some documents."""
    labels = as_text(batch.column(LABEL_COLUMN))
    counts = labels.value_counts()
    yield _rows("documents", None, key=counts.field("values"), n_docs=counts.field("counts"))
    has_content = np.zeros(batch.num_rows, bool)
    shown = None
    for i, feature in enumerate(spec.features):
        values = batch.column(feature_column(i))
        is_null = np.asarray(values.is_null())
        if not isinstance(feature, Text):
            yield _marked("null", feature.column, is_null, None)
            has_content |= ~is_null
            continue
        texts = valid_strings(values.cast(pa.string()))
        is_empty = np.asarray(pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(pc.fill_null(texts, ""))), 0))
        begins = pc.utf8_slice_codeunits(pc.fill_null(texts, ""), 0, SHOWN_CHARACTERS)
        shown = begins if shown is None else shown
        has_content |= ~is_empty
        yield _marked("null", feature.column, is_null, None)
        yield _marked("empty", feature.column, is_empty & ~is_null, None)
        yield _marked("undecodable", feature.column, is_undecodable(values), begins)
        yield _marked("mojibake", feature.column, is_mojibake(texts), begins)
        bits = np.ceil(np.log2(pc.fill_null(pc.utf8_length(texts), 0).to_numpy() + 1.0)).astype(np.int64)
        for kind, keys in (("script", scripts_of(texts)), ("length", pa.array(bits).cast(pa.string()))):
            for key in keys.unique().to_pylist():
                own = np.asarray(pc.equal(keys, key)) & ~is_empty
                if own.any():
                    yield _marked(kind, feature.column, own, begins, key)
    table = pa.Table.from_batches([batch])
    hashes = content_hashes(table, [feature_column(i) for i in range(len(spec.features))])
    rows = pa.array(np.flatnonzero(has_content))
    example = pa.nulls(len(rows), pa.string()) if shown is None else shown.take(rows)
    keys = pa.array(hashes.view(np.int64)).take(rows).cast(pa.string())
    yield _rows(CONTENT, None, key=keys, label=labels.take(rows), n_docs=pa.repeat(1, len(rows)), example=example)


def _marked(kind: str, column: str, mask: np.ndarray, texts: pa.Array | None, key: str | None = None) -> pa.Table:
    """Return how many documents are marked, and the first of them."""
    first = np.flatnonzero(mask)[: EXAMPLES if texts is not None else 0]
    n_docs = pa.array([int(mask.sum()), *[0] * len(first)], pa.int64())
    example = pa.array([None], pa.string())
    if texts is not None:
        example = pa.concat_arrays([example, texts.take(pa.array(first))])
    return _rows(kind, column, key=pa.repeat(pa.scalar(key, pa.string()), len(n_docs)), n_docs=n_docs, example=example)


def _rows(kind: str, column: str | None, **columns: pa.Array) -> pa.Table:
    """Return rows of ``schemas.FINDINGS``, null where no column is given."""
    n = len(columns["key"])
    every = {"kind": pa.repeat(kind, n), "column": pa.repeat(pa.scalar(column, pa.string()), n)} | columns
    return pa.table([every.get(one.name, pa.nulls(n, one.type)).cast(one.type) for one in FINDINGS], schema=FINDINGS)


def merge_findings(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield few ``schemas.FINDINGS`` for many: those of a kind and key must all be given.

    Of what several documents hold, ``repeated`` counts the documents beyond the first where they have one label, and
    ``conflicting`` all of them where they have several; an example's key is how many documents hold it.
    """
    some, contents = Observed(), []
    for batch in batches:
        is_content = pc.equal(batch.column("kind"), CONTENT)
        some.add(batch.filter(pc.invert(is_content)))
        contents.append(batch.filter(is_content).select(["key", "label", "n_docs", "example"]))
    yield from some.rows()
    if contents:
        yield from _repeated(pa.Table.from_batches(contents)).to_batches()


def _repeated(contents: pa.Table) -> pa.Table:
    """Return findings about equal documents."""
    by_label = contents.group_by(["key", "label"]).aggregate([("n_docs", "sum"), ("example", "min")])
    sums = [("n_docs_sum", "sum"), ("label", "count"), ("example_min", "min")]  # a null label is not counted
    groups = by_label.group_by("key").aggregate(sums)
    groups = groups.filter(pc.greater(groups["n_docs_sum_sum"], 1))
    several = pc.greater(groups["label_count"], 1)
    made = [FINDINGS.empty_table()]
    for kind, own, beyond in (
        (REPEATED, groups.filter(pc.invert(several)), 1),
        (CONFLICTING, groups.filter(several), 0),
    ):
        sizes = own["n_docs_sum_sum"]
        n_docs = (pc.sum(sizes).as_py() or 0) - beyond * len(own)
        made.append(_rows(kind, None, key=pa.nulls(1, pa.string()), n_docs=pa.array([n_docs])))
        best = own.take(pc.sort_indices(own, [("n_docs_sum_sum", "descending"), ("example_min_min", "ascending")]))
        best = best.slice(0, EXAMPLES).combine_chunks()
        labels = [_labels_of(by_label, key) for key in best["key"].to_pylist()]
        columns = {"key": best["n_docs_sum_sum"].cast(pa.string()), "label": pa.array(labels, pa.string())}
        columns |= {"n_docs": pa.repeat(0, len(best)), "example": best["example_min_min"]}
        made.append(_rows(kind, None, **{name: _plain(one) for name, one in columns.items()}))
    return pa.concat_tables(made)


def _plain(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a column as one array."""
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def _labels_of(by_label: pa.Table, key: str) -> str:
    """Return the labels of equal documents with their numbers, the most frequent first."""
    own = by_label.filter(pc.equal(by_label["key"], key)).select(["label", "n_docs_sum"]).to_pylist()
    own.sort(key=lambda row: (-row["n_docs_sum"], row["label"] or ""))
    return ", ".join(
        f"{'no label' if row['label'] is None else repr(row['label'])} {row['n_docs_sum']}" for row in own[:5]
    )


@dataclass(frozen=True)
class Example:
    """The beginning of a document; of equal ones also how many there are and their labels."""

    text: str
    n_docs: int | None = None
    labels: str | None = None


class Observed:
    """Findings added up.

    Attributes
    ----------
    n_docs : dict of Key to int
    examples : dict of (kind, column, key) to list of Example
        Of ``repeated`` and ``conflicting`` under no key, the largest groups first.
    """

    def __init__(self) -> None:
        self.n_docs: defaultdict[Key, int] = defaultdict(int)
        self._shown: defaultdict[Key, set[tuple[int, str, str | None]]] = defaultdict(set)

    def add(self, rows: pa.RecordBatch | pa.Table) -> Observed:
        """Add ``schemas.FINDINGS`` of any part, ``content`` left out."""
        for row in rows.to_pylist():
            grouped = row["kind"] in (REPEATED, CONFLICTING)
            key = (row["kind"], row["column"], None if grouped else row["key"])
            self.n_docs[key] += row["n_docs"]
            if row["example"] is not None:
                size = -int(row["key"]) if grouped else 0
                kept = self._shown[key] | {(size, row["example"], row["label"])}
                self._shown[key] = set(sorted(kept, key=lambda one: (one[0], one[1], one[2] or ""))[:EXAMPLES])
        return self

    def examples(self, key: Key) -> list[Example]:
        """Return some documents of a key."""
        ordered = sorted(self._shown.get(key, ()), key=lambda one: (one[0], one[1]))
        return [Example(text, -size if size else None, labels) for size, text, labels in ordered]

    def of(self, kind: str) -> dict[tuple[str | None, str | None], int]:
        """Return the documents of a kind, by column and key."""
        return {key[1:]: n for key, n in self.n_docs.items() if key[0] == kind}

    @property
    def labels(self) -> dict[str, int]:
        """The documents of each label, in string order."""
        return {str(key): n for (_, key), n in sorted(self.of("documents").items(), key=str) if key is not None}

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Yield the same as ``schemas.FINDINGS``."""
        rows = []
        for key, n in self.n_docs.items():
            named = dict(zip(FINDINGS.names, key, strict=False))
            rows.append({**named, "n_docs": n})
            rows += [{**named, "n_docs": 0, "example": one.text} for one in self.examples(key)]
        if rows:
            yield pa.RecordBatch.from_pylist(rows, FINDINGS)
