"""The worked examples that the system was asked to reproduce, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np
import pyarrow as pa
import pytest

from nbspark import Categorical, Terms, Text
from nbspark.features.options import MAXIMUM_LIKELIHOOD
from nbspark.spec import Spec
from tests.builders import trained

CHINA = {
    "labels": ["yes", "yes", "yes", "no"],
    "texts": ["Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao", "Tokyo Japan Chinese"],
    "query": "Chinese Chinese Chinese Tokyo Japan",
}


# Mails by the count of "sale", the count of "drug" and the DKIM signature: value, ham, spam.
MAILS = {
    "sale": [(0, 81, 1), (1, 9, 5), (2, 0, 3), (4, 0, 1)],
    "drug": [(0, 90, 8), (4, 0, 1), (5, 0, 1)],
    "dkim": [(0, 3, 8), (1, 87, 2)],
}

# People by four features: value, male, female. Of the values that no figure needs, any split will do.
PEOPLE = {
    "age": [("young", 2, 3), ("middle-aged", 3, 2), ("old", 3, 2)],
    "hair": [("short", 6, 1), ("middle", 1, 3), ("long", 1, 3)],
    "heel": [("flat", 8, 2), ("high", 0, 5)],
    "clothes": [("coloured", 1, 2), ("dark", 4, 2), ("light", 3, 3)],
}


def joint(spec: Spec, labels: list[str], texts: list[str], query: str) -> dict[str, float]:
    """Return P(c) * P(query|c) for each class."""
    scorer = trained(spec, labels, texts)
    scores = scorer.joint_log_likelihood([pa.array([query])])[0]
    return dict(zip(scorer.labels, np.exp(scores), strict=True))


def joint_of_categories(
    table: dict[str, list[tuple]], classes: tuple[str, str], query: dict[str, object], **options: object
) -> dict[str, float]:
    """Return P(c) * P(query|c) of a model on the columns of the query; ``table`` has how often each value occurs."""
    spec = Spec("y", tuple(Categorical(name) for name in query), **options)
    sizes = [sum(row[1 + i] for row in next(iter(table.values()))) for i in range(2)]
    labels = [label for label, size in zip(classes, sizes, strict=True) for _ in range(size)]
    columns = [[row[0] for i in range(2) for row in table[name] for _ in range(row[1 + i])] for name in query]
    scorer = trained(spec, labels, *columns)
    scores = scorer.joint_log_likelihood([pa.array([value]) for value in query.values()])[0]
    return dict(zip(scorer.labels, np.exp(scores), strict=True))


def exactly(**expected: Fraction) -> object:
    """Return what is equal to these fractions but for the last digits of a double."""
    return pytest.approx({label: float(value) for label, value in expected.items()}, rel=1e-12)


def test_add_one_smoothing_of_slp_appendix_b():
    # Jurafsky and Martin, Speech and Language Processing, appendix B, worked example; "with" is unknown, dropped.
    found = joint(
        Spec("y", (Text("t"),)),
        ["neg", "neg", "neg", "pos", "pos"],
        [
            "just plain boring",
            "entirely predictable and lacks energy",
            "no surprises and very few laughs",
            "very powerful",
            "the most fun film of the summer",
        ],
        "predictable with no fun",
    )
    negative = Fraction(3, 5) * Fraction(2 * 2 * 1, (14 + 20) ** 3)
    positive = Fraction(2, 5) * Fraction(1 * 1 * 2, (9 + 20) ** 3)
    assert found["neg"] == pytest.approx(float(negative), rel=1e-12)
    assert found["pos"] == pytest.approx(float(positive), rel=1e-12)


def test_document_priors_of_the_ir_book_table_13_1():
    # Manning, Raghavan and Schuetze (2008), example 13.1: priors 3/4 and 1/4.
    found = joint(Spec("y", (Text("t"),)), CHINA["labels"], CHINA["texts"], CHINA["query"])
    yes = Fraction(3, 4) * Fraction(5 + 1, 8 + 6) ** 3 * Fraction(0 + 1, 8 + 6) ** 2
    no = Fraction(1, 4) * Fraction(1 + 1, 3 + 6) ** 3 * Fraction(1 + 1, 3 + 6) ** 2
    assert (yes, no) == (Fraction(81, 268912), Fraction(8, 59049))
    assert found["yes"] == pytest.approx(float(yes), rel=1e-12)
    assert found["no"] == pytest.approx(float(no), rel=1e-12)


def test_token_priors_of_the_same_documents():
    found = joint(Spec("y", (Text("t"),), prior="tokens"), CHINA["labels"], CHINA["texts"], CHINA["query"])
    yes = Fraction(8, 11) * Fraction(3, 7) ** 3 * Fraction(1, 14) ** 2
    no = Fraction(3, 11) * Fraction(2, 9) ** 5
    assert (yes, no) == (Fraction(54, 184877), Fraction(32, 216513))
    assert found["yes"] == pytest.approx(float(yes), rel=1e-12)
    assert found["no"] == pytest.approx(float(no), rel=1e-12)


def test_stop_words_are_dropped_as_if_they_had_never_been_there():
    texts = ["the film was dull", "the film was the best"]
    with_list = joint(Spec("y", (Text("t", stop_words=["the", "was"]),)), ["neg", "pos"], texts, "the best film")
    as_if = joint(Spec("y", (Text("t"),)), ["neg", "pos"], ["film dull", "film best"], "best film")
    assert with_list == as_if
    assert with_list["pos"] == pytest.approx(float(Fraction(1, 2) * Fraction(2, 2 + 3) * Fraction(2, 2 + 3)))


def test_the_most_frequent_training_terms_can_be_stop_words():
    labels, texts = ["neg", "pos", "pos"], ["the film was the worst", "the film was fun", "a film"]
    # the 3, film 3, was 2, others 1: equal frequencies go by the term, so film is dropped before the.
    assert joint(Spec("y", (Text("t", drop_top=2),)), labels, texts, "the fun film was") == joint(
        Spec("y", (Text("t", stop_words=["film", "the"]),)), labels, texts, "the fun film was"
    )
    found = joint(Spec("y", (Text("t"),)), labels, texts, "the")  # none unless asked for; V = 6
    assert found == exactly(neg=Fraction(1, 3) * Fraction(2 + 1, 5 + 6), pos=Fraction(2, 3) * Fraction(1 + 1, 6 + 6))


def test_maximum_likelihood_of_three_categories_of_mail():
    found = joint_of_categories(MAILS, ("ham", "spam"), {"sale": 1, "drug": 0, "dkim": 0}, alpha=MAXIMUM_LIKELIHOOD)
    ham = Fraction(90, 100) * Fraction(9, 90) * Fraction(90, 90) * Fraction(3, 90)
    spam = Fraction(10, 100) * Fraction(5, 10) * Fraction(8, 10) * Fraction(8, 10)
    assert (ham, spam) == (Fraction(3, 1000), Fraction(4, 125))
    assert found == exactly(ham=ham, spam=spam)


def test_maximum_likelihood_gives_0_to_a_value_that_the_class_has_not_shown():
    found = joint_of_categories(MAILS, ("ham", "spam"), {"sale": 2}, alpha=MAXIMUM_LIKELIHOOD)
    assert found == exactly(ham=Fraction(0), spam=Fraction(10, 100) * Fraction(3, 10))


def test_laplace_of_three_categories_of_mail_divides_by_the_values_of_each():
    found = joint_of_categories(MAILS, ("ham", "spam"), {"sale": 1, "drug": 0, "dkim": 0})
    ham = Fraction(90, 100) * Fraction(9 + 1, 90 + 4) * Fraction(90 + 1, 90 + 3) * Fraction(3 + 1, 90 + 2)
    spam = Fraction(10, 100) * Fraction(5 + 1, 10 + 4) * Fraction(8 + 1, 10 + 3) * Fraction(8 + 1, 10 + 2)
    assert (round(float(ham), 10), round(float(spam), 10)) == (0.0040732894, 0.0222527473)
    assert found == exactly(ham=ham, spam=spam)


@pytest.mark.parametrize("name", list(MAILS))
def test_the_smoothed_probabilities_of_a_feature_sum_to_1(name):
    found = [joint_of_categories(MAILS, ("ham", "spam"), {name: row[0]}, prior="none") for row in MAILS[name]]
    assert [sum(one[label] for one in found) for label in ("ham", "spam")] == pytest.approx([1.0, 1.0], rel=1e-12)


# Counts of three terms in 15 documents; of class 0 the first column and the row totals are those of the document.
COUNT_ROWS = {
    "0": [(2, 6, 9), (1, 4, 6), (3, 10, 11), (0, 2, 3), (0, 7, 9)],
    "1": [(4, 0, 1), (5, 2, 0), (7, 1, 1), (3, 3, 0), (6, 0, 2), (2, 1, 0), (8, 2, 3)],
    "2": [(1, 9, 0), (0, 5, 1), (2, 7, 0)],
}
COUNT_LABELS = [label for label, rows in COUNT_ROWS.items() for _ in rows]


def as_maps(rows: list[tuple[float, ...]]) -> pa.Array:
    """Return rows of counts as maps from column to count."""
    return pa.array([[(f"x{i + 1}", n) for i, n in enumerate(row)] for row in rows], pa.map_(pa.string(), pa.float64()))


def log_joint_of_counts(query: tuple[float, ...], **options: object) -> dict[str, float]:
    """Return log P(c) + log P(query|c) of a model on the rows of counts."""
    scorer = trained(
        Spec("y", (Terms("x"),), **options),
        COUNT_LABELS,
        as_maps([row for rows in COUNT_ROWS.values() for row in rows]),
    )
    return dict(zip(scorer.labels, scorer.joint_log_likelihood([as_maps([query])])[0], strict=True))


def theta(label: str, i: int, alpha: tuple[Fraction, ...]) -> Fraction:
    """Return (N_ci + alpha_i) / (N_c + sum of alpha)."""
    rows = COUNT_ROWS[label]
    return Fraction(sum(row[i] for row in rows) + alpha[i]) / (sum(map(sum, rows)) + sum(alpha))


def test_log_priors_of_count_columns_are_shares_of_the_rows():
    found = log_joint_of_counts((0, 0, 0))
    assert found == pytest.approx({"0": log(5 / 15), "1": log(7 / 15), "2": log(3 / 15)}, rel=1e-12)
    assert [round(value, 4) for value in found.values()] == [-1.0986, -0.7621, -1.6094]


def test_a_count_column_is_smoothed_against_the_total_of_all_columns():
    assert [sum(row) for row in COUNT_ROWS["0"]] == [17, 11, 24, 5, 16]
    expected = Fraction(2 + 1 + 3 + 0 + 0 + 1, 17 + 11 + 24 + 5 + 16 + 3)
    assert (expected, round(log(expected), 4)) == (Fraction(7, 76), -2.3848)
    assert log_joint_of_counts((1, 0, 0), prior="none")["0"] == pytest.approx(log(expected), rel=1e-12)


@pytest.mark.parametrize("query", [(17, 25, 39), (0.5, 0.25, 1.75)])
def test_frequencies_weigh_the_log_probabilities_whole_or_fractional(query):
    one = (Fraction(1),) * 3
    expected = {
        label: log(Fraction(len(rows), 15)) + sum(n * log(theta(label, i, one)) for i, n in enumerate(query))
        for label, rows in COUNT_ROWS.items()
    }
    assert log_joint_of_counts(query) == pytest.approx(expected, rel=1e-12)


def test_each_column_may_have_a_pseudo_count_of_its_own():
    alpha = (Fraction(1, 2), Fraction(2), Fraction(1, 4))
    given = {f"x{i + 1}": float(value) for i, value in enumerate(alpha)}
    for i, query in enumerate([(1, 0, 0), (0, 1, 0), (0, 0, 1)]):
        expected = {label: log(theta(label, i, alpha)) for label in COUNT_ROWS}
        assert log_joint_of_counts(query, prior="none", alpha=given) == pytest.approx(expected, rel=1e-12)


def test_bernoulli_of_the_same_documents_counts_documents_and_absent_terms():
    # Manning, Raghavan and Schuetze (2008), example 13.2: P(t|c) = (documents of c with t + 1) / (documents of c + 2).
    found = joint(Spec("y", (Text("t", event="bernoulli"),)), CHINA["labels"], CHINA["texts"], CHINA["query"])
    # Chinese, then Japan and Tokyo, then Beijing, Macao and Shanghai, which the query does not have.
    yes = Fraction(3, 4) * Fraction(3 + 1, 3 + 2) * Fraction(0 + 1, 3 + 2) ** 2 * (1 - Fraction(1 + 1, 3 + 2)) ** 3
    no = Fraction(1, 4) * Fraction(1 + 1, 1 + 2) * Fraction(1 + 1, 1 + 2) ** 2 * (1 - Fraction(0 + 1, 1 + 2)) ** 3
    assert (yes, no) == (Fraction(81, 15625), Fraction(16, 729))
    assert found == exactly(yes=yes, no=no)


PERSON = {"age": "young", "hair": "middle", "heel": "flat", "clothes": "coloured"}


def test_maximum_likelihood_of_four_categories_of_people():
    found = joint_of_categories(PEOPLE, ("male", "female"), PERSON, alpha=MAXIMUM_LIKELIHOOD)
    male = Fraction(8, 15) * Fraction(2, 8) * Fraction(1, 8) * Fraction(8, 8) * Fraction(1, 8)
    female = Fraction(7, 15) * Fraction(3, 7) * Fraction(3, 7) * Fraction(2, 7) * Fraction(2, 7)
    assert (male, female) == (Fraction(1, 480), Fraction(12, 1715))
    assert found == exactly(male=male, female=female)


def test_laplace_smooths_the_class_priors_too_when_asked():
    male, female = Fraction(8 + 1, 15 + 2), Fraction(7 + 1, 15 + 2)
    assert (round(float(male), 4), round(float(female), 4)) == (0.5294, 0.4706)
    found = joint_of_categories(PEOPLE, ("male", "female"), PERSON, prior_smoothing=1.0)
    assert found == exactly(
        male=male * Fraction(2 + 1, 8 + 3) * Fraction(1 + 1, 8 + 3) * Fraction(8 + 1, 8 + 2) * Fraction(1 + 1, 8 + 3),
        female=female
        * Fraction(3 + 1, 7 + 3)
        * Fraction(3 + 1, 7 + 3)
        * Fraction(2 + 1, 7 + 2)
        * Fraction(2 + 1, 7 + 3),
    )


@pytest.mark.parametrize(
    ("hair", "male", "female"),
    [
        ("short", Fraction(6 + 1, 8 + 3), Fraction(1 + 1, 7 + 3)),
        ("middle", Fraction(1 + 1, 8 + 3), Fraction(3 + 1, 7 + 3)),
        ("long", Fraction(1 + 1, 8 + 3), Fraction(3 + 1, 7 + 3)),
    ],
)
def test_laplace_of_one_category_of_people(hair, male, female):
    found = joint_of_categories(PEOPLE, ("male", "female"), {"hair": hair}, prior="none")
    assert found == exactly(male=male, female=female)


def test_news_are_smoothed_with_the_words_of_their_class_so_that_the_vocabulary_sums_to_1():
    labels = ["sport", "sport", "finance", "politics"]
    texts = ["足球 比赛 足球", "比赛 进球", "股票 市场", "会议"]
    words = Text("t", tokens="whitespace")
    smoothed = Spec("y", (words,), prior_smoothing=1.0)
    # sport: (2 + 1) of (4 + 3) articles, and 2 of the 5 words of its class, not of the 8 of all; V = 6.
    found = joint(smoothed, labels, texts, "足球")
    assert found["sport"] == pytest.approx(float(Fraction(2 + 1, 4 + 3) * Fraction(2 + 1, 5 + 6)), rel=1e-12)
    vocabulary = {word for text in texts for word in text.split()}
    each = [joint(Spec("y", (words,), prior="none"), labels, texts, word) for word in sorted(vocabulary)]
    assert {label: sum(one[label] for one in each) for label in each[0]} == exactly(
        sport=Fraction(1), finance=Fraction(1), politics=Fraction(1)
    )
