"""The counting kernel: hand counts, and the laws that sums obey."""

from __future__ import annotations

from collections import Counter as Bag

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from nbspark import Text
from nbspark.arrays.term_codes import PackedTerms
from nbspark.counting import pairs, parcels
from nbspark.counting.pairs import LabelledTerms, count_pairs, merge_pairs
from nbspark.spec import Spec
from tests.builders import count_rows

LABELS = st.sampled_from(["yes", "no", "maybe", None])
TEXTS = st.one_of(st.none(), st.text(alphabet="ab c", max_size=12))
DOCUMENTS = st.lists(st.tuples(LABELS, TEXTS), max_size=30)


SPEC = Spec("label", (Text("body"),))


def counts_of(*streams: list[list[tuple[str | None, str | None]]]) -> Bag:
    """Return {(label, feature, term, measure): sum} over streams of batches, zeros left out."""
    made = [
        [
            pa.record_batch(
                [pa.array([row[0] for row in rows], pa.string()), pa.array([row[1] for row in rows], pa.string())],
                names=["label", "feature_0"],
            )
            for rows in batches
        ]
        for batches in streams
    ]
    keys = Bag()
    for row in count_rows(SPEC, *made).to_pylist():
        for measure in ("n_tokens", "n_docs"):
            assert (row["label"], row["feature"], row["term"], measure) not in keys
            keys[row["label"], row["feature"], row["term"], measure] = row[measure]
    return Bag({key: n for key, n in keys.items() if n})


def test_tokens_and_documents_of_each_label_and_term_are_counted_with_their_totals():
    docs = [("yes", "win cash win"), ("yes", "cash"), ("no", None), (None, "win"), ("no", " !!! "), ("no", "a\ufffd")]
    assert counts_of([docs]) == Bag(
        {
            ("yes", "body", "win", "n_tokens"): 2,
            ("yes", "body", "win", "n_docs"): 1,
            ("yes", "body", "cash", "n_tokens"): 2,
            ("yes", "body", "cash", "n_docs"): 2,
            ("no", "body", "a", "n_tokens"): 1,
            ("no", "body", "a", "n_docs"): 1,
            ("yes", "body", None, "n_tokens"): 4,
            ("yes", "body", None, "n_docs"): 2,
            ("no", "body", None, "n_tokens"): 1,
            ("no", "body", None, "n_docs"): 3,
            ("yes", None, None, "n_docs"): 2,
            ("no", None, None, "n_docs"): 3,
            (None, "rows_read", None, "n_docs"): 6,
            (None, "unlabelled", None, "n_docs"): 1,
            (None, "without_terms", None, "n_docs"): 2,
            (None, "undecodable", None, "n_docs"): 1,
        }
    )


@given(DOCUMENTS, DOCUMENTS)
@settings(max_examples=50, deadline=None)
def test_counts_of_a_and_b_are_counts_of_a_plus_counts_of_b(a, b):
    assert counts_of([a + b]) == counts_of([a]) + counts_of([b])


@given(DOCUMENTS, st.integers(1, 7))
@settings(max_examples=50, deadline=None)
def test_counts_do_not_depend_on_batches(docs, size):
    batches = [docs[i : i + size] for i in range(0, len(docs), size)]
    assert counts_of(batches) == counts_of([docs])
    if docs:
        assert counts_of(*[[batch] for batch in batches]) == counts_of([docs])


def test_counts_do_not_depend_on_when_pairs_are_merged_or_emitted(monkeypatch):
    docs = [("yes", f"w{i} w{i + 1} w") for i in range(40)] + [("no", "w w1")]
    batches = [docs[i : i + 3] for i in range(0, len(docs), 3)]
    whole = counts_of([docs])
    monkeypatch.setattr("nbspark.arrays.batches.BATCH_ROWS", 3)
    monkeypatch.setattr(pairs, "WINDOW_TERMS", 7)
    monkeypatch.setattr(pairs, "MERGE_PAIRS", 10)
    monkeypatch.setattr(parcels, "PARCELS_AT_A_TIME", 4)
    assert counts_of(batches) == whole


def test_merged_pairs_are_one_per_label_and_term():
    terms = PackedTerms.of(pa.array(["a", "b", "a", "a"]))
    part = count_pairs([LabelledTerms(terms, _int64([3, 1]), _int64([0, 1]))])
    merged = merge_pairs([part, part])
    found = sorted(zip(merged.labels.tolist(), merged.terms.strings(merged.codes).to_pylist(), strict=True))
    assert found == [(0, "a"), (0, "b"), (1, "a")]
    assert merged.n_tokens.sum() == 2 * 4
    assert merged.n_docs.sum() == 2 * 3


def _int64(values):
    return pa.array(values, pa.int64()).to_numpy()
