"""From a spec and documents to a model."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING

from nbspark.arrays.frame import column, require_columns, require_frame
from nbspark.counting.facts import READ, UNDECODABLE, UNLABELLED
from nbspark.counting.frame import count_files, partial_counts_of
from nbspark.counts import counts_of_files
from nbspark.errors import DocumentsError
from nbspark.features.occurrences import unmatched_stop_words
from nbspark.files.choose import files_for
from nbspark.model import Model, is_small, stored_model
from nbspark.spec import Spec
from nbspark.store import Store
from nbspark.store.frame import Learned, publish, require_learned, write_counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame

log = logging.getLogger("nbspark")
SHOWN = 20  # stop words in a message


@dataclass(frozen=True, repr=False)
class NaiveBayes(Spec):
    """A naive Bayes model before it has seen a document; see ``Spec`` for the options.

    Examples
    --------
    >>> from nbspark import NaiveBayes, Text
    >>> NaiveBayes(label="topic", features=[Text("body", ngrams=(1, 2))], alpha=0.5)
    NaiveBayes('topic', [Text('body', ngrams=(1, 2))], alpha=0.5)
    """

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
            A given prior or class weight lacks a class, or names one that is none.
        """
        spec, spark = resolved(self), require_frame(documents).sparkSession
        files = documents.transform(partial_counts_of, spec=spec).transform(count_files).toArrow()
        rows = require_learned(spec, Learned.of(files)).rows
        _require_decodable(rows, max_undecodable)
        return Model(spec, counts_of_files(spec, files, spark, in_memory=is_small(rows)), rows)

    def learn(
        self,
        documents: DataFrame,
        path: str | PathLike[str],
        *,
        batch: str = "1",
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
        store = Store.create(path, spec.to_dict(), files_for(fspath(path), spark))
        with store.new_batch(batch) as folder:
            files = documents.transform(partial_counts_of, spec=spec).transform(count_files)
            learned, written = write_counts(files, store, folder)
            require_learned(spec, learned)
            _require_decodable(learned.rows, max_undecodable)
            version = publish(store, folder, batch=batch, rows=learned.rows, written=written)
        return stored_model(spec, store, version, spark)


def _require_decodable(rows: Mapping[str, int], limit: float | None) -> None:
    """Raise an error if too many of the learned documents hold U+FFFD."""
    n_learned = rows[READ] - rows[UNLABELLED]
    if limit is not None and rows[UNDECODABLE] > limit * n_learned:
        raise DocumentsError(
            f"documents: {rows[UNDECODABLE]:,} of {n_learned:,} hold U+FFFD, which stands for bytes that are not valid "
            "in the encoding. Read them in the encoding they have (--encoding gb18030, cp1252, ...), or learn them "
            "as they are (--allow-undecodable; in Python max_undecodable=1.0)."
        )


def resolved(spec: Spec) -> Spec:
    """Return the spec that depends on no package's lists, and log the stop words in it that can never match."""
    spec = spec.resolved()
    for feature in spec.features:
        if unmatched := unmatched_stop_words(feature):
            log.warning("%s feature %r: %s", feature.kind, feature.column, never_match(unmatched))
    return spec


def never_match(stop_words: Sequence[str]) -> str:
    """Say of stop words that the tokenizer leaves nothing of them.

    >>> never_match(["...", "!"])
    "2 stop words can never match, because the tokenizer leaves nothing of them: '...', '!'"
    """
    shown = ", ".join(map(repr, stop_words[:SHOWN])) + (", ..." if len(stop_words) > SHOWN else "")
    return f"{len(stop_words)} stop words can never match, because the tokenizer leaves nothing of them: {shown}"


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
