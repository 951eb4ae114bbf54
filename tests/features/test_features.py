"""What each kind of feature makes of its column: values, missing values, bad values; and several kinds in one model."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbspark import Categorical, NaiveBayes, Numeric, Terms, Text, local
from nbspark.errors import DocumentsError, SpecError
from nbspark.spec import Spec
from tests.builders import count_rows, count_table, documents, trained

LISTS = pa.list_(pa.string())
MAPS = pa.map_(pa.string(), pa.float64())


def spec_of(*features: object, **options: object) -> Spec:
    return Spec("y", features, **options)


# Numbers


@pytest.mark.parametrize("missing", [None, math.nan])
def test_a_missing_number_is_skipped_in_training_and_in_scoring(missing):
    spec = spec_of(Numeric("x"))
    with_gaps = trained(spec, ["a", "a", "a", "b", "b"], [1.0, missing, 3.0, 5.0, 9.0])
    without = trained(spec, ["a", "a", "b", "b"], [1.0, 3.0, 5.0, 9.0])
    query = [pa.array([2.0, missing])]
    scores = with_gaps.joint_log_likelihood(query)
    # The priors differ, 3/5 and 2/5 against 1/2 each; the densities do not.
    assert scores[0] - np.log([3 / 5, 2 / 5]) == pytest.approx(
        without.joint_log_likelihood(query)[0] - np.log([1 / 2, 1 / 2])
    )
    assert scores[1] == pytest.approx(np.log([3 / 5, 2 / 5]))


@pytest.mark.parametrize("value", [math.inf, -math.inf, 1e200])
def test_a_number_that_is_not_finite_or_too_large_is_named_with_its_column(value):
    told = rf"column 'length' holds the number {value!r}".replace("+", r"\+")
    with pytest.raises(DocumentsError, match=told):
        trained(spec_of(Numeric("length")), ["a", "b"], [1.0, value])
    scorer = trained(spec_of(Numeric("length")), ["a", "b"], [1.0, 2.0])
    with pytest.raises(DocumentsError, match=told):
        scorer.predict([pa.array([value])])


@pytest.mark.parametrize(
    "values",
    [
        pa.array([1, 2, 4], pa.int8()),
        pa.array([1, 2, 4], pa.int64()),
        pa.array([1, 2, 4], pa.float32()),
        pa.array([Decimal("1.00"), Decimal("2.00"), Decimal("4.00")]),
    ],
)
def test_numbers_of_any_type_are_the_same_numbers(values):
    spec = spec_of(Numeric("x"))
    as_doubles = pa.array([1.0, 2.0, 4.0])
    found = trained(spec, ["a", "a", "b"], values).joint_log_likelihood([values])
    assert found.tolist() == trained(spec, ["a", "a", "b"], as_doubles).joint_log_likelihood([as_doubles]).tolist()


def test_whole_numbers_beyond_the_digits_of_a_double_are_rounded_not_refused():
    large = pa.array([2**60 + 1, 2**61 + 1])
    assert trained(spec_of(Numeric("id")), ["a", "b"], large).predict([large])[0].to_pylist() == ["a", "b"]


def test_a_class_without_a_number_takes_those_of_all():
    scorer = trained(spec_of(Numeric("x"), prior="none"), ["a", "b", "b"], [None, 2.0, 4.0])
    found = scorer.joint_log_likelihood([pa.array([3.0, 7.0])])
    assert found[:, 0] == pytest.approx(found[:, 1])


def test_numbers_that_never_vary_leave_the_decision_to_the_other_features():
    spec = spec_of(Numeric("x"), Text("t"))
    scorer = trained(spec, ["a", "b"], [1.0, 1.0], ["win", "lunch"], probabilities=True)
    prediction, probability, *_ = scorer.predict([pa.array([1.0, 7.5]), pa.array(["lunch", "lunch"])])
    assert prediction.to_pylist() == ["b", "b"]
    assert probability.to_pylist() == pytest.approx([2 / 3] * 2)  # (1 + 1) / (1 + 2) against (0 + 1) / (1 + 2)


# Categories


@pytest.mark.parametrize(
    "values",
    [
        ["x", "y", "y"],
        [1, 2, 2],
        [1.5, 2.0, 2.0],
        [True, False, False],
        [Decimal("1.10"), Decimal("2.00"), Decimal("2.00")],
        [datetime.date(2026, 1, 1), datetime.date(2026, 1, 2), datetime.date(2026, 1, 2)],
    ],
)
def test_a_category_may_be_of_any_scalar_type(values):
    scorer = trained(spec_of(Categorical("c"), prior="none"), ["a", "a", "b"], values)
    found = np.exp(scorer.joint_log_likelihood([pa.array(values[:2])]))
    # Of 2 values: a has each once in 2 rows, b has the second once in 1 row.
    expected = [[(1 + 1) / (2 + 2), (0 + 1) / (1 + 2)], [(1 + 1) / (2 + 2), (1 + 1) / (1 + 2)]]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_category_is_its_text_whatever_the_type_of_the_column():
    scorer = trained(spec_of(Categorical("c")), ["a", "b"], pa.array([1, 2], pa.int32()))
    for same in (pa.array([1.0, 2.0]), pa.array(["1", "2"]), pa.array([Decimal("1.00"), Decimal("2.00")])):
        assert scorer.predict([same])[0].to_pylist() == ["a", "b"]


@pytest.mark.parametrize("values", [["x", None, "y", "y"], [1.0, math.nan, 2.0, 2.0]])
def test_a_missing_category_is_skipped_in_training_and_in_scoring(values):
    scorer = trained(spec_of(Categorical("c")), ["a", "a", "b", "b"], values)
    prediction, _, n_terms, n_known = scorer.predict([pa.array(values)])
    assert prediction.to_pylist() == ["a", "a", "b", "b"]
    assert (n_terms.to_pylist(), n_known.to_pylist()) == ([1, 0, 1, 1], [1, 0, 1, 1])
    # a: 1 of the 1 row that has the column, of 2 values.
    x = scorer.joint_log_likelihood([pa.array(values[:1])])[0]
    assert np.exp(x) == pytest.approx([2 / 4 * (1 + 1) / (1 + 2), 2 / 4 * (0 + 1) / (2 + 2)])


def test_an_unseen_category_is_skipped_and_counted_as_unknown():
    scorer = trained(spec_of(Categorical("c"), Categorical("d")), ["a", "b"], ["x", "y"], [1, 2])
    prediction, _, n_terms, n_known = scorer.predict([pa.array(["x", "zzz", "zzz"]), pa.array([9, 2, 9])])
    assert prediction.to_pylist() == ["a", "b", "a"]
    assert (n_terms.to_pylist(), n_known.to_pylist()) == ([2, 2, 2], [1, 1, 0])


def test_a_category_of_arrays_is_an_error_that_names_the_column():
    arrays = pa.array([["x"], ["y"]], LISTS)
    with pytest.raises(DocumentsError, match=r"column 'tags': a label or category must be a scalar, found list<"):
        trained(spec_of(Categorical("tags")), ["a", "b"], arrays)


# Terms


def test_lists_maps_and_texts_of_the_same_terms_are_the_same_model():
    query = {
        "text": pa.array(["win win zzz", None]),
        "list": pa.array([["win", "win", "zzz"], None], LISTS),
        "map": pa.array([[("win", 2.0), ("zzz", 1.0)], None], MAPS),
    }
    training = {
        "text": ["win cash win", "lunch", ""],
        "list": pa.array([["win", "cash", "win"], ["lunch"], []], LISTS),
        "map": pa.array([[("win", 2.0), ("cash", 1.0)], [("lunch", 1.0)], []], MAPS),
    }
    for event in ("multinomial", "binary", "bernoulli", "complement"):
        features = {kind: (Text if kind == "text" else Terms)("t", event=event) for kind in query}
        found = [
            trained(spec_of(features[kind]), ["a", "b", "b"], training[kind]).joint_log_likelihood([query[kind]])
            for kind in query
        ]
        assert found[0].tolist() == found[1].tolist() == found[2].tolist()


def test_null_elements_of_a_list_are_no_terms():
    scorer = trained(spec_of(Terms("t")), ["a", "b"], pa.array([["x", None], [None]], LISTS))
    assert scorer.predict([pa.array([[None, "x", None], [None]], LISTS)])[2].to_pylist() == [1, 0]


def test_a_term_with_count_0_does_not_occur():
    maps = pa.array([[("x", 1.0), ("y", 0.0)], [("x", 1.0), ("z", 0.0)]], MAPS)
    table = count_table(spec_of(Terms("t")), ["a", "b"], maps)
    assert table.features["t"].terms.to_pylist() == ["x"]


@pytest.mark.parametrize(("count", "shown"), [(-1.0, "-1.0"), (math.nan, "nan"), (math.inf, "inf"), (None, "None")])
def test_a_count_that_is_none_is_named_with_its_column(count, shown):
    bad = pa.array([[("x", 1.0)], [("y", count)]], MAPS)
    told = rf"column 'tfidf' holds the count {shown} .*finite number >= 0"
    with pytest.raises(DocumentsError, match=told):
        trained(spec_of(Terms("tfidf")), ["a", "b"], bad)
    scorer = trained(spec_of(Terms("tfidf")), ["a", "b"], pa.array([[("x", 1.0)], [("y", 1.0)]], MAPS))
    with pytest.raises(DocumentsError, match=told):
        scorer.predict([bad])


@pytest.mark.parametrize("values", [["x", "y"], [1, 2], [{"x": 1}, {"y": 2}]])
def test_a_column_that_holds_no_terms_is_named(values):
    with pytest.raises(DocumentsError, match=r"column 'tags' holds .*; a terms feature wants lists of terms, maps"):
        trained(spec_of(Terms("tags")), ["a", "b"], values)


def test_slices_of_nested_columns_are_read_from_where_they_start():
    lists = pa.array([["q"], ["x", "y"], None, ["z"]], LISTS)
    maps = pa.array([[("q", 9.0)], [("x", 1.0), ("y", 1.0)], None, [("z", 1.0)]], MAPS)
    for values in (lists, maps):
        table = count_table(spec_of(Terms("t")), ["a", "b", "c"], values[1:])
        assert table.features["t"].terms.to_pylist() == ["x", "y", "z"]


# Weights

VALUES = st.tuples(
    st.sampled_from("abc"), st.text("xy ", max_size=4), st.sampled_from(["p", "q", None]), st.integers(-9, 9)
)
ROWS = st.lists(st.tuples(VALUES, st.integers(0, 3)), min_size=1, max_size=8)


def counts_of(spec: Spec, rows: list[tuple], weights: list[float] | None) -> list[dict]:
    labels, texts, categories, numbers = zip(*rows, strict=True)
    maps = pa.array([[(text, 0.5)] if text else [] for text in texts], MAPS)
    columns = [pa.array(texts), pa.array(categories, pa.string()), pa.array(numbers, pa.float64()), maps]
    found = count_rows(spec, [documents(labels, *columns, weights=weights)]).to_pylist()
    key = ("label", "feature", "term")
    return sorted((row for row in found if row["label"]), key=lambda row: [str(row[name]) for name in key])


@given(ROWS)
@settings(max_examples=60, deadline=None)
def test_weight_2_is_the_row_twice_and_weight_0_is_no_row(rows):
    repeated = [values for values, weight in rows for _ in range(weight)]
    if not repeated:
        return
    features = (Text("t"), Categorical("c"), Numeric("x"), Terms("m"))
    weighted = counts_of(spec_of(*features, weight="w"), [values for values, _ in rows], [float(w) for _, w in rows])
    assert weighted == counts_of(spec_of(*features), repeated, None)


@pytest.mark.parametrize(("weight", "shown"), [(-0.5, "-0.5"), (math.nan, "nan"), (math.inf, "inf"), (None, "None")])
def test_a_weight_that_is_none_is_shown_with_its_column(weight, shown):
    told = rf"the weight column 'w' holds the weight {shown} \(1 such in this batch\); a weight is a finite number >= 0"
    with pytest.raises(DocumentsError, match=told):
        trained(spec_of(Text("t"), weight="w"), ["a", "b"], ["x", "y"], weights=[1.0, weight])


def test_the_weight_of_a_row_without_label_does_not_matter():
    weighted = trained(spec_of(Text("t"), weight="w"), ["a", None], ["x", "y"], weights=[1.0, -1.0])
    assert weighted.labels == ["a"]


# Several features


def test_a_feature_named_twice_is_an_error():
    with pytest.raises(SpecError, match=r"feature \['x'\] is named twice"):
        spec_of(Categorical("x"), Numeric("x"))
    assert [one.name for one in spec_of(Categorical("x"), Numeric("x", name="as number")).features] == [
        "x",
        "as number",
    ]


FEATURES = [Text("body", ngrams=(1, 2)), Categorical("dkim"), Numeric("length"), Terms("tags", event="bernoulli")]
MAILS = [
    (1, "spam", "win cash now", False, 12.5, ["promo", None]),
    (2, "spam", "cash prize cash", False, 80.0, ["promo", "new"]),
    (3, "spam", None, True, 70.0, []),
    (4, "ham", "lunch at noon", True, 33.0, ["work"]),
    (5, "ham", "cash for lunch", None, 41.0, None),
    (6, "ham", "noon", True, None, ["work", "new"]),
    (7, None, "win", True, 1.0, ["work"]),
]
MAIL_SCHEMA = "id int, topic string, body string, dkim boolean, length double, tags array<string>"


@pytest.fixture(scope="module")
def mails(spark):
    return spark.createDataFrame(MAILS, MAIL_SCHEMA).repartition(3)


def test_scores_of_the_features_add(mails):
    _, labels, *columns = zip(*(row for row in MAILS if row[1]), strict=True)
    arrays = [pa.array(column) for column in columns]
    together = trained(spec_of(*FEATURES), labels, *arrays).joint_log_likelihood(arrays)
    prior = np.log([3 / 6, 3 / 6])
    alone = [
        trained(spec_of(one), labels, array).joint_log_likelihood([array]) - prior
        for one, array in zip(FEATURES, arrays, strict=True)
    ]
    np.testing.assert_allclose(together, prior + np.sum(alone, axis=0), rtol=1e-12)


def test_a_mixed_model_gives_the_same_in_both_plans_and_without_spark(mails, tmp_path):
    model = NaiveBayes("topic", FEATURES).learn(mails, str(tmp_path / "model"))
    assert {name: n for name, n in model.rows.items() if name.startswith("missing")} == {
        "missing.body": 0,
        "missing.dkim": 1,
        "missing.length": 1,
        "missing.tags": 0,
    }
    _, labels, *columns = zip(*(row for row in MAILS if row[1]), strict=True)
    kernel = trained(spec_of(*FEATURES), labels, *map(pa.array, columns), probabilities=True)
    _, _, *columns = zip(*MAILS, strict=True)
    expected = kernel.predict([pa.array(column) for column in columns])
    names = [field.name for field in kernel.fields()]
    found = {
        "local": local.load(str(tmp_path / "model"))
        .predict(dict(zip(["body", "dkim", "length", "tags"], columns, strict=True)), probabilities=True)
        .to_pylist()
    }
    for plan in ("broadcast", "join"):
        scored = model.transform(mails, plan=plan, probabilities=True).orderBy("id").select(names)
        found[plan] = [row.asDict() for row in scored.collect()]
    for rows in found.values():
        for i, row in enumerate(rows):
            for name, array in zip(names, expected, strict=True):
                value = dict(row[name]) if name == "probabilities" else row[name]
                wanted = dict(array[i].as_py()) if name == "probabilities" else array[i].as_py()
                assert value == (wanted if name in ("prediction", "n_terms", "n_known") else pytest.approx(wanted))


def test_columns_that_do_not_fit_their_features_are_all_named(mails):
    features = [Numeric("body"), Categorical("tags"), Terms("length"), Text("dkim")]
    with pytest.raises(DocumentsError) as told:
        NaiveBayes("topic", features).fit(mails)
    assert "column 'body' is string; a numeric feature wants a number" in str(told.value)
    assert "column 'tags' is array<string>; a categorical feature wants one value a row" in str(told.value)
    assert "column 'length' is double; a terms feature wants an array of strings, a map" in str(told.value)
    assert "column 'dkim' is boolean; a text feature wants text" in str(told.value)
    with pytest.raises(DocumentsError, match="column 'body' is string; a weight is a number"):
        NaiveBayes("topic", FEATURES, weight="body").fit(mails)
