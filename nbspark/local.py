"""The same model without Spark: one process, a list of texts or an Arrow table, the very same numbers.

Needs pyarrow, numpy and scipy only, so that a laptop script or a web service can score with what Spark learned, and
learn, forget and relabel documents in a stored model, or train a new one.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from nbspark.counting.checks import require_features
from nbspark.counting.facts import N_PAIRS
from nbspark.counting.table import CountTable
from nbspark.errors import DocumentsError, SpecError, StoreError
from nbspark.features.values import as_text
from nbspark.files.choose import files_for
from nbspark.insight.explain import Explainer
from nbspark.insight.top_terms import top_terms
from nbspark.lifecycle.documents import as_table, is_rows, require_columns_of
from nbspark.lifecycle.in_memory import forget, learn, relabel, train
from nbspark.schemas import ADDITIVE, COUNTS
from nbspark.scoring.kernel import Scorer
from nbspark.scoring.thresholds import Thresholds
from nbspark.smoothing.likelihoods import smooth
from nbspark.store import Store, Version
from nbspark.store.aliases import resolve
from nbspark.store.checksums import THREADS
from nbspark.store.options import under_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from nbspark.files.protocol import Files
    from nbspark.spec import Spec

__all__ = ["LocalModel", "count_table", "forget", "learn", "load", "read_counts", "relabel", "train"]

# Labels and features come as codes: there are few. Of terms there may be as many as rows, and a dictionary is slower.
_TEXTS = ["label", "feature"]
_CODED = pa.dictionary(pa.int32(), pa.string())
_READ = pa.schema([(field.name, _CODED if field.name in _TEXTS else field.type) for field in COUNTS])


class LocalModel:
    """A stored model in this process.

    Parameters
    ----------
    spec : Spec
    counts : CountTable
    version : int, optional
        Which version of a stored model this is.

    Examples
    --------
    >>> model = load("models/news")  # doctest: +SKIP
    >>> model.predict(["shares fell after the bank's warning"])["prediction"]  # doctest: +SKIP
    """

    def __init__(self, spec: Spec, counts: CountTable, version: int | None = None) -> None:
        self.spec = spec
        self.version = version
        self.labels = counts.labels
        self._counts = counts
        self._likelihoods = smooth(spec, counts)

    def predict(
        self,
        documents: Sequence[str | None] | Mapping[str, Sequence[Any]] | pa.Table,
        *,
        probabilities: bool | str = False,
        top_k: int = 0,
        calibrated: bool = True,
        min_probability: float | None = None,
        min_margin: float | None = None,
        min_known: int | None = None,
        min_evidence: float | None = None,
        costs: Mapping[str, Mapping[str, float]] | None = None,
        with_version: bool = False,
    ) -> pa.Table:
        """Return a table of ``schemas.PREDICTIONS``, one row per document, in order.

        Parameters
        ----------
        documents : sequence of str, mapping, list of mappings, or Table
            Texts, where the model has one feature; else the feature columns by name.
        probabilities, top_k, calibrated, min_probability, min_margin, min_known, min_evidence, costs, with_version
            As in ``Model.transform``.

        Raises
        ------
        DocumentsError, SpecError
            A feature's column is missing; what is asked for does not fit the model.
        """
        columns = self._columns(documents)
        thresholds = Thresholds(min_known, min_evidence, min_probability, min_margin)
        thresholds = thresholds.of_model(dict(zip(self.labels, map(float, self._counts.docs), strict=True)))
        asked: dict[str, Any] = {"probabilities": probabilities, "top_k": top_k, "calibrated": calibrated}
        asked |= {"costs": costs, "version": require_version(self.version) if with_version else None}
        scorer = Scorer(self.spec.features, self._likelihoods, thresholds=thresholds, **asked)
        return pa.table(scorer.predict(columns), schema=pa.schema(scorer.fields()))

    def explain(
        self,
        documents: str | Sequence[str | None] | Mapping[str, Sequence[Any]] | pa.Table,
        *,
        top: int | None = 10,
        against: str | None = None,
        truth: Sequence[Any] | None = None,
    ) -> pa.Table:
        """Return predictions and why: ``schemas.PREDICTIONS`` and ``schemas.EXPLANATION``, one row per document.

        Parameters
        ----------
        documents : str, or as of ``predict``
        top, against
            As of ``Model.explain``.
        truth : sequence, optional
            The true labels: adds ``is_error``, and compares what is wrong with the true class.

        Raises
        ------
        DocumentsError, SpecError
            A feature's column is missing; there is no such class.
        """
        columns = self._columns([documents] if isinstance(documents, str) else documents)
        labels = None if truth is None else as_text(pa.array(truth))
        explainer = Explainer(self.spec.features, self._likelihoods, top=top, against=against)
        fields = explainer.fields(truth=labels is not None)
        return pa.table(explainer.predict(columns, labels), schema=pa.schema(fields))

    def top_terms(self, n: int = 10, by: str = "log_odds", *, label: str | None = None) -> pa.Table:
        """Return the terms that say most for each class, ``schemas.TOP_TERMS``: see ``Model.top_terms``."""
        return top_terms(self.spec, self._counts, n=n, by=by, label=label)

    def _columns(self, documents: Any) -> list[pa.Array]:
        """Return one array a feature."""
        wanted = self.spec.columns()
        if not isinstance(documents, pa.Table):
            if not hasattr(documents, "keys") and not is_rows(documents):
                if len(wanted) != 1:
                    raise DocumentsError(f"documents: a list of texts, but the model reads {wanted}. Pass a mapping.")
                documents = {wanted[0]: pa.array(documents, pa.string())}
            documents = as_table(documents)
        require_columns_of(documents, wanted)
        return [documents[feature.column].combine_chunks() for feature in self.spec.features]


def load(path: str | PathLike[str], *, version: int | None = None, alias: str | None = None) -> LocalModel:
    """Return a model in this process: its champion, if one was promoted, else its newest version.

    Parameters
    ----------
    path : str or PathLike
        The model's folder: on this machine's disk, or with the extra ``remote`` a URI (``s3://``, ``gs://``, ...).
    version, alias : int or str, optional
        Another version, by its number or by an alias.

    Raises
    ------
    StoreError
        There is no model, it is damaged, or it was written by a newer nbspark.
    """
    store = Store.open(path, files_for(path))
    found = resolve(store, version, alias)
    counts = read_counts(store, found, checked=True)
    spec = under_options(store.read_spec(), found.options, where=f"{store.root}, version {found.version}")
    return LocalModel(spec, counts, found.version)


def require_version(version: int | None) -> int:
    """Return a model's version, or raise SpecError if it has none."""
    if version is None:
        raise SpecError("with_version: this model is not stored, so it has no version. Save it, or load a stored one.")
    return version


def read_counts(store: Store, version: Version, *, checked: bool = False) -> CountTable:
    """Return a version's counts.

    Parameters
    ----------
    checked : bool
        Whether every file that is read is checked before.

    Raises
    ------
    StoreError
        Its files cannot be read, or hold what cannot be counts of the model.
    """
    version = store.to_read(version)
    if checked:
        store.verify(version)
    files = store.counts_files(version)
    with ThreadPoolExecutor(THREADS) as pool:
        read = list(pool.map(lambda file: _read(store.files, file[0]), files))
    rows = pa.concat_tables(_weighted(table, weight) for table, (_, weight) in zip(read, files, strict=True))
    n_pairs = pc.sum(pc.and_(rows["label"].is_valid(), rows["term"].is_valid())).as_py()
    said = version.rows[N_PAIRS]
    if n_pairs != said:
        raise store.damaged(version, f"{n_pairs} rows with a label and a term, not the {said} of the version file")
    return count_table(store, version, rows)


def count_table(store: Store, version: Version, rows: pa.Table) -> CountTable:
    """Return the counts in the rows of a version, ``schemas.COUNTS``.

    Raises
    ------
    StoreError
        They cannot be counts of the model.
    """
    try:
        counts = CountTable.from_arrow(rows)
        require_features(counts.features, (str(feature.name) for feature in store.read_spec().features))
    except StoreError as error:
        raise store.damaged(version, str(error).rstrip(".")) from error
    return counts


def _weighted(rows: pa.Table, weight: float) -> pa.Table:
    """Return rows of counts times the weight of their batch."""
    for measure in ADDITIVE if weight != 1.0 else ():
        rows = rows.set_column(rows.schema.get_field_index(measure), measure, pc.multiply(rows[measure], weight))
    return rows


def _read(files: Files, file: str) -> pa.Table:
    """Return the rows of a file of counts."""
    try:
        local = files.local(file)
        with nullcontext(local) if local is not None else files.open(file) as opened:
            return pq.read_table(opened, schema=_READ, partitioning=None, read_dictionary=_TEXTS)
    except (pa.ArrowException, OSError) as error:
        raise StoreError(f"{file}: no counts can be read: {str(error).splitlines()[0]} Restore the file.") from error
