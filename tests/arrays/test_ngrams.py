"""N-grams as integers give what strings of them give."""

from __future__ import annotations

from collections import Counter as Bag

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbspark.arrays.ngram_index import NgramIndex, places_of_ngrams
from nbspark.arrays.ngrams import NgramTable, distinct_ngrams, join_tables, sort_ngrams
from nbspark.arrays.term_codes import KeyIndex, PackedTerms, encode
from nbspark.text.ngrams import word_ngrams
from nbspark.text.token_lists import TokenLists

DOCUMENTS = st.lists(st.lists(st.sampled_from(["a", "b", "aa", "congratulations", "é", "字"]), max_size=7), max_size=5)
SIZES = st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3), (2, 4), (3, 3)])


def packed(documents: list[list[str]]) -> tuple[list[PackedTerms], np.ndarray]:
    """Return the tokens of documents, and how many each has."""
    tokens = TokenLists.from_lists(documents)
    return [PackedTerms.of(tokens.values)], np.diff(tokens.offsets)


def strings(documents: list[list[str]], sizes: tuple[int, int]) -> list[list[str]]:
    """Return the n-grams of documents, made as strings."""
    return word_ngrams(TokenLists.from_lists(documents), sizes).to_pylist()


@given(DOCUMENTS, SIZES)
@settings(max_examples=100, deadline=None)
def test_sorted_ngrams_are_the_ngrams_and_equal_ones_stay_in_order(documents, sizes):
    parts, lengths = packed(documents)
    codes, tokens = encode(parts)
    docs = np.repeat(np.arange(len(lengths)), lengths)
    pairs, found, n_terms = [], [], 0
    for size, ngrams in enumerate(sort_ngrams(codes, docs, len(tokens), sizes[1]), 1):
        if size > 1:
            pairs.append((ngrams.first, ngrams.rest))
        numbers = np.cumsum(ngrams.is_new) - 1 + n_terms
        n_terms += len(ngrams.first)
        assert (np.diff(ngrams.places)[~ngrams.is_new[1:]] > 0).all()
        if size >= sizes[0]:
            texts = NgramTable(tokens, tuple(pairs)).strings(numbers).to_pylist()
            found += zip(docs[ngrams.places].tolist(), texts, strict=True)
    expected = [(doc, text) for doc, texts in enumerate(strings(documents, sizes)) for text in texts]
    assert Bag(found) == Bag(expected)


@given(DOCUMENTS, SIZES)
@settings(max_examples=100, deadline=None)
def test_distinct_ngrams_are_each_there_once(documents, sizes):
    found = distinct_ngrams(*packed(documents), sizes).to_pylist()
    assert sorted(found) == sorted({text for texts in strings(documents, sizes) for text in texts})


@given(DOCUMENTS, DOCUMENTS, SIZES)
@settings(max_examples=100, deadline=None)
def test_ngrams_are_found_where_the_vocabulary_has_them_in_the_order_of_strings(vocabulary, documents, sizes):
    known = sorted({text for texts in strings(vocabulary, sizes) for text in texts})[::2]  # as limits leave gaps
    parts, lengths = packed(documents)
    places, offsets = places_of_ngrams(NgramIndex(pa.array(known, pa.string()), sizes[1]), parts, lengths, sizes)
    expected = strings(documents, sizes)
    assert places.tolist() == [known.index(text) if text in known else -1 for texts in expected for text in texts]
    assert np.diff(offsets).tolist() == [len(texts) for texts in expected]


@pytest.mark.parametrize("terms", [[], [""], [" "], ["a  b", " a", "a ", "a", "a b c d"]])
def test_terms_that_no_document_can_hold_are_never_found(terms):
    index = NgramIndex(pa.array(terms, pa.string()), 2)
    places, _ = places_of_ngrams(index, *packed([["a", "b"], ["b", "a"]]), (1, 2))
    assert [terms[place] for place in places.tolist() if place >= 0] == [term for term in terms if term == "a"] * 2


def test_joined_tables_hold_each_ngram_once_whatever_its_codes_were():
    one = NgramTable(pa.array(["a", "b"]), ((np.array([0]), np.array([1])),))
    two = NgramTable(pa.array(["b", "a", "c"]), ((np.array([1, 0]), np.array([0, 2])), (np.array([1]), np.array([4]))))
    codes, joined = join_tables([one, two])
    assert joined.strings(codes[0]).to_pylist() == ["a", "b", "a b"]
    assert joined.strings(codes[1]).to_pylist() == ["b", "a", "c", "a b", "b c", "a b c"]
    assert len(joined) == 6


@given(st.sets(st.integers(0, 2**64 - 1), max_size=60), st.lists(st.integers(0, 2**64 - 1), max_size=20))
@settings(max_examples=100, deadline=None)
def test_keys_are_found_where_they_are(keys, others):
    known = sorted(keys)
    asked = known + others
    found = KeyIndex(np.array(known, np.uint64)).find(np.array(asked, np.uint64))
    assert found.tolist() == [known.index(key) if key in keys else -1 for key in asked]


def test_keys_that_all_want_one_slot_are_found():
    inverse = pow(0x9E3779B97F4A7C15, -1, 2**64)  # keys * golden ratio = 2**64 - 1, 2**64 - 2, ...: the last slot
    keys = np.array([(2**64 - i) * inverse % 2**64 for i in range(1, 30)], np.uint64)
    assert KeyIndex(keys).find(keys).tolist() == list(range(29))
