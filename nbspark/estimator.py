"""From a spec and documents to a model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nbspark.arrays.frame import column, require_columns, require_frame
from nbspark.counting.frame import count_files, partial_counts_of, with_parcels_together
from nbspark.counting.writing import encode_merged
from nbspark.counts import counts_of_files
from nbspark.errors import DocumentsError
from nbspark.features.stop_words import resolved
from nbspark.files.choose import files_for
from nbspark.lifecycle.documents import note_of
from nbspark.model import Model, is_small, stored_model
from nbspark.runtime.failures import own_errors
from nbspark.selection.tuning import Plan
from nbspark.spec import Spec
from nbspark.store import Store
from nbspark.store.frame import publish_learned
from nbspark.store.learned import Learned, require_date, require_learned
from nbspark.tuned import Tuned, tune

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
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
        parcels = documents.transform(partial_counts_of, spec=spec).transform(with_parcels_together)
        version = publish_learned(
            parcels,
            store,
            spec,
            encode=encode_merged,
            batch=batch,
            date=date,
            max_undecodable=max_undecodable,
            note=note_of(documents),
        )
        return stored_model(spec, store, version, spark)

    @own_errors()
    def cross_validate(
        self,
        documents: Any,
        *,
        folds: int = 10,
        group: str | None = None,
        fold_column: str | None = None,
        truth: str | None = None,
    ) -> Tuned:
        """Score every document by a model of the other folds, at once, for the price of one training and one scoring.

        The counts of all folds come from one pass: the model of a fold is the total less the fold, exactly.

        Parameters
        ----------
        documents : DataFrame, or a table, mapping of columns or pandas frame in memory
        folds : int
            A hash of the features' columns says in which a document is: equal documents are in one, whatever the
            order and partitions of the rows.
        group : str, optional
            A column whose values are kept together; it is hashed instead.
        fold_column : str, optional
            A column that names the folds; ``folds`` is then not looked at.
        truth : str, optional
            A column with the true label to be compared with; the one that is learned unless given.

        Returns
        -------
        Tuned
            ``.metrics["accuracy"].mean``, ``.se`` and ``.folds``; ``.predictions()``.

        Raises
        ------
        DocumentsError
            A column is missing, or there are too few documents or too many counts.
        """
        return self.tune(documents, {}, folds=folds, group=group, fold_column=fold_column, truth=truth)

    @own_errors()
    def tune(
        self,
        documents: Any,
        grid: Mapping[str, Sequence[Any]],
        *,
        others: Sequence[Spec] = (),
        folds: int = 10,
        group: str | None = None,
        fold_column: str | None = None,
        truth: str | None = None,
        metric: str = "accuracy",
        choose: str = "best",
    ) -> Tuned:
        """Cross-validate every combination of read-time options, at once: one pass counts, another one tries them all.

        Parameters
        ----------
        documents, folds, group, fold_column, truth
            As in ``cross_validate``.
        grid : mapping of str to sequence
            Values of ``alpha``, ``event``, ``prior`` and the other options of ``Model.with_options``. Combinations
            that contradict themselves are left out.
        others : sequence of Spec
            Other features or tokens to be tried as well, each counted by a pass of its own.
        metric : {"accuracy", "macro_f1", "log_loss"}
            By which settings are compared.
        choose : {"best", "simplest"}
            Which setting ``Tuned.chosen`` is: the best, or the simplest within one standard error of it.

        Raises
        ------
        SpecError
            The grid has an unknown option, or a value that goes with nothing; or a setting keeps no term.
        DocumentsError
            As in ``cross_validate``.

        Examples
        --------
        >>> tuned = NaiveBayes("topic", [Text("body")]).tune(docs, {"alpha": [0.01, 0.1, 1.0]})  # doctest: +SKIP
        >>> tuned.best.setting.options, tuned.model().save("models/news")  # doctest: +SKIP
        """
        specs = [resolved(spec) for spec in (self, *others)]
        plan = Plan.of(specs, grid, folds=folds, group=group, fold_column=fold_column, truth=truth, metric=metric)
        return tune(documents, plan, choose=choose)


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
