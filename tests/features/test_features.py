"""Several kinds of features in one model: their scores add, in every plan."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from nbspark import Categorical, NaiveBayes, Numeric, Terms, Text, local
from nbspark.errors import DocumentsError, SpecError
from tests.builders import spec_of, trained


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
