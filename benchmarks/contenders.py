"""The contenders of ``peers.py``: each trains on a corpus and scores it, in a process of its own.

A contender's process starts what it needs, then answers ``train`` and ``score`` on its standard input with one
line of JSON each: seconds, and something to check the answer by. Training is documents to a model on disk;
scoring is documents to predictions on disk, the probabilities of all classes with them.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pickle
import shutil
import sys
import time
from pathlib import Path
from typing import Any

CORES = 2


class Contender:
    """One way to do the job. ``setup`` is start-up and is timed apart."""

    scores = True
    default_heap = ""  # of Java

    def __init__(self, corpus: Path, work: Path, heap: str | None = None) -> None:
        self.corpus = str(corpus)
        self.work = work
        self.heap = heap or self.default_heap

    def fresh(self, name: str) -> str:
        """Return a path where nothing is."""
        path = self.work / name
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        return str(path)

    def setup(self) -> None:
        """Start what is needed."""

    def train(self) -> None:
        """Documents to a model on disk."""

    def score(self) -> None:
        """Documents to predictions on disk."""

    def check(self) -> dict[str, Any]:
        """Return figures that must agree between contenders."""
        return {}


class Nbspark(Contender):
    """nbspark on classic Spark, with conf/local.conf."""

    probabilities: bool | str = "array"
    default_heap = "1g"

    def setup(self) -> None:
        """Start Spark."""
        from nbspark.runtime.session import local_session

        conf = {"spark.master": f"local[{CORES}]", "spark.driver.memory": self.heap}
        self.spark = local_session(name="bench", conf=conf)

    def documents(self) -> Any:
        """Return the corpus."""
        return self.spark.read.parquet(self.corpus)

    def train(self) -> None:
        """Learn straight to disk."""
        from nbspark import NaiveBayes, Text

        self.path = self.fresh("model")
        self.model = NaiveBayes(label="label", features=[Text("text")]).learn(self.documents(), self.path)

    def score(self) -> None:
        """Score with the model that was trained, which now reads its counts, and write."""
        options = self.options() | {"probabilities": self.probabilities, "keep": ["id", "label"]}
        scored = self.model.transform(self.documents(), **options)
        of_values = "key_value.value" if self.probabilities is True else "list.element"
        scored.write.options(**no_dictionary(f"probabilities.{of_values}")).parquet(self.fresh("scored"))

    def options(self) -> dict[str, Any]:
        """Return what else scoring is told."""
        return {}

    def check(self) -> dict[str, Any]:
        """Count the pairs and the documents of each prediction."""
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        [counts] = Path(self.path).glob("batches/*/counts")
        pairs = pq.read_table(counts, columns=["label", "term", "n_tokens"])
        pairs = pairs.filter(pc.and_(pc.is_valid(pairs["term"]), pc.is_valid(pairs["label"])))
        found = {"pairs": pairs.num_rows, "tokens": int(pc.sum(pairs["n_tokens"]).as_py())}
        if (self.work / "scored").exists():
            found["predictions"] = digest(pq.read_table(self.work / "scored", columns=["id", "prediction"]))
        return found


def no_dictionary(column: str) -> dict[str, str]:
    """Return the option of Spark's writer that spares building a dictionary of probabilities, none of them equal."""
    return {f"parquet.enable.dictionary#{column}": "false"}


def digest(predictions: Any) -> dict[str, list[int]]:
    """Return the number of documents of each predicted label, and a sum that tells which documents they are."""
    table = predictions.rename_columns(["id", "prediction"])
    counts = table.group_by("prediction").aggregate([("id", "count"), ("id", "sum")]).to_pylist()
    return {row["prediction"]: [row["id_count"], row["id_sum"]] for row in counts}


class NbsparkBest(Nbspark):
    """nbspark as its score command has it: the best label and its probability."""

    probabilities = False


class NbsparkMap(Nbspark):
    """nbspark with the probabilities of all classes as a map by label."""

    probabilities = True


class NbsparkJoin(Nbspark):
    """nbspark with the join plan, for models that fit nowhere."""

    def options(self) -> dict[str, Any]:
        """Ask for the plan."""
        return {"plan": "join"}


