"""Terms as integers and back, whatever their bytes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbspark.arrays.term_codes import PackedTerms, TermIndex, encode

TERMS = st.lists(st.text(alphabet="ab\0é字𝄞", max_size=12))


@given(st.lists(TERMS, max_size=3))
@settings(max_examples=100, deadline=None)
def test_codes_point_to_the_terms_they_came_from(parts):
    codes, terms = encode([PackedTerms.of(pa.array(part, pa.string())) for part in parts])
    flat = [term for part in parts for term in part]
    assert terms.take(pa.array(codes)).to_pylist() == flat
    assert sorted(terms.to_pylist()) == sorted(set(flat))


@given(st.sets(st.text(alphabet="ab\0é字𝄞", max_size=12)), st.lists(TERMS, max_size=3))
@settings(max_examples=100, deadline=None)
def test_terms_are_found_where_the_vocabulary_has_them(vocabulary, parts):
    known = sorted(vocabulary)
    index = TermIndex(pa.array(known, pa.string()))
    found = index.find([PackedTerms.of(pa.array(part, pa.string())) for part in parts])
    assert found.tolist() == [known.index(term) if term in vocabulary else -1 for part in parts for term in part]


@pytest.mark.parametrize("term", ["", "a", "12345678", "123456789", "a\0", "\0", "éééé", "ééééé"])
def test_a_term_that_differs_by_a_trailing_nul_is_another_term(term):
    codes, terms = encode([PackedTerms.of(pa.array([term, term + "\0"]))])
    assert codes[0] != codes[1]
    assert sorted(terms.to_pylist()) == [term, term + "\0"]


def test_a_slice_of_an_array_and_a_large_array_are_packed_alike():
    texts = ["skipped", "cash", "congratulations", "win"]
    [codes, terms] = encode([PackedTerms.of(pa.array(texts)[1:]), PackedTerms.of(pa.array(texts, pa.large_string()))])
    assert terms.take(pa.array(codes)).to_pylist() == texts[1:] + texts
    assert codes.dtype == np.int32
