"""Drift: what chance explains is no drift, and what has moved is named."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from nbspark import Text
from nbspark.cli import main
from nbspark.insight.divergence import diverge
from nbspark.insight.drift import drift
from nbspark.spec import Spec
from tests.builders import count_rows, count_table, documents, store_batch, store_model

SPEC = Spec("y", (Text("t"),))


def test_two_samples_of_one_distribution_are_beyond_the_limit_once_in_a_hundred():
    rng = np.random.default_rng(7)
    shares = 1 / np.arange(1, 301)
    shares /= shares.sum()  # Zipf: most words are rare
    beyond = 0
    for _ in range(300):
        first, second = (rng.multinomial(n, shares).astype(float) for n in (2000, 700))
        beyond += diverge(first, second, draws=150).is_beyond_chance
    assert 0 <= beyond <= 10  # of 300: 3 expected; more than 10 has a probability of 3 in 10,000


def test_where_counts_are_large_the_limit_is_that_of_chi_square():
    first, second = np.full(40, 500.0), np.full(40, 250.0)
    found = diverge(first, second, draws=2000)
    assert found.jsd == 0.0
    in_bits = 2 * (first.sum() + second.sum()) * np.log(2)
    assert found.limit == pytest.approx(chi2.ppf(0.99, 39) / in_bits, rel=0.05)
    assert found.expected == pytest.approx(39 / in_bits, rel=0.05)


def test_divergence_is_none_of_one_sample_and_all_of_two_without_a_common_value():
    assert diverge(np.zeros(2), np.array([1.0, 2.0])).jsd == 0.0
    assert diverge(np.array([8.0, 0.0]), np.array([0.0, 8.0])).jsd == pytest.approx(1.0)


def test_what_has_moved_is_named_and_what_has_not_is_not():
    before = ["win cash"] * 40 + ["lunch at noon"] * 40
    after = ["win crypto"] * 60 + ["lunch at noon"] * 20
    labels = ["spam"] * 40 + ["ham"] * 40, ["spam"] * 60 + ["ham"] * 20
    found = drift(SPEC, count_table(SPEC, labels[0], before), count_table(SPEC, labels[1], after))
    shares, ham, spam = found.divergences
    assert found.classes == {"ham": (0.5, 0.25), "spam": (0.5, 0.75)}
    assert found.unknown == {"t": (60 / 180, 0.0)}
    assert shares.excess > 0
    assert (ham.jsd, ham.excess) == (0.0, 0.0)
    assert [(one.term, one.docs_before, one.docs_after) for one in spam.new] == [("crypto", 0.0, 60.0)]
    assert [one.term for one in spam.gone] == ["cash"]
    assert spam.gone[0].bits < 0 < spam.new[0].bits
    assert found.excess == max(shares.excess, spam.excess)
    assert spam.jsd == pytest.approx(sum(abs(one.bits) for one in [*spam.moved, *spam.gone, *spam.new]))


def test_one_word_of_thousands_that_moved_is_named_where_their_sum_is_within_chance():
    rng = np.random.default_rng(5)
    first, second = (rng.binomial(30, 0.1, 3000).astype(float) for _ in range(2))
    found = diverge(first, second)
    assert not found.is_beyond_chance
    assert found.largest <= found.largest_limit
    first[0], second[0] = 30, 0
    found = diverge(first, second)
    assert not found.is_beyond_chance
    assert found.largest == np.abs(found.shares).max() == abs(found.shares[0])
    assert found.largest > found.largest_limit


def test_the_command_compares_documents_by_their_label_or_by_what_the_model_makes_of_them(spark, tmp_path, capsys):
    first = count_rows(SPEC, [documents(["spam", "ham"] * 30, ["win cash", "lunch"] * 30)])
    store_model(tmp_path / "m", SPEC, first, n_pairs=3)
    (tmp_path / "later.csv").write_text("y,t\n" + "spam,win crypto\nham,lunch\n" * 30, encoding="utf-8")
    argv = ["drift", "--model", str(tmp_path / "m"), "--documents", str(tmp_path / "later.csv")]
    assert main([*argv, "--label", "y", "--threshold", "0.01", "--term-threshold", "0.01"]) == 4
    out = capsys.readouterr().out
    assert "new: crypto 0 -> 30" in out
    assert "unknown terms of t: 33.3%" in out  # "crypto" is one token of three
    assert main([*argv, "--threshold", "1"]) == 0  # every document is predicted as it is labelled
    assert "new: crypto 0 -> 30" in capsys.readouterr().out


def test_the_command_compares_versions_and_ends_with_4_above_the_threshold(tmp_path, capsys):
    first = count_rows(SPEC, [documents(["spam", "ham"] * 30, ["win cash", "lunch"] * 30)])
    store = store_model(tmp_path / "m", SPEC, first, n_pairs=3)
    later = count_rows(SPEC, [documents(["spam", "ham"] * 30, ["win crypto", "lunch"] * 30)])
    store.publish([store_batch(store, "2", later, n_pairs=3)], note={}, parent=store.latest())
    argv = ["drift", "--model", str(tmp_path / "m"), "--from", "1", "--to", "2"]
    assert main([*argv, "--threshold", "0.01"]) == 4
    assert "new: crypto 0 -> 30" in capsys.readouterr().out
    assert main([*argv, "--threshold", "1"]) == 0
    assert main(argv) == 0
    assert main([*argv, "--documents", "x.csv"]) == 1
    assert "drift wants either" in capsys.readouterr().err