class NbsparkSail(Nbspark):
    """nbspark on Sail: Spark Connect, a Rust engine, no Java."""

    probabilities = False

    def setup(self) -> None:
        """Start the server in this process and connect to it."""
        from pysail.spark import SparkConnectServer
        from pyspark.sql import SparkSession

        server = SparkConnectServer()
        server.start()
        _, port = server.listening_address
        self.server = server
        self.spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()


class Mllib(Contender):
    """Spark MLlib's pipeline: StringIndexer, RegexTokenizer, CountVectorizer, NaiveBayes."""

    default_heap = "4g"

    def setup(self) -> None:
        """Start Spark with the settings that nbspark runs with, and a heap that MLlib can live in."""
        from nbspark.runtime.session import local_session

        conf = {"spark.master": f"local[{CORES}]", "spark.driver.memory": self.heap}
        # MLlib's matrices are quicker with it. nbspark starts Java without; two words, which its wrapper lets pass.
        conf["spark.driver.extraJavaOptions"] = "--add-modules jdk.incubator.vector"
        self.spark = local_session(name="bench", conf=conf)

    def train(self) -> None:
        """Fit and save."""
        from pyspark.ml import Pipeline
        from pyspark.ml.classification import NaiveBayes
        from pyspark.ml.feature import CountVectorizer, RegexTokenizer, StringIndexer

        stages = [
            StringIndexer(inputCol="label", outputCol="index"),
            RegexTokenizer(inputCol="text", outputCol="tokens", pattern=r"\W+"),
            CountVectorizer(inputCol="tokens", outputCol="features", vocabSize=1 << 20),
            NaiveBayes(labelCol="index", featuresCol="features"),
        ]
        self.model = Pipeline(stages=stages).fit(self.spark.read.parquet(self.corpus))
        self.model.save(self.fresh("model"))

    def score(self) -> None:
        """Transform and write."""
        scored = self.model.transform(self.spark.read.parquet(self.corpus))
        scored = scored.select("id", "label", "prediction", "probability")
        scored.write.options(**no_dictionary("probability.values.list.element")).parquet(self.fresh("scored"))

    def check(self) -> dict[str, Any]:
        """Turn indices back to labels, count."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        if not (self.work / "scored").exists():
            return {}
        table = pq.read_table(self.work / "scored", columns=["id", "prediction"])
        labels = pa.array(self.model.stages[0].labels)
        return {
            "predictions": digest(table.set_column(1, "prediction", labels.take(table["prediction"].cast("int32"))))
        }


class ScikitLearn(Contender):
    """scikit-learn: CountVectorizer and MultinomialNB, one process."""

    def setup(self) -> None:
        """Import."""
        import sklearn.feature_extraction.text
        import sklearn.naive_bayes  # noqa: F401

    def documents(self) -> Any:
        """Return the corpus."""
        import pyarrow.parquet as pq

        return pq.read_table(self.corpus)

    def train(self) -> None:
        """Fit and pickle."""
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.naive_bayes import MultinomialNB
        from sklearn.pipeline import make_pipeline

        docs = self.documents()
        self.model = make_pipeline(CountVectorizer(token_pattern=r"\w+"), MultinomialNB())
        self.model.fit(docs["text"].to_pylist(), docs["label"].to_pylist())
        Path(self.fresh("model")).write_bytes(pickle.dumps(self.model))

    def score(self) -> None:
        """Predict from text and write."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.parquet as pq

        docs = self.documents()
        probabilities = self.model.predict_proba(docs["text"].to_pylist())
        prediction = self.model.classes_[probabilities.argmax(axis=1)]
        flat = pa.FixedSizeListArray.from_arrays(pa.array(np.ravel(probabilities)), probabilities.shape[1])
        columns = {"id": docs["id"], "label": docs["label"], "prediction": pa.array(prediction), "probability": flat}
        pq.write_table(pa.table(columns), self.fresh("scored"))

    def check(self) -> dict[str, Any]:
        """Count."""
        import pyarrow.parquet as pq

        counts = self.model.steps[1][1].feature_count_
        found: dict[str, Any] = {"pairs": int((counts > 0).sum()), "tokens": int(counts.sum())}
        if (self.work / "scored").exists():
            found["predictions"] = digest(pq.read_table(self.work / "scored", columns=["id", "prediction"]))
        return found


