"""Where the counts of a model are, and what they give under a spec: in this process, or as a table on Spark."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa
from pyspark.sql import functions as F

from nbspark.counting.frame import counts_in_files
from nbspark.counting.table import CountTable
from nbspark.counting.writing import decode_counts, encode_counts
from nbspark.schemas import COUNTS
from nbspark.smoothing.frame import collect_likelihoods, collect_totals, limited_pairs
from nbspark.smoothing.likelihoods import smooth
from nbspark.smoothing.totals import class_factors, model_totals, prepare
from nbspark.store.frame import write_counts
from nbspark.store.learned import Learned, create_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from nbspark.counting.writing import WrittenFile
    from nbspark.smoothing.likelihoods import Likelihoods
    from nbspark.smoothing.totals import ModelTotals
    from nbspark.spec import Spec
    from nbspark.store import Store


class Counts(Protocol):
    """The counts of a model under a spec, wherever they are; what is computed is computed once."""

    @property
    def frame(self) -> DataFrame:
        """The counts, a frame of ``schemas.COUNTS``; lazy."""

    @property
    def pairs(self) -> DataFrame:
        """The (label, feature, term) rows of the limited vocabulary; lazy."""

    @property
    def class_docs(self) -> dict[str, float]:
        """Documents of each class, labels in string order."""

    @property
    def totals(self) -> ModelTotals:
        """The sums over terms."""

    @property
    def likelihoods(self) -> Likelihoods:
        """What scoring adds up, with its terms, in this process."""

    @property
    def of_classes(self) -> Likelihoods:
        """What every class adds, without terms."""

    def under(self, spec: Spec) -> Counts:
        """Return the same counts under another spec."""

    def write(self, store: Store, folder: str) -> tuple[Learned, list[WrittenFile] | None]:
        """Write the counts to a batch's folder, at once: return what they hold, and no files where Spark wrote them."""


class CountsInMemory:
    """Counts that are read into this process when first used, and kept.

    Parameters
    ----------
    spec : Spec
    read : callable
        Returns the counts.
    frame : callable
        Returns them as a frame of ``schemas.COUNTS``.
    files : Table of ``schemas.COUNT_FILES``, optional
        The same as files, where they are in memory.
    """

    def __init__(
        self, spec: Spec, read: Callable[[], CountTable], frame: Callable[[], DataFrame], files: pa.Table | None = None
    ) -> None:
        self._spec = spec
        self._read = read
        self._frame = frame
        self._files = files

    @cached_property
    def table(self) -> CountTable:
        """The counts."""
        return self._read()

    @cached_property
    def frame(self) -> DataFrame:
        """The counts, a frame of ``schemas.COUNTS``; lazy."""
        return self._frame()

    @cached_property
    def pairs(self) -> DataFrame:
        """The (label, feature, term) rows of the limited vocabulary; lazy."""
        return limited_pairs(self.frame, self._spec)

    @cached_property
    def class_docs(self) -> dict[str, float]:
        """Documents of each class, labels in string order."""
        return dict(zip(self.table.labels, map(float, self.table.docs), strict=True))

    @cached_property
    def totals(self) -> ModelTotals:
        """The sums over terms."""
        factors = class_factors(self._spec, self.table.labels, self.table.docs)
        return model_totals(self._spec, prepare(self._spec, self.table, factors), factors)

    @cached_property
    def likelihoods(self) -> Likelihoods:
        """What scoring adds up, with its terms."""
        return smooth(self._spec, self.table)

    @property
    def of_classes(self) -> Likelihoods:
        """What every class adds, without terms."""
        return self.likelihoods.without_terms()

    def under(self, spec: Spec) -> CountsInMemory:
        """Return the same counts under another spec."""
        return CountsInMemory(spec, lambda: self.table, lambda: self.frame, self._files)

    def write(self, store: Store, folder: str) -> tuple[Learned, list[WrittenFile] | None]:
        """Write the counts to a batch's folder, at once: return what they hold, and no files where Spark wrote them."""
        return _write(self.frame, self._files, store, folder)


class CountsAsTable:
    """Counts that stay a table on Spark; what has the size of the classes comes to this process, by a job.

    Parameters
    ----------
    spec : Spec
    frame : DataFrame of ``schemas.COUNTS``
    read : callable, optional
        Returns the counts in memory, for who asks for the broadcast plan all the same; else Spark collects them.
    files : Table of ``schemas.COUNT_FILES``, optional
        The same as files, where they are in memory.
    """

    def __init__(
        self,
        spec: Spec,
        frame: DataFrame,
        read: Callable[[], CountTable] | None = None,
        files: pa.Table | None = None,
    ) -> None:
        self._spec = spec
        self.frame = frame
        self._read = read
        self._files = files

    @cached_property
    def pairs(self) -> DataFrame:
        """The (label, feature, term) rows of the limited vocabulary; lazy."""
        return limited_pairs(self.frame, self._spec)

    @cached_property
    def class_docs(self) -> dict[str, float]:
        """Documents of each class, labels in string order; by a job."""
        of_class = self.frame.where(F.col("label").isNotNull() & F.col("feature").isNull())
        return {row["label"]: row["n_docs"] for row in of_class.orderBy("label").collect()}

    @cached_property
    def totals(self) -> ModelTotals:
        """The sums over terms; by a few jobs."""
        return collect_totals(self.frame, self.pairs, self._spec)

    @cached_property
    def likelihoods(self) -> Likelihoods:
        """What scoring adds up, with its terms, all of it in this process."""
        return smooth(self._spec, self._read() if self._read else CountTable.from_arrow(self.frame.toArrow()))

    @cached_property
    def of_classes(self) -> Likelihoods:
        """What every class adds, without terms; by a job where that is a sum over terms."""
        return collect_likelihoods(self.pairs, self._spec, self.totals)

    def under(self, spec: Spec) -> CountsAsTable:
        """Return the same counts under another spec."""
        return CountsAsTable(spec, self.frame, self._read, self._files)

    def write(self, store: Store, folder: str) -> tuple[Learned, list[WrittenFile] | None]:
        """Write the counts to a batch's folder, at once: return what they hold, and no files where Spark wrote them."""
        return _write(self.frame, self._files, store, folder)


def _write(
    frame: DataFrame, files: pa.Table | None, store: Store, folder: str
) -> tuple[Learned, list[WrittenFile] | None]:
    """Write counts to a batch's folder: as the files that they are, or by a job."""
    if files is not None:
        return Learned.of(files), create_files(files, store.files, folder)
    return write_counts(frame, store, folder, encode=encode_counts)


def counts_of_files(spec: Spec, files: pa.Table, spark: SparkSession, *, in_memory: bool) -> Counts:
    """Return the counts in files that workers handed over, ``schemas.COUNT_FILES``.

    Parameters
    ----------
    in_memory : bool
        Whether the counts are small enough to be taken out of their files in this process.
    """

    def read() -> CountTable:
        return CountTable.from_arrow(pa.Table.from_batches(decode_counts(files.to_batches()), COUNTS))

    def frame() -> DataFrame:
        return counts_in_files(spark.createDataFrame(files.select(["content"])))

    return CountsInMemory(spec, read, frame, files) if in_memory else CountsAsTable(spec, frame(), read, files)
