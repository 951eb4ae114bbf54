"""From a spec and documents to a model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbspark.arrays.frame import column, require_columns, require_frame
from nbspark.counting.frame import count_files, partial_counts_of
from nbspark.counts import counts_of_files
from nbspark.errors import DocumentsError
from nbspark.features.stop_words import resolved
from nbspark.files.choose import files_for
from nbspark.model import Model, is_small, stored_model
from nbspark.runtime.failures import own_errors
from nbspark.spec import Spec
from nbspark.store import Store
from nbspark.store.frame import publish_learned
from nbspark.store.learned import Learned, require_date, require_learned

if TYPE_CHECKING:
    from os import PathLike

    from pyspark.sql import DataFrame


@dataclass(frozen=True, repr=False)
class NaiveBayes(Spec):
    """A naive Bayes model before it has seen a document; see ``Spec`` for the options.

    Examples
    --------
    >>> from nbspark import NaiveBayes, Text
    >>> NaiveBayes(label="topic", features=[Text("body", ngrams=(1, 2))], alpha=0.5)
    NaiveBayes('topic', [Text('body', ngrams=(1, 2))], alpha=0.5)
    """

    @own_errors()
    def fit(self, documents: DataFrame, *, max_undecodable: float | None = None) -> Model:
        """Learn from labelled documents, at once, and return the model.

        The counts come to this process as compressed files, of two to five bytes for each (label, term) pair, so that
        ``save`` only has to write them. Rows without a label are not learned; they are counted in ``Model.rows``.

        Parameters
        ----------
        max_undecodable : float, optional
            The share of the learned documents that may hold U+FFFD, which stands for bytes that are not valid in the
            encoding they were read with; any unless given.

        Raises
        ------
        DocumentsError
            A column is missing or of the wrong type, no row has a label, no text has a term, or too many documents
            are undecodable.
        SpecError
            A given prior or class weight lacks a class, or names one that no document has.
        """
        spec, spark = resolved(self), require_frame(documents).sparkSession
        files = documents.transform(partial_counts_of, spec=spec).transform(count_files).toArrow()
        rows = require_learned(spec, Learned.of(files), max_undecodable=max_undecodable).rows
        return Model(spec, counts_of_files(spec, files, spark, in_memory=is_small(rows)), rows)

    @own_errors()
    def learn(
        self,
        documents: DataFrame,
        path: str | PathLike[str],
        *,
        batch: str = "1",
        date: str | None = None,
        max_undecodable: float | None = None,
    ) -> Model:
        """Learn from labelled documents straight into a new model on disk, at once, and return it as it is stored.

        The documents are read once and the counts are written once, by the workers where they see the disk, so this
        is the way for large corpora.

        Parameters
        ----------
        path : str or PathLike
            A new folder, local or on any file system of the session.
        batch : str
            The user's own name for these documents, for example a date.
        date : str, optional
            Their day, as YYYY-MM-DD, for windows and decay.
        max_undecodable : float, optional
            As in ``fit``.

        Raises
        ------
        DocumentsError, SpecError
            As in ``fit``; no model is then left behind.
        PathError
            The path is there already.
        """
        spec, spark = resolved(self), require_frame(documents).sparkSession
        require_date(date)
        store = Store.create(path, spec.to_dict(), files_for(path, spark))
        files = documents.transform(partial_counts_of, spec=spec).transform(count_files)
        version = publish_learned(files, store, spec, batch=batch, date=date, max_undecodable=max_undecodable)
        return stored_model(spec, store, version, spark)


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
