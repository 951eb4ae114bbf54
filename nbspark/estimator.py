"""From a spec and documents to a model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbspark.arrays.frame import column, require_columns
from nbspark.counting.frame import count, explode_terms
from nbspark.counting.table import CountTable
from nbspark.errors import DocumentsError
from nbspark.model import BROADCAST_PAIRS, Model, load
from nbspark.spec import Spec
from nbspark.store.frame import publish, require_learned, summarize

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class NaiveBayes(Spec):
    """A naive Bayes model before it has seen a document; see ``Spec`` for the options.

    Examples
    --------
    >>> from nbspark import NaiveBayes, Text
    >>> NaiveBayes(label="topic", features=[Text("body")], alpha=0.5).alpha
    0.5
    """

    def fit(self, documents: DataFrame) -> Model:
        """Learn from labelled documents and return the model, its counts kept in Spark's cache.

        Runs at once. Rows without a label are not learned; they are counted in ``Model.rows``.

        Raises
        ------
        DocumentsError
            A column is missing or of the wrong type, no row has a label, or no text has a term.
        """
        spec = self.resolved()
        counts = count(documents, spec).persist()
        rows = require_learned(spec, summarize(counts))
        if rows["n_pairs"] > BROADCAST_PAIRS:
            return Model(spec, counts, rows)
        table = CountTable.from_arrow(counts.toArrow())
        return Model(spec, counts, rows, lambda: table)

    def learn(self, documents: DataFrame, path: str, *, batch: str = "1") -> Model:
        """Learn from labelled documents straight into a new model on disk, and return it loaded.

        Runs at once. The documents are read once and the counts are written once, with nothing cached, so
        this is the way for large corpora.

        Parameters
        ----------
        path : str
            A new folder, local or on any file system of the session.
        batch : str
            The user's own name for these documents, for example a date.

        Raises
        ------
        DocumentsError
            As in ``fit``.
        PathError
            The path is there already.
        """
        partial = explode_terms(documents, spec=self.resolved())
        publish(self, partial, path, batch=batch, is_partial=True)
        return load(path, spark=documents.sparkSession)


def collect_alphas(alphas: DataFrame, *, term: str = "term", alpha: str = "alpha") -> dict[str, float]:
    """Return a frame of pseudo-counts as the table that ``alpha=`` takes. Runs at once.

    Parameters
    ----------
    alphas : DataFrame
        One row per term.
    term, alpha : str
        Its columns: text, and a number > 0.

    Raises
    ------
    DocumentsError
        A column is missing, or a term comes twice.
    """
    require_columns(alphas, [term, alpha], asked_by="collect_alphas")
    rows = alphas.select(column(term).cast("string"), column(alpha).cast("double")).collect()
    table = dict(map(tuple, rows))
    if len(table) < len(rows):
        twice = sorted(name for name, n in Counter(row[0] for row in rows).items() if n > 1)
        raise DocumentsError(f"alphas: {twice[:10]} more than once. Keep one row per term.")
    return table
