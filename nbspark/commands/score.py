"""Score documents with a model and write the predictions."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F
from pyspark.sql import types as T

from nbspark.arrays.frame import column
from nbspark.commands.common import add_documents, counted, documents_of, each_of, print_facts, source_of, timed
from nbspark.documents import require_apart, require_new
from nbspark.features import Categorical, Numeric
from nbspark.features.values import as_text
from nbspark.files.patterns import literal
from nbspark.model import PLANS, load

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from pyspark.sql import Column, DataFrame, SparkSession

    from nbspark.model import Model

# Hardly any probability comes twice: a dictionary of them is built, found too large and thrown away.
WRITE_OPTIONS = {
    f"parquet.enable.dictionary#probabilities.{values}": "false" for values in ("key_value.value", "list.element")
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_documents(parser)
    parser.add_argument("--model", required=True, metavar="DIR", help="a model's folder")
    parser.add_argument("--output", required=True, metavar="PATH", help="a new folder for the predictions")
    parser.add_argument(
        "--output-format", default="parquet", choices=("parquet", "json", "orc"), help="parquet if not given"
    )
    parser.add_argument(
        "--top-k", type=int, default=0, metavar="N", help="add the N best labels with their probabilities"
    )
    parser.add_argument(
        "--probabilities",
        nargs="?",
        const="map",
        choices=("map", "array"),
        help="add every label's probability: a map by label (if not said), or an array in string order of the labels",
    )
    parser.add_argument(
        "--keep",
        action="append",
        metavar="COLUMN",
        help="a column of the documents to write beside the prediction; may be repeated; all if not given",
    )
    parser.add_argument("--label", metavar="COLUMN", help="the true label: adds log_loss for evaluation")
    parser.add_argument("--plan", default="auto", choices=PLANS, help="how the model reaches the documents")


def run(spark: SparkSession, args: argparse.Namespace) -> dict[str, Any]:
    """Score, write, print a summary and return the report."""
    require_new(args.output, what="output", spark=spark)
    inputs = {"documents": args.documents, "model": args.model}
    require_apart(outputs={"output": args.output}, inputs={what: path for what, path in inputs.items() if path})
    seconds: dict[str, float] = {}
    with timed(seconds, "load"):
        model = load(args.model, spark=spark)
    predictions = model.transform(
        documents_of(spark, args),
        plan=args.plan,
        probabilities="array" if args.probabilities == "array" else args.probabilities is not None,
        top_k=args.top_k,
        truth=args.label,
        keep=args.keep,
    )
    with timed(seconds, "score"):
        predictions.write.format(args.output_format).options(**WRITE_OPTIONS).save(args.output)
    # Counted on what was written: a figure from inside the run would count a repeated task twice.
    written = spark.read.format(args.output_format).schema(predictions.schema).load(literal(args.output))
    with timed(seconds, "count"):
        rows = count_rows(written, model)
    report = {"command": "score", "documents": source_of(args), "model": args.model, "output": args.output}
    report["plan"] = f"{model.choose_plan(args.plan)}: {model.size}"
    report |= rows | {"seconds": seconds}
    print_summary(report)
    return report


def count_rows(predictions: DataFrame, model: Model) -> dict[str, Any]:
    """Run the predictions: return what became of each row, and how many terms were known.

    What only a column that was not kept can tell is left out.
    """
    kept = [one for one in model.spec.features if one.column in predictions.columns]
    can_miss = {str(one.name): one.column for one in kept if isinstance(one, Categorical | Numeric)}
    texts = [one.column for one in kept if isinstance(predictions.schema[one.column].dataType, T.StringType)]
    undecodable = F.lit(False)
    for name in texts:
        undecodable |= F.coalesce(column(name).contains("\ufffd"), F.lit(False))
    found = predictions.agg(
        F.count(F.lit(1)).alias("scored"),
        F.count_if(F.col("prediction").isNull()).alias("impossible"),
        F.count_if(F.col("n_terms") == 0).alias("without_terms"),
        F.count_if((F.col("n_terms") > 0) & (F.col("n_known") == 0)).alias("all_unknown"),
        F.count_if(undecodable).alias("undecodable"),
        F.coalesce(F.sum("n_terms"), F.lit(0)).alias("n_terms"),
        F.coalesce(F.sum("n_known"), F.lit(0)).alias("n_known"),
        *(F.count_if(_is_missing(predictions, name)).alias(f"missing.{i}") for i, name in enumerate(can_miss.values())),
    ).collect()[0]
    per_label = predictions.groupBy("prediction").count().orderBy("prediction").collect()
    facts = found.asDict()
    terms = {name: facts.pop(name) for name in ("n_terms", "n_known")}
    if not texts:
        del facts["undecodable"]
    facts["missing"] = {name: facts.pop(f"missing.{i}") for i, name in enumerate(can_miss)}
    facts["unseen"] = count_unseen(predictions, model)
    predicted = {row["prediction"]: row["count"] for row in per_label if row["prediction"] is not None}
    return {"rows": {"read": facts["scored"], **facts}, "terms": terms, "predictions": predicted}


def _is_missing(documents: DataFrame, name: str) -> Column:
    """Return whether a column has no value: null, or NaN."""
    values = column(name)
    if isinstance(documents.schema[name].dataType, T.FloatType | T.DoubleType):
        return values.isNull() | F.isnan(values)
    return values.isNull()


def count_unseen(documents: DataFrame, model: Model) -> dict[str, int]:
    """Run the documents: return for each categorical feature in how many rows its category is none of training's."""
    categorical = [one for one in model.spec.features if isinstance(one, Categorical)]
    columns = {str(one.name): one.column for one in categorical if one.column in documents.columns}
    if not columns:
        return {}

    def count_categories(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for name, values in zip(columns, batch.columns, strict=True):
                found = pc.value_counts(as_text(values).drop_null())
                parts = [pa.repeat(name, len(found)), found.field("values"), found.field("counts")]
                yield pa.record_batch(parts, names=["feature", "term", "n_rows"])

    values = documents.select([column(name).alias(f"column_{i}") for i, name in enumerate(columns.values())])
    categories = values.mapInArrow(count_categories, "feature string, term string, n_rows long")
    seen = model.counts.where(F.col("label").isNotNull() & F.col("term").isNotNull()).select("feature", "term")
    unseen = categories.join(seen, on=["feature", "term"], how="left_anti")
    found = unseen.groupBy("feature").agg(F.sum("n_rows").alias("n")).collect()
    return dict.fromkeys(columns, 0) | {row["feature"]: row["n"] for row in found}


def print_summary(report: dict[str, Any]) -> None:
    """Print the report for a person."""
    rows, terms = report["rows"], report["terms"]
    share = f", of which {terms['n_known'] / terms['n_terms']:.1%} known to the model" if terms["n_terms"] else ""
    most = sorted(report["predictions"].items(), key=lambda pair: (-pair[1], pair[0]))
    shown = ", ".join(f"{label} {n:,}" for label, n in most[:8]) + (", ..." if len(most) > 8 else "")
    facts = {
        "read": f"{counted(rows['read'], 'row')} from {report['documents']}",
        "scored": f"{counted(rows['scored'], 'row')} to {report['output']}",
        "predicted": shown or "nothing",
        "plan": report["plan"],
        "of the scored": f"{rows['without_terms']:,} without a term, {rows['all_unknown']:,} with unknown terms only"
        + (f", {rows['undecodable']:,} with undecodable bytes" if "undecodable" in rows else ""),
        "without a value": each_of(rows["missing"]),
        "unseen category": each_of(rows["unseen"]),
        "terms": f"{terms['n_terms']:,}{share}",
        "seconds": ", ".join(f"{step} {n:.1f}" for step, n in report["seconds"].items()),
    }
    print_facts({name: value for name, value in facts.items() if value})
    if rows["impossible"]:
        print(
            f"warning: {counted(rows['impossible'], 'row')} impossible in every class: no prediction.", file=sys.stderr
        )
