"""Predictions to a confusion table to metrics: hand arithmetic, scikit-learn's numbers, and the printed text."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from chispa import assert_df_equality
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from nbspark.errors import DocumentsError
from nbspark.evaluation import Evaluation, measure, render, tally
from nbspark.evaluation.frame import evaluate, tallies
from nbspark.evaluation.outcomes import as_tallies, count_confusion
from nbspark.evaluation.render import width
from nbspark.schemas import TALLIES
from tests.pages import ROOT, run_page

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = tuple[str | None, str | None, float | None]

# true label, prediction, log loss
ROWS: list[Row] = [
    ("spam", "spam", 0.25),
    ("spam", "spam", 0.5),
    ("spam", "ham", 1.5),
    ("ham", "ham", 0.125),
    (None, "ham", None),
    ("new", "ham", None),
]


def table_of(rows: list[Row]) -> pa.Table:
    """Return the tallies of rows in one batch."""
    columns = list(zip(*rows, strict=True)) if rows else [(), (), ()]
    kinds = {"label": pa.string(), "prediction": pa.string(), "log_loss": pa.float64()}
    arrays = [pa.array(values, kind) for values, kind in zip(columns, kinds.values(), strict=True)]
    return tally(pa.record_batch(arrays, list(kinds)))


def metrics_of(rows: list[Row], **options: Any) -> Evaluation:
    """Return the metrics of rows, without Spark."""
    return measure(table_of(rows), **options)


def test_tallies_have_one_row_per_measure_and_its_keys(spark: SparkSession) -> None:
    predictions = spark.createDataFrame(ROWS, "label string, prediction string, log_loss double")
    found = tallies(predictions, label="label").select("measure", "label", "prediction", "n_docs", "weight", "total")
    expected = spark.createDataFrame(
        [
            ("pair", "spam", "spam", 2, 2.0, 0.0),
            ("pair", "spam", "ham", 1, 1.0, 0.0),
            ("pair", "ham", "ham", 1, 1.0, 0.0),
            ("pair", None, "ham", 1, 1.0, 0.0),
            ("pair", "new", "ham", 1, 1.0, 0.0),
            ("log_loss", None, None, 4, 4.0, 0.25 + 0.5 + 1.5 + 0.125),
        ],
        found.schema,
    )
    assert_df_equality(found, expected, ignore_row_order=True)


def test_metrics_by_hand() -> None:
    found = metrics_of(ROWS, known_labels=["spam", "ham"])
    # 5 labelled documents: spam 3 (2 right), ham 1 (1 right), new 1 (0 right); ham was predicted 3 times.
    assert (found.n_docs, found.n_unlabelled, found.n_unpredicted) == (5, 1, 0)
    assert found.accuracy == (2 + 1 + 0) / 5
    ham, new, spam = found.classes
    assert (ham.label, ham.precision, ham.recall, ham.support, ham.n_predicted) == ("ham", 1 / 3, 1 / 1, 1, 3)
    assert (new.label, new.precision, new.recall, new.f1, new.support, new.n_predicted) == ("new", None, 0, 0, 1, 0)
    assert (spam.label, spam.precision, spam.recall, spam.support, spam.n_predicted) == ("spam", 2 / 2, 2 / 3, 3, 2)
    assert ham.f1 == pytest.approx(2 * (1 / 3) * 1 / (1 / 3 + 1), rel=1e-15)
    assert spam.f1 == pytest.approx(2 * 1 * (2 / 3) / (1 + 2 / 3), rel=1e-15)
    assert found.macro_precision == pytest.approx((1 / 3 + 0 + 1) / 3, rel=1e-15)
    assert found.macro_recall == pytest.approx((1 + 0 + 2 / 3) / 3, rel=1e-15)
    assert found.macro_f1 == pytest.approx((0.5 + 0 + 0.8) / 3, rel=1e-15)
    assert found.weighted_f1 == pytest.approx((0.5 * 1 + 0 * 1 + 0.8 * 3) / 5, rel=1e-15)
    assert found.log_loss == (0.25 + 0.5 + 1.5 + 0.125) / 4
    assert found.n_log_loss == 4
    assert (found.unseen_labels, found.n_known_labels) == ({"new": 1}, 2)


def test_spark_and_the_kernel_alone_agree(spark: SparkSession) -> None:
    predictions = spark.createDataFrame(ROWS, "label string, prediction string, log_loss double")
    assert evaluate(predictions, label="label", known_labels=["ham"]) == metrics_of(ROWS, known_labels=["ham"])


LABELS = st.sampled_from(["a", "b", "c", "d", "体育", ""])


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=60))
def test_metrics_are_scikit_learns(pairs: list[tuple[str, str]]) -> None:
    found = metrics_of([(label, prediction, None) for label, prediction in pairs], intervals=False)
    truth, predicted = zip(*pairs, strict=True)
    labels = sorted(set(truth) | set(predicted))
    precision, recall, f1, support = sk.precision_recall_fscore_support(truth, predicted, zero_division=0)
    macro = sk.precision_recall_fscore_support(truth, predicted, average="macro", zero_division=0)
    weighted = sk.precision_recall_fscore_support(truth, predicted, average="weighted", zero_division=0)
    assert [one.label for one in found.classes] == labels
    by_class = [(one.precision or 0, one.recall or 0, one.f1, one.support) for one in found.classes]
    np.testing.assert_allclose(by_class, np.array([precision, recall, f1, support]).T, rtol=1e-12)
    overall = (found.macro_precision, found.macro_recall, found.macro_f1, found.weighted_f1, found.accuracy)
    expected = (*macro[:3], weighted[2], sk.accuracy_score(truth, predicted))
    np.testing.assert_allclose(overall, expected, rtol=1e-12)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.lists(st.floats(0.01, 1), min_size=3, max_size=3)), min_size=1))
def test_log_loss_is_scikit_learns(docs: list[tuple[str, list[float]]]) -> None:
    truth = [label for label, _ in docs]
    probabilities = np.array([weights for _, weights in docs])
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    losses = [-math.log(row["abc".index(label)]) for label, row in zip(truth, probabilities, strict=True)]
    found = metrics_of([(label, "a", loss) for label, loss in zip(truth, losses, strict=True)], intervals=False)
    assert found.log_loss == pytest.approx(sk.log_loss(truth, probabilities, labels=list("abc")), rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("string", ["1", "2", "10", None]),
        ("int", [1, 2, 10, None]),
        ("bigint", [1, 2, 10, None]),
        ("double", [1.0, 2.0, 10.0, None]),
        ("double", [1.0, 2.0, 10.0, math.nan]),
        ("decimal(5,2)", [Decimal("1.00"), Decimal("2.00"), Decimal("10.00"), None]),
    ],
)
def test_labels_of_any_type_give_the_same_confusion(spark: SparkSession, kind: str, values: list[Any]) -> None:
    rows = list(zip(values, ["1", "10", "10", "1"], strict=True))
    found = evaluate(spark.createDataFrame(rows, f"truth {kind}, prediction string"), label="truth")
    assert [(pair.label, pair.prediction, pair.n_docs) for pair in found.pairs] == [
        ("1", "1", 1),
        ("10", "10", 1),
        ("2", "10", 1),
    ]
    assert found.n_unlabelled == 1


def test_boolean_labels_are_true_and_false(spark: SparkSession) -> None:
    predictions = spark.createDataFrame(
        [(True, "true"), (False, "true"), (None, "false")], "y boolean, prediction string"
    )
    found = evaluate(predictions, label="y")
    assert [(pair.label, pair.prediction) for pair in found.pairs] == [("false", "true"), ("true", "true")]


def test_predictions_read_back_as_numbers_are_text_again(spark: SparkSession) -> None:
    predictions = spark.createDataFrame([("1", 1.0), ("2", 1.0), (None, None)], "label string, class double")
    assert evaluate(predictions, label="label", prediction="class").accuracy == 1 / 2


def test_columns_may_have_any_name(spark: SparkSession) -> None:
    predictions = spark.createDataFrame([("a", "a"), ("b", "a"), (None, "a")], ["x", "y"]).toDF(
        "the `true`.label", "p.1 q"
    )
    assert evaluate(predictions, label="the `true`.label", prediction="p.1 q").accuracy == 1 / 2


def test_the_label_column_may_be_called_prediction(spark: SparkSession) -> None:
    predictions = spark.createDataFrame([("a", "a"), ("b", "a"), (None, "a")], "prediction string, label string")
    found = evaluate(predictions, label="prediction", prediction="label")
    assert [(pair.label, pair.prediction) for pair in found.pairs] == [("a", "a"), ("b", "a")]


def test_the_log_loss_of_a_certain_mistake_is_not_capped(spark: SparkSession) -> None:
    # "win" x 1000 against spam 2/3 of tokens, ham 0 + alpha: ln P(ham) = -1000 ln 3.
    predictions = spark.createDataFrame(
        [("ham", "spam", 1000 * math.log(3)), (None, "spam", None)], "label string, prediction string, log_loss double"
    )
    assert evaluate(predictions, label="label").log_loss == pytest.approx(1098.612289, abs=5e-7)


def test_an_infinite_log_loss_stays_and_json_can_hold_it() -> None:
    found = metrics_of([("a", None, math.inf), ("a", "a", 1.0)])
    assert found.log_loss == math.inf
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["log_loss"] == "Infinity"


def test_without_log_losses_there_is_no_mean(spark: SparkSession) -> None:
    predictions = spark.createDataFrame([("a", "a"), (None, "a")], "label string, prediction string")
    found = evaluate(predictions, label="label")
    assert (found.log_loss, found.n_log_loss) == (None, 0)
    assert metrics_of([("a", "a", None)]).log_loss is None


def test_a_null_prediction_is_wrong_and_no_class_of_its_own() -> None:
    found = metrics_of([("a", "a", None), ("a", None, None), ("b", None, None)])
    assert (found.accuracy, found.n_unpredicted) == (1 / 3, 2)
    assert [(one.label, one.recall, one.n_predicted) for one in found.classes] == [("a", 1 / 2, 1), ("b", 0, 0)]


def test_without_known_labels_those_never_predicted_are_reported() -> None:
    assert metrics_of(ROWS).unseen_labels == {"new": 1}
    # "ham" was predicted, but a model that does not know it cannot have been this one.
    assert metrics_of(ROWS, known_labels={"spam", "new"}).unseen_labels == {"ham": 1}


def test_partitions_change_no_bit(spark: SparkSession) -> None:
    rows = [(f"{i % 3}", f"{i % 7 % 3}", math.log1p(i) if i % 5 else None) for i in range(300)]
    predictions = spark.createDataFrame([*rows, (None, "1", None)], "label string, prediction string, log_loss double")
    found = [evaluate(predictions.repartition(n), label="label") for n in (1, 5)]
    found.append(evaluate(predictions.orderBy("log_loss").coalesce(2), label="label"))
    assert found[0] == found[1] == found[2] == metrics_of([*rows, (None, "1", None)])


def test_missing_columns_are_listed_with_what_was_found(spark: SparkSession) -> None:
    predictions = spark.createDataFrame([("a", 1.0)], "topic string, probability double")
    with pytest.raises(DocumentsError, match=r"no column 'label', 'prediction' .*\['topic', 'probability'\]"):
        tallies(predictions, label="label")


def test_labels_that_are_no_scalars_are_refused_before_any_job(spark: SparkSession) -> None:
    predictions = spark.createDataFrame([(["a"], {"a": 1.0})], "labels array<string>, probabilities map<string,double>")
    for label, prediction in (("labels", "labels"), ("probabilities", "labels")):
        with pytest.raises(DocumentsError, match=f"the label column '{label}' is .* one value a row"):
            tallies(predictions, label=label, prediction=prediction)


def test_no_labelled_document_is_an_error(spark: SparkSession) -> None:
    predictions = spark.createDataFrame([(None, "a"), (None, "b")], "label string, prediction string")
    with pytest.raises(DocumentsError, match="none of the 2 documents has a label"):
        evaluate(predictions, label="label")
    with pytest.raises(DocumentsError, match="none of the 0 documents has a label"):
        evaluate(predictions.limit(0), label="label")


def test_to_dict_is_json_and_complete() -> None:
    plain = json.loads(json.dumps(metrics_of(ROWS).to_dict()))
    assert plain["accuracy"] == 3 / 5
    shares = {"of_label": 1 / 1, "of_prediction": 1 / 3, "of_all": 1 / 5}
    assert plain["pairs"][0] == {"label": "ham", "prediction": "ham", "n_docs": 1, **shares}
    assert plain["classes"][1]["label"] == "new"


def test_rendered_text_is_this() -> None:
    rows: list[Row] = [*ROWS, ("体育", "spam", 0.125), ("体育", None, None)]
    log_loss = "log loss 0.5000 nats (over 5 documents)"  # (0.25 + 0.5 + 1.5 + 0.125 + 0.125) / 5
    metrics, rest = render(metrics_of(rows, known_labels=["spam", "ham", "体育"])).split("\n\n", maxsplit=1)
    assert metrics.splitlines()[:2] == [
        "metric                 value      95 % interval",
        "accuracy              0.4286   0.1582 to 0.7495",  # Wilson's of 3 in 7
    ]
    assert rest == "\n".join(
        [
            "label  precision  recall      F1  documents  predicted",
            "ham       0.3333  1.0000  0.5000          1          3",
            "new    undefined  0.0000  0.0000          1          0",
            "spam      0.6667  0.6667  0.6667          3          3",
            "体育   undefined  0.0000  0.0000          2          0",
            "",
            "confusion (rows: true label, columns: prediction)",
            "      ham  new  spam  体育  (none)",
            "ham     1    .     .     .       .",
            "new     1    .     .     .       .",
            "spam    1    .     2     .       .",
            "体育    .    .     1     .       1",
            "",
            f"7 documents: accuracy 0.4286, macro F1 0.2917, weighted F1 0.3571, {log_loss}",
            "1 document without a label: left out",
            "1 document without a prediction: counted as wrong; accuracy of the others 0.5000",
            "1 document with a label that the model does not know: new (1)",
        ]
    )


def test_the_confusion_table_is_printed_as_shares_when_asked() -> None:
    table = render(metrics_of(ROWS), normalize="label").split("\n\n")[2].splitlines()
    assert table[0] == "confusion (rows: true label, columns: prediction, % of the label's documents)"
    assert [line.split() for line in table[2:]] == [
        ["ham", "100.0%", ".", "."],
        ["new", "100.0%", ".", "."],
        ["spam", "33.3%", ".", "66.7%"],
    ]


def test_a_confusion_table_alone_gives_the_same_metrics() -> None:
    kinds = {"label": pa.string(), "prediction": pa.string(), "log_loss": pa.float64()}
    batch = pa.table([list(one) for one in zip(*ROWS, strict=True)], pa.schema(kinds)).combine_chunks().to_batches()[0]
    found = measure(as_tallies(pa.Table.from_batches([count_confusion(batch)]))).to_dict()
    expected = metrics_of(ROWS).to_dict()
    assert expected["intervals"].pop("log_loss")  # it takes squares, which the table has not
    assert found == expected


def test_the_page_on_metrics_runs_and_names_every_key() -> None:
    run_page("docs/metrics.md")
    page = (ROOT / "docs/metrics.md").read_text(encoding="utf-8")
    averaged = {f"{a}_{name}" for a in ("macro", "micro", "weighted") for name in ("precision", "recall", "f1")}
    assert {key for key in metrics_of(ROWS).to_dict() if f"`{key}`" not in page} == averaged


def test_columns_line_up_in_any_script() -> None:
    labels = ["体育", "e\u0301te\u0301", "عربى", "हिन्दी", "a\nb", "", "x" * 90]
    lines = render(metrics_of([(label, label, None) for label in labels])).split("\n\n")[1].splitlines()
    assert len({width(line) for line in lines}) == 1
    assert [line.split()[0] for line in lines[1:]] == [
        "''",
        "a\\nb",
        "e\u0301te\u0301",
        "x" * 35 + "…",
        "عربى",
        "हिन्दी",
        "体育",
    ]


def test_long_labels_are_numbered_in_the_table() -> None:
    labels = [f"{i} a label of some length" for i in range(8)]
    lines = render(metrics_of([(label, labels[0], None) for label in labels])).split("\n\n")[2].splitlines()
    assert lines[1].split() == ["1", "2", "3", "4", "5", "6", "7", "8"]
    assert lines[2].split() == ["1", *labels[0].split(), "1", *"......."]


def test_many_classes_stay_sparse_and_short() -> None:
    n = 5000
    pairs = [(f"c{i}", f"c{i if i % 2 else 0}", i + 1) for i in range(n)]
    rows = [
        {"measure": "pair", "label": label, "prediction": prediction, "n_docs": docs}
        | {"weight": docs, "weight_squares": docs}
        for label, prediction, docs in pairs
    ]
    found = measure(pa.Table.from_pylist(rows, TALLIES))
    # right: c0 and every odd i, i + 1 documents each
    assert found.accuracy == (1 + sum(range(2, n + 1, 2))) / sum(range(1, n + 1))
    lines = render(found, max_classes=5).splitlines()
    assert len(lines) < 40
    start = lines.index("most confused")
    assert lines[start : start + 3] == [
        "most confused",
        "true label  prediction  documents  of its label",
        "c4998       c0              4,999        100.0%",
    ]
    assert "... and 2,489 more pairs" in lines
    assert "... and 4,995 more labels" in lines


def test_everything_at_once_in_spark_is_what_the_kernel_says(spark: SparkSession) -> None:
    rng = np.random.default_rng(2)
    matrix = rng.dirichlet([0.4, 0.4, 0.4], 90)
    rows = [
        ("abc"[i % 3], "abc"[row.argmax()], float(row.max()), -math.log(row[i % 3]), row.tolist(), 1 + i % 4)
        for i, row in enumerate(matrix)
    ]
    names = ["label", "prediction", "probability", "log_loss", "probabilities", "weight"]
    schema = "label string, prediction string, probability double, log_loss double, probabilities array<double>, n int"
    predictions = spark.createDataFrame(rows, schema)
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    here = measure(
        tally(pa.record_batch({n: pa.array(v) for n, v in columns.items()}), classes="abc"), known_labels="abc"
    )
    asked = {"label": "label", "weight": "n", "known_labels": "abc"}
    assert evaluate(predictions.repartition(5), **asked) == evaluate(predictions, **asked) == here
    assert here.macro_roc_auc == pytest.approx(
        sk.roc_auc_score(np.eye(3)[np.arange(90) % 3], matrix, sample_weight=1 + np.arange(90) % 4), rel=1e-12
    )
