"""What is found in documents before anything is learned."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from nbspark import Categorical, Text
from nbspark.insight.quality import Observed, findings, merge_findings
from nbspark.insight.verdicts import verdicts
from nbspark.schemas import GIVEAWAYS
from nbspark.spec import Spec
from tests.builders import documents

SPEC = Spec("y", (Text("t"), Categorical("c")))
LABELS = ["spam", "ham", None, "spam", "ham", "spam", "ham", "spam "]
TEXTS = ["win cash", "win cash", None, " ", "caf\ufffd", "win cash", "cafÃ© noir", "Привет, мир"]
CATEGORIES = ["a", "a", None, "b", "b", "a", None, "b"]


def observed(*parts) -> Observed:
    """Return what is found in parts of documents, each by itself and then merged."""
    rows = [row for part in parts for row in findings([part], SPEC)]
    found = Observed()
    for row in merge_findings(rows):
        found.add(row)
    return found


def test_what_is_wrong_with_documents_is_counted_and_shown():
    found = observed(documents(LABELS, TEXTS, CATEGORIES))
    assert found.labels == {"ham": 3, "spam": 3, "spam ": 1}
    assert found.of("documents")[None, None] == 1
    assert found.of("null") == {("t", None): 1, ("c", None): 2}
    assert found.of("empty") == {("t", None): 1}
    assert found.of("undecodable") == {("t", None): 1}
    assert [one.text for one in found.examples(("mojibake", "t", None))] == ["cafÃ© noir"]
    assert found.of("script") == {("t", "Latin"): 5, ("t", "Cyrillic"): 1}
    # "win cash", "a" is there three times: with two labels. What is empty is no repetition.
    assert found.of("conflicting") == {(None, None): 3}
    assert found.of("repeated") == {(None, None): 0}
    [example] = found.examples(("conflicting", None, None))
    assert (example.text, example.n_docs, example.labels) == ("win cash", 3, "'spam' 2, 'ham' 1")


def test_any_parts_give_the_same():
    whole = observed(documents(LABELS, TEXTS, CATEGORIES))
    parts = observed(*(documents(LABELS[i:j], TEXTS[i:j], CATEGORIES[i:j]) for i, j in ((0, 3), (3, 3), (3, 8))))
    assert parts.n_docs == whole.n_docs
    key = ("conflicting", None, None)
    assert parts.examples(key) == whole.examples(key)


def test_repetitions_with_one_label_count_beyond_the_first():
    found = observed(documents(["x"] * 5, ["a", "b", "a", "a", "b"], ["c"] * 5))
    assert found.of("repeated") == {(None, None): 3}
    assert [(one.text, one.n_docs) for one in found.examples(("repeated", None, None))] == [("a", 3), ("b", 2)]


def test_verdicts_say_what_is_serious():
    found = {one.name: one for one in verdicts(observed(documents(LABELS, TEXTS, CATEGORIES)), GIVEAWAYS.empty_table())}
    assert found["look_alikes"].is_serious
    assert found["look_alikes"].examples == ["'spam' 3, 'spam ' 1"]
    assert (found["conflicting"].n_docs, found["conflicting"].share) == (3, 3 / 8)
    assert found["conflicting"].is_serious
    assert found["rare_classes"].n_docs == 7
    assert not found["rare_classes"].is_serious
    assert "giveaways" not in found
    clean = verdicts(
        observed(documents(["x", "y"] * 30, [f"w{i}" for i in range(60)], ["c"] * 60)), GIVEAWAYS.empty_table()
    )
    assert [one.name for one in clean] == ["scripts"]


def test_a_document_a_hundred_times_as_long_as_most_is_named():
    texts = [*(f"some words {i}" for i in range(99)), "long " * 20_000]
    found = {
        one.name: one
        for one in verdicts(observed(documents(["x", "y"] * 50, texts, ["c"] * 100)), GIVEAWAYS.empty_table())
    }
    assert found["long"].n_docs == 1
    assert found["long"].examples[0].startswith("'long long")


def test_a_term_of_nearly_all_documents_of_a_class_is_serious():
    row = {"feature": "t", "term": "re:", "label": "ham", "n_docs": 30.0, "all_docs": 30.0, "class_docs": 31.0}
    given = pa.Table.from_pylist([row], GIVEAWAYS)
    found = observed(documents(["x", "y"] * 30, [f"w{i}" for i in range(60)], ["c"] * 60))
    [one] = [one for one in verdicts(found, given) if one.name == "giveaways"]
    assert one.is_serious
    assert one.examples == ["'re:' in t: 30 of 31 documents of 'ham', 0 of others"]


@pytest.mark.parametrize("n", [1, 7])
def test_lengths_are_in_bits(n):
    found = observed(documents(["x"], ["a" * n], ["c"]))
    assert found.of("length") == {("t", str(int(np.ceil(np.log2(n + 1))))): 1}
