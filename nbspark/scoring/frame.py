"""The columns that scoring reads and returns, for both plans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import types as T

from nbspark.arrays.frame import positional, spark_field
from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from nbspark.scoring.kernel import Scorer


@dataclass(frozen=True)
class Columns:
    """Which columns of the documents are read, and which are returned.

    Attributes
    ----------
    inputs : tuple of int
        Positions, in the documents, of the columns that are read or returned; no other one leaves Spark.
    features : tuple of int
        Positions among the inputs of the feature columns, in the order of the spec.
    truth : int or None
        Position among the inputs of the true label; adds ``log_loss``.
    kept : tuple of int
        Positions among the inputs of the columns that are returned.
    """

    inputs: tuple[int, ...]
    features: tuple[int, ...]
    truth: int | None
    kept: tuple[int, ...]

    @classmethod
    def of(
        cls, documents: DataFrame, features: Sequence[str], *, truth: str | None, keep: Sequence[str] | None
    ) -> Columns:
        """Return the columns, given their names; all are kept unless ``keep`` says which."""
        names = documents.columns
        kept = range(len(names)) if keep is None else [names.index(name) for name in keep]
        read = [names.index(name) for name in features]
        true = [] if truth is None else [names.index(truth)]
        inputs = tuple(dict.fromkeys([*kept, *read, *true]))

        def places(positions: Sequence[int]) -> tuple[int, ...]:
            return tuple(inputs.index(position) for position in positions)

        return cls(inputs, places(read), places(true)[0] if true else None, places(kept))

    def select(self, documents: DataFrame) -> DataFrame:
        """Return the inputs, under names by position."""
        numbered = positional(documents)
        return numbered.select([numbered.columns[i] for i in self.inputs])

    def schema(self, documents: DataFrame, scorer: Scorer) -> T.StructType:
        """Return what ``with_predictions`` returns, the kept columns under names by position.

        Raises
        ------
        DocumentsError
            A kept column has the name of one that scoring adds (Spark does not tell case apart).
        """
        added = [spark_field(field) for field in scorer.fields(truth=self.truth is not None)]
        names = [field.name for field in added]
        kept = [documents.columns[self.inputs[i]] for i in self.kept]
        taken = [name for name in kept if name.lower() in names]
        if taken:
            raise DocumentsError(f"documents: scoring adds {names}, but there is already {taken}. Drop or rename it.")
        fields = [(i, documents.schema.fields[i]) for i in (self.inputs[place] for place in self.kept)]
        return T.StructType([*(T.StructField(f"column_{i}", one.dataType, one.nullable) for i, one in fields), *added])

    def named(self, scored: DataFrame, documents: DataFrame) -> DataFrame:
        """Return what was scored with the kept columns under their own names."""
        kept = [documents.columns[self.inputs[i]] for i in self.kept]
        return scored.toDF(*kept, *scored.columns[len(kept) :])

    def with_predictions(self, table: pa.Table, scorer: Scorer) -> pa.Table:
        """Return the kept columns of a table of the inputs, and after them the scorer's."""
        values = [table.column(i).combine_chunks() for i in self.features]
        labels = None if self.truth is None else table.column(self.truth).combine_chunks()
        scored = table.select(list(self.kept))
        for field, array in zip(scorer.fields(truth=labels is not None), scorer.predict(values, labels), strict=True):
            scored = scored.append_column(field, array)
        return scored
