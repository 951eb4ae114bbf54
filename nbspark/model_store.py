"""A stored model through its life: what is learned, forgotten, relabelled, promoted, and what is in the folder."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from nbspark.files.choose import files_for
from nbspark.lifecycle import changes
from nbspark.lifecycle.apply import Outcome, apply
from nbspark.lifecycle.documents import kernel_table, note_of
from nbspark.lifecycle.forget import forget, relabel
from nbspark.lifecycle.gate import Gate
from nbspark.lifecycle.in_memory import count, write_counts
from nbspark.lifecycle.learn import learn
from nbspark.lifecycle.promotion import promote, rollback
from nbspark.lifecycle.retrain import open_or_new
from nbspark.lifecycle.upkeep import MIN_AGE, Removed, compact, merge_models, vacuum
from nbspark.spec import changed_spec
from nbspark.store import Store, Version
from nbspark.store.aliases import CHAMPION, Move, alias_names, newest_move, resolve
from nbspark.store.options import options_between, under_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from pyspark.sql import SparkSession

    from nbspark.lifecycle.difference import Difference
    from nbspark.local import LocalModel
    from nbspark.selection.temperature import Temperature
    from nbspark.smoothing.likelihoods import Likelihoods
    from nbspark.spec import Spec
    from nbspark.store.learned import Learned
    from nbspark.store.summary import Summary
    from nbspark.store.sums import SumName


class ModelStore:
    """A stored model, to be changed and looked at. Every change is a new version, all at once or not at all.

    Documents are a Spark DataFrame, counted by Spark, or a table in memory (a mapping of columns, a list of mappings,
    an Arrow table, a pandas frame), counted in this process by the same kernels.

    Parameters
    ----------
    path : str or PathLike
        The model's folder.
    spec : Spec, optional
        What the model learns: then there need not be one yet, and ``retrain`` makes it.
    spark : SparkSession, optional
        Where the folder is on a file system that needs one.

    Raises
    ------
    StoreError
        There is no model.
    SpecError
        It learns something else than the spec says.
    """

    def __init__(
        self, path: str | PathLike[str], *, spec: Spec | None = None, spark: SparkSession | None = None
    ) -> None:
        files = files_for(path, spark)
        self.store = Store.open(path, files) if spec is None else open_or_new(path, files, spec)

    def __repr__(self) -> str:
        return f"ModelStore({self.store.root!r})"

    @property
    def spec(self) -> Spec:
        """What the model learns."""
        return self.store.read_spec()

    def versions(self) -> list[Version]:
        """Return all versions, the oldest first."""
        return [self.store.version(number) for number in self.store.versions()]

    def summaries(self) -> list[Summary]:
        """Return each version in a line, the oldest first: quick, however many there are."""
        return self.store.summaries()

    def version(self, number: int | None = None, *, alias: str | None = None) -> Version:
        """Return a version: by number, by alias, else the champion, else the newest."""
        return resolve(self.store, number, alias)

    def aliases(self) -> dict[str, Move]:
        """Return what each alias names."""
        found = {name: newest_move(self.store, name) for name in alias_names(self.store)}
        return {name: one for name, one in found.items() if one is not None}

    def learn(
        self,
        documents: Any,
        *,
        batch: str,
        date: str | None = None,
        replace: bool = False,
        again: bool = False,
        max_undecodable: float | None = None,
    ) -> Outcome:
        """Add a batch of labelled documents; their cost is that of the new documents.

        The same batch again changes nothing, so that a job may be retried.

        Parameters
        ----------
        batch : str
            The user's own id for these documents.
        date : str, optional
            Their day, as YYYY-MM-DD, for windows and decay.
        replace : bool
            Put them in the place of other documents with this id.
        again : bool
            Count them once more although they were learned under another id.
        max_undecodable : float, optional
            As in ``NaiveBayes.fit``.

        Raises
        ------
        StoreError
            The id stands for other documents, or the documents under another id.
        DocumentsError
            A column is missing, or no row has a label or a term.
        """
        return learn(
            self.store,
            lambda folder: self._write(documents, folder, max_undecodable),
            batch=batch,
            date=date,
            replace=replace,
            again=again,
            note=note_of(documents),
        )

    def retrain(
        self,
        documents: Any,
        *,
        batch: str,
        date: str | None = None,
        holdout: Any = 0.1,
        metric: str = "accuracy",
        level: float = 0.05,
        minimum: Mapping[str, float] | None = None,
        replace: bool = False,
        again: bool = False,
        max_undecodable: float | None = None,
    ) -> Outcome:
        """Learn a batch, and let the champion be that if it is not significantly worse than the one before.

        The same batch again changes nothing and gives the same decision; what a killed run left is done first.

        Parameters
        ----------
        batch, date, replace, again, max_undecodable
            As in ``learn``.
        holdout : float or documents
            What both are judged on: a share of the batch, which the content decides and nobody learns, or documents
            that were learned by neither.
        metric, level, minimum
            See ``lifecycle.gate.Gate``.

        Returns
        -------
        Outcome
            Its ``decision`` says what was decided and why; a version that is not promoted stays.

        Raises
        ------
        StoreError, DocumentsError
            As in ``learn``; the holdout has no document with a known label.
        SpecError
            There is no such metric, or a number is out of range.
        """
        from nbspark.retrain.documents import retrain_documents

        return retrain_documents(
            self.store,
            documents,
            lambda some, folder: self._write(some, folder, max_undecodable),
            batch=batch,
            date=date,
            holdout=holdout,
            gate=Gate(metric, level, minimum or {}),
            replace=replace,
            again=again,
        )

    def forget(self, documents: Any = None, *, batch: str | None = None, again: bool = False) -> Outcome:
        """Subtract documents, or a whole batch; what reaches zero is gone.

        ``vacuum`` then removes the older versions, which still hold it.

        Raises
        ------
        StoreError
            Something of it was never learned: then nothing is changed. Or nothing would be left.
        """
        if (documents is None) == (batch is None):
            raise TypeError("forget wants documents or a batch")
        if batch is not None:
            return apply(self.store, lambda version: changes.drop(version, batch))
        return forget(self.store, self._count(documents), lambda: self._collect(documents), again=again)

    def relabel(self, documents: Any, *, old: str, new: str, again: bool = False) -> Outcome:
        """Take documents from the label in one column to that in another, in one version."""
        gone, come = self._count(documents, label=old), self._count(documents, label=new)
        return relabel(self.store, gone, come, lambda: self._collect(documents, label=old, new=new), again=again)

    def window(self, *, last: int | None = None, since: str | None = None, dry_run: bool = False) -> Outcome:
        """Keep the newest batches: the last so many, or those since a day."""
        if (last is None) == (since is None):
            raise TypeError("window wants last or since")
        if last is not None:
            return apply(self.store, lambda version: changes.keep_last(version, last), dry_run=dry_run)
        return apply(self.store, lambda version: changes.keep_since(version, str(since)), dry_run=dry_run)

    def decay(self, half_life: float, *, as_of: str | None = None, dry_run: bool = False) -> Outcome:
        """Weigh each batch by its age: one half for every ``half_life`` days."""
        return apply(self.store, lambda version: changes.decay(version, half_life, as_of), dry_run=dry_run)

    def set_options(self, *, feature: str | None = None, **options: Any) -> Outcome:
        """Read the counts under other options from now on: see ``Model.with_options``."""
        spec = self.spec

        def change(version: Version) -> changes.Change | changes.Unchanged:
            changed = changed_spec(under_options(spec, version.options), feature=feature, **options)
            _smoothed(self.store, version, changed)  # options that do not fit the counts are refused now
            return changes.set_options(version, options_between(spec, changed))

        return apply(self.store, change)

    def calibrate(self, documents: Any) -> tuple[Outcome, Temperature]:
        """Fit the newest version's temperature to labelled documents that it has not learned, and set it.

        The documents are counted, which tells whether they are a batch of the model, and scored twice. A
        ``class_bias`` was fitted with another temperature, and is dropped.

        Raises
        ------
        StoreError
            They are a batch of the model.
        DocumentsError
            A column is missing, or no document has a label that the model knows.
        """
        from nbspark.calibrated import require_unlearned, temperature_from
        from nbspark.store.learned import Learned

        version = self.store.latest()
        learned = Learned.of(self._count(documents))
        require_unlearned(version, learned.fingerprint)
        fitted = temperature_from(self.store, version, documents, n_docs=learned.rows["rows_read"])
        options: dict[str, Any] = {**fitted.options, "class_bias": None}
        return self.set_options(**options), fitted

    def promote(self, version: int, *, alias: str = CHAMPION, reason: str = "promoted") -> tuple[Move, bool]:
        """Let an alias name a version; return the move that holds, and whether it is new."""
        return promote(self.store, version, alias=alias, reason=reason)

    def rollback(self, *, alias: str = CHAMPION) -> Move:
        """Let an alias name again what it named before."""
        return rollback(self.store, alias=alias)

    def verify(self) -> list[int]:
        """Check all versions, with all their files; return their numbers, or raise StoreError."""
        numbers = self.store.versions()
        whole: dict[str, tuple[Any, ...]] = {}  # versions share batches
        whole_sums: set[SumName] = set()
        summaries = {one.version: one for one in self.summaries()}
        for number in reversed(numbers):
            version = self.store.version(number)
            self.store.verify(version, whole=whole)
            self.store.verify_sums(version, whole=whole_sums)
            if version.summary != summaries[number]:
                raise self.store.damaged(version, "the history of a later version tells of it otherwise")
        for alias in self.aliases().values():
            self.store.version(alias.version)
        return numbers

    def diff(self, before: int, after: int) -> Difference:
        """Return what two versions differ in."""
        from nbspark.lifecycle.difference import difference

        one, other = self.store.version(before), self.store.version(after)
        spec = self.spec
        added = {each.version: _smoothed(self.store, each, under_options(spec, each.options)) for each in (one, other)}
        return difference(added[before], added[after], spec, (one.options, other.options))

    def top_terms(
        self, n: int = 10, by: str = "log_odds", *, label: str | None = None, version: int | None = None
    ) -> pa.Table:
        """Return the terms that say most for each class, ``schemas.TOP_TERMS``: see ``Model.top_terms``."""
        from nbspark.insight.top_terms import top_terms
        from nbspark.local import read_counts

        found = self.version(version)
        spec = under_options(self.spec, found.options)
        return top_terms(spec, read_counts(self.store, found), n=n, by=by, label=label)

    def compact(self, *, keep: int = 0, dry_run: bool = False) -> Outcome:
        """Fold older batches into one; the newest ``keep`` stay as they are."""
        return compact(self.store, keep=keep, dry_run=dry_run)

    def vacuum(self, *, keep: int = 1, min_age: float = MIN_AGE, dry_run: bool = False) -> Removed:
        """Remove versions but the newest ``keep`` and those with an alias, and batches that no version left needs."""
        return vacuum(self.store, keep=keep, min_age=min_age, dry_run=dry_run)

    def merge(self, other: ModelStore, *, dry_run: bool = False) -> Outcome:
        """Add the batches of another model of the same spec."""
        return merge_models(self.store, other.store, dry_run=dry_run)

    def load(self, number: int | None = None, *, alias: str | None = None) -> LocalModel:
        """Return a version in this process, to score with."""
        from nbspark.local import LocalModel, read_counts

        version = resolve(self.store, number, alias)
        counts = read_counts(self.store, version, checked=True)
        return LocalModel(under_options(self.spec, version.options), counts, version.version)

    def _count(self, documents: Any, *, label: str | None = None) -> pa.Table:
        """Return the counts of documents, ``schemas.COUNT_FILES``."""
        spec = self.spec
        if hasattr(documents, "mapInArrow"):
            from nbspark.lifecycle.frame import count_documents

            return count_documents(documents, spec, label=label)
        return count(spec, documents, label=label)

    def _collect(self, documents: Any, *, label: str | None = None, new: str | None = None) -> pa.Table:
        """Return documents in this process, as ``lifecycle.documents.kernel_table`` has them."""
        if hasattr(documents, "mapInArrow"):
            from nbspark.lifecycle.frame import collect_documents

            return collect_documents(documents, self.spec, label=label, new=new)
        return kernel_table(documents, self.spec, label=label, new=new)

    def _write(self, documents: Any, folder: str, max_undecodable: float | None) -> tuple[Learned, Any]:
        """Write the counts of documents to the folder of a batch."""
        if hasattr(documents, "mapInArrow"):
            from nbspark.lifecycle.frame import learn_documents

            return learn_documents(documents, self.spec, self.store, folder, max_undecodable=max_undecodable)
        return write_counts(self.store, documents, folder, max_undecodable=max_undecodable)


def _smoothed(store: Store, version: Version, spec: Spec) -> Likelihoods:
    """Return what a version adds up under a spec; the import takes as long as a list of a thousand versions."""
    from nbspark.local import read_counts
    from nbspark.smoothing.likelihoods import smooth

    return smooth(spec, read_counts(store, version))
