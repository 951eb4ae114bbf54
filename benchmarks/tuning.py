"""Cross-validate a grid: nbspark beside one training of it, scikit-learn's GridSearchCV and MLlib's CrossValidator.

    python benchmarks/tuning.py --work build/tuning
    python benchmarks/tuning.py --work build/tuning --peer mllib --documents 5000

10 folds, named by a column, and 6 values of alpha: all have the same folds, and the mean accuracies are equal. Each
peer has both cores. nbspark is timed before and after the peer, warm.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

from corpus import make
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from timing import timed

from nbspark import NaiveBayes, Text
from nbspark.runtime.session import local_session

SPEC = NaiveBayes(label="label", features=[Text("text")])
ALPHAS = [0.01, 0.1, 0.5, 1.0, 2.0, 10.0]
N_FOLDS = 10


def nbspark(documents: DataFrame) -> list[float]:
    """Return the mean accuracy of each alpha."""
    tuned = SPEC.tune(documents, {"alpha": ALPHAS}, fold_column="fold")
    return [one.metrics["accuracy"].mean for one in tuned.settings]


def sklearn(documents: Any) -> list[float]:
    """Return the same by GridSearchCV over a pipeline whose first step is cached."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.model_selection import GridSearchCV, PredefinedSplit
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import Pipeline

    with tempfile.TemporaryDirectory() as cache:
        steps = [("terms", CountVectorizer(token_pattern=r"\w+")), ("model", MultinomialNB())]
        folds = PredefinedSplit(documents["fold"])
        search = GridSearchCV(Pipeline(steps, memory=cache), {"model__alpha": ALPHAS}, cv=folds, n_jobs=2, refit=False)
        search.fit(documents["text"], documents["label"])
    return search.cv_results_["mean_test_score"].tolist()


def mllib(documents: DataFrame) -> list[float]:
    """Return the same by CrossValidator over a pipeline."""
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import NaiveBayes as Peer
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator
    from pyspark.ml.feature import CountVectorizer, RegexTokenizer, StringIndexer
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    model = Peer(labelCol="class", featuresCol="terms")
    stages = [
        StringIndexer(inputCol="label", outputCol="class", handleInvalid="keep"),
        RegexTokenizer(inputCol="text", outputCol="tokens", pattern=r"\w+", gaps=False),
        CountVectorizer(inputCol="tokens", outputCol="terms", vocabSize=1 << 24),
        model,
    ]
    search = CrossValidator(
        estimator=Pipeline(stages=stages),
        estimatorParamMaps=ParamGridBuilder().addGrid(model.smoothing, ALPHAS).build(),
        evaluator=MulticlassClassificationEvaluator(labelCol="class", metricName="accuracy"),
        numFolds=N_FOLDS,
        foldCol="fold",
        parallelism=2,
    )
    return search.fit(documents).avgMetrics


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("build/tuning"))
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--tokens", type=float, default=100.0)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--peer", choices=("sklearn", "mllib", "none"), default="sklearn")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    corpus = make(args.work / f"corpus-{args.documents}-{args.tokens:g}", documents=args.documents, tokens=args.tokens)
    spark = local_session(name="tuning", conf={"spark.master": "local[2]"})
    documents = spark.read.parquet(str(corpus)).withColumn("fold", (F.col("id") % N_FOLDS).cast("int"))
    model = args.work / "model"
    seconds: dict[str, list[float]] = {"learn": [], "tune": []}

    def measure(rounds: int) -> list[float]:
        for _ in range(rounds):
            shutil.rmtree(model, ignore_errors=True)
            seconds["learn"].append(timed(lambda: SPEC.learn(documents, str(model)))[0])
            took, found = timed(lambda: nbspark(documents))
            seconds["tune"].append(took)
        return found

    measure(1)
    for times in seconds.values():
        times.clear()  # Java was cold
    own = measure(args.rounds)
    if args.peer != "none":
        given = documents.select("text", "label", "fold").toPandas() if args.peer == "sklearn" else documents.cache()
        given.count()
        took, found = timed(lambda: {"sklearn": sklearn, "mllib": mllib}[args.peer](given))
        measure(args.rounds)
        seconds[args.peer] = [took]
        difference = max(abs(one - other) for one, other in zip(own, found, strict=True))
        print(f"largest difference of mean accuracies: {difference:.2g}")
    of_tune = statistics.median(seconds["tune"])
    print(f"{args.documents:,} documents, {N_FOLDS} folds, {len(ALPHAS)} settings\n")
    print("| | seconds | / tune |\n|---|---|---|")
    for name, times in seconds.items():
        print(f"| {name} | {statistics.median(times):.2f} | {statistics.median(times) / of_tune:.2f} |")


if __name__ == "__main__":
    main()