class DuckDb(Contender):
    """DuckDB: the counting query written by hand; no model, no scoring."""

    scores = False

    def setup(self) -> None:
        """Open a database in memory."""
        import duckdb

        self.database = duckdb.connect()
        self.database.execute(f"SET threads = {CORES}")

    def train(self) -> None:
        """Split, unnest, group, write."""
        # The paths are this benchmark's own; COPY takes no parameters.
        self.database.execute(
            f"""COPY (SELECT label, term, count(*) AS n_tokens
                      FROM (SELECT label, unnest(string_split(text, ' ')) AS term FROM '{self.corpus}/*.parquet')
                      GROUP BY label, term) TO '{self.fresh("counts.parquet")}' (FORMAT parquet)"""
        )

    def check(self) -> dict[str, Any]:
        """Count."""
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        counts = pq.read_table(self.work / "counts.parquet")
        return {"pairs": counts.num_rows, "tokens": int(pc.sum(counts["n_tokens"]).as_py())}


class DuckDbDocs(DuckDb):
    """DuckDB counting what nbspark counts: tokens, and documents with the term."""

    def train(self) -> None:
        """Split, unnest, group by document, group, write."""
        self.database.execute(
            f"""COPY (SELECT label, term, sum(n) AS n_tokens, count(*) AS n_docs
                      FROM (SELECT label, id, term, count(*) AS n
                            FROM (SELECT label, id, unnest(string_split(text, ' ')) AS term
                                  FROM '{self.corpus}/*.parquet')
                            GROUP BY label, id, term)
                      GROUP BY label, term) TO '{self.fresh("counts.parquet")}' (FORMAT parquet)"""
        )


class Polars(DuckDb):
    """Polars: the counting query written by hand; no model, no scoring."""

    def setup(self) -> None:
        """Import, with the cores of the others."""
        os.environ["POLARS_MAX_THREADS"] = str(CORES)
        import polars  # noqa: F401

    def train(self) -> None:
        """Split, explode, group, write."""
        import polars as pl

        tokens = pl.scan_parquet(f"{self.corpus}/*.parquet").select(
            "label", pl.col("text").str.split(" ").alias("term")
        )
        counts = tokens.explode("term").group_by("label", "term").agg(pl.len().alias("n_tokens"))
        counts.collect().write_parquet(self.fresh("counts.parquet"))


CONTENDERS: dict[str, type[Contender]] = {
    "nbspark": Nbspark,
    "nbspark-best": NbsparkBest,
    "nbspark-map": NbsparkMap,
    "nbspark-join": NbsparkJoin,
    "nbspark-sail": NbsparkSail,
    "mllib": Mllib,
    "scikit-learn": ScikitLearn,
    "duckdb": DuckDb,
    "duckdb-docs": DuckDbDocs,
    "polars": Polars,
}


def serve(contender: Contender) -> None:
    """Answer each line of standard input with a line of JSON on standard output."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else prints goes to standard error
    start = time.perf_counter()
    contender.setup()
    print(json.dumps({"seconds": time.perf_counter() - start}), file=answers, flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        try:
            answer = {"found": getattr(contender, line.strip())()}
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is its answer
            lines = [*str(error).strip().splitlines(), ""]
            told = next((line for line in lines if "OutOfMemory" in line or "Caused by" in line), lines[0])
            answer = {"error": f"{type(error).__name__}: {told.strip()[:200]}"}
        print(json.dumps({"seconds": time.perf_counter() - start} | answer), file=answers, flush=True)


def main() -> None:
    """Be one contender."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=CONTENDERS)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--heap")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(KeyboardInterrupt):
        serve(CONTENDERS[args.name](args.corpus.resolve(), args.work.resolve(), args.heap))


if __name__ == "__main__":
    main()
