"""The page about accuracy: what was measured, as Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpora import Corpus
    from nested import Nested


@dataclass(frozen=True)
class Row:
    """A line of the table: one model on one corpus, beside scikit-learn."""

    corpus: str
    n_rows: int
    split: str
    n_classes: int
    model: str
    accuracy: float
    macro_f1: float
    log_loss: float
    published: str
    peer: str
    peer_accuracy: float
    n_tested: int
    n_ties: int
    n_different: int
    largest: float
    tuned: Nested | None

    @property
    def is_equal(self) -> bool:
        """Whether every prediction is scikit-learn's, ties by rounding apart."""
        return self.n_different == 0

    @property
    def standard_error(self) -> float:
        """Of the accuracy, as a share of the tested rows."""
        return math.sqrt(self.accuracy * (1 - self.accuracy) / self.n_tested)

    def cells(self) -> list[str]:
        """Return the cells."""
        return [
            self.corpus,
            f"{self.n_rows:,}",
            self.split,
            f"{self.n_classes}",
            self.model,
            f"{100 * self.accuracy:.2f} ± {100 * self.standard_error:.2f}",
            f"{100 * self.macro_f1:.2f}",
            f"{self.log_loss:.4f}",
            self.published,
            self.peer,
            f"{100 * self.peer_accuracy:.2f}",
            self._same(),
        ]

    def tuned_cells(self) -> list[str]:
        """Return the cells of the table about tuning."""
        assert self.tuned is not None
        return [
            self.corpus,
            self.model,
            f"{100 * self.accuracy:.2f} ± {100 * self.standard_error:.2f}",
            f"{100 * self.tuned.accuracy:.2f}",
            self.published,
            f"{self.log_loss:.4f}",
            f"{self.tuned.log_loss:.4f}",
            self.tuned.chosen,
        ]

    def _same(self) -> str:
        """Return the share of equal predictions, cut and not rounded: 100 % means all."""
        share = (self.n_tested - self.n_ties - self.n_different) * 10_000 // self.n_tested / 100
        ties = f", {self.n_ties} ties" if self.n_ties else ""
        return f"{share:g} %{ties}" + (f", {self.n_different} OTHERS" if self.n_different else "")


@dataclass(frozen=True)
class InSpark:
    """A model trained and scored through Spark, beside the kernels alone."""

    corpus: str
    model: str
    n_train: int
    n_test: int
    n_equal: int
    largest: float

    @property
    def is_equal(self) -> bool:
        """Whether every prediction and every probability is the same."""
        return self.n_equal == self.n_test and self.largest <= 1e-12

    def cells(self) -> list[str]:
        """Return the cells."""
        return [
            self.corpus,
            self.model,
            f"{self.n_train:,}",
            f"{self.n_test:,}",
            f"{self.n_equal:,}",
            f"{self.largest:.1e}" if self.largest else "0",
        ]


HEAD = """# Accuracy on real corpora

Made by `benchmarks/accuracy.py`; do not edit. To repeat it, put the corpora listed at the end into one folder each
under `DIR` and run, after `make test` has set up the environment:

    .venv/bin/python benchmarks/accuracy.py --data DIR --output docs/accuracy.md

It takes about three minutes on two cores; `--tuned` adds a table about tuning and takes five times as long. Without
`--output` it only prints, and `--only R8 SMS` then measures some of them. The exit code is 1 if a prediction differs
from scikit-learn's, ties apart, or Spark's from the kernels'.

## How it is measured

- **The same rows, folds and terms for both.** scikit-learn gets a matrix of the terms that nbspark's tokenizer finds,
  so the models are compared; that the tokens agree as well is `benchmarks/tokens.py`.
- **Split**: `10-fold` or the published one, training / test rows. Folds are stratified, with a fixed seed; RT-2k has
  folds of its own in its file names. Figures are over all tested rows together.
- **Without Spark, by the kernels that run inside Spark**: documents are counted once per fold, the model of a fold is
  the sum of the counts of the nine others. The same through Spark is further below.
- **nbspark**: alpha 1, priors from the training rows, `words` as tokens, multinomial, unless the model says otherwise.
  Nulls are skipped.
- **Accuracy** and **macro F1** in percent; ± is one standard error, the root of p (1 - p) / rows tested. **Log loss**
  is the mean of -log P(true label), in nats.
- **scikit-learn**: the class that is the same model. Where it has none (missing or new categories, mixed columns) the
  table says so, and what it is put together from: each categorical column, one-hot, and each text is a MultinomialNB,
  all numbers are one GaussianNB, their joint log-likelihoods are added and the prior is counted once.
- **Same**: tested rows with the same prediction, cut to hundredths and not rounded. A row whose two best classes have
  equal joint log-likelihoods, to a relative 1e-9, may come out either way by rounding; it is counted as a tie.
"""

READING = """## How to read it

- **Beside the published figures.** For RT-s, Subjectivity and RT-2k those of Wang and Manning (2012), whose folds are
  not published: {n_near} of {n} figures here are within one standard error of theirs, the largest distance is
  {largest:.2f} points. For adult that in `adult.names`: rows with a missing value removed, one split, not ten folds.
- **adult with Gaussian numbers is the one line that is more than 1 point off.** A Gaussian does not fit `capital_gain`
  and `capital_loss`, which are 0 in more than nine rows of ten, and `var_smoothing` adds a share of the largest
  variance, that of `fnlwgt`, to every variance, as in scikit-learn. With each number taken as a category, the last line
  of the table, the distance is {adult:.2f} points.
- **Macro F1 far below accuracy** (R52, TREC with 50 classes, nursery, car) is rare classes: with alpha 1 a class of few
  training rows is smoothed almost flat and seldom wins. On django_po alpha 0.1 is better in all three figures.
- **Log loss far above what the accuracy suggests** (R52, 20NG, RT-2k with bigrams) is what naive Bayes does: it takes
  the words of a long document for independent evidence, so where it is wrong it is sure of it.
- **Texts with more than one label**, counted at the end of the page, bound what any classifier can reach on django_po,
  where texts are a few words and languages as near as ar and ar_DZ, or id and ms.
- **SMS** is flattered: many of its texts are repeats, in training and test alike.
"""

TUNED = """## Tuned by nbspark

`NaiveBayes.tune` over 20 settings (alpha 0.01 to 1, four event models), by accuracy in 5 folds, then a temperature
fitted out of fold: all of it on the training rows of each split only, so the tested rows are new to it. `chosen` says
how often which setting, of ten splits or one; the two that were chosen most.

"""

MIXED = """## Text, categories and numbers in one model

SpamAssassin, the lines above once more. The headers are the content type, the charset, the program that wrote the mail
and whether there is a Reply-To; the number is the logarithm of the length. Against a whole mail of hundreds of words
five more pieces of evidence weigh next to nothing: the gain is within the standard error. Beside the few words of a
subject they count.

"""

SPARK = """## Through Spark

`NaiveBayes.fit` and `Model.transform` with `local[2]`, on the published split or the first fold, scored by both plans
(`broadcast` and `join`), beside the kernels alone: rows with the same prediction under both, and the largest difference
of any probability of any class.

"""

CORPORA = """## The corpora

None of them comes with the project. Each is read from the files as published, in the folder named here.

"""

COLUMNS = (
    "corpus", "rows", "split", "classes", "model", "accuracy", "macro F1", "log loss", "published",
    "scikit-learn", "its accuracy", "same",
)  # fmt: skip
TUNED_COLUMNS = (
    "corpus", "model", "accuracy", "tuned", "published", "log loss", "tuned and calibrated", "chosen",
)  # fmt: skip
SPARK_COLUMNS = ("corpus", "model", "trained on", "scored", "same prediction", "largest difference")


def render(
    rows: Sequence[Row],
    in_spark: Sequence[InSpark],
    corpora: Mapping[str, Corpus],
    readers: Mapping[str, tuple[str, Callable[..., Corpus]]],
) -> str:
    """Return the page."""
    mixed = [one.cells() for one in rows if one.corpus == "SpamAssassin"]
    parts = [
        HEAD,
        "## The table\n\n" + _table(COLUMNS, [one.cells() for one in rows]),
        _agreement(rows),
        _reading(rows),
        *_tuned(rows),
        MIXED + _table(COLUMNS[4:8], [cells[4:8] for cells in mixed]),
        SPARK + _table(SPARK_COLUMNS, [one.cells() for one in in_spark]),
        CORPORA + "".join(_source(name, corpus, *readers[name]) for name, corpus in corpora.items()),
    ]
    return "\n".join(parts)


def _agreement(rows: Sequence[Row]) -> str:
    """Return what the comparison with scikit-learn came to."""
    n_tested, n_ties, n_different = (
        sum(getattr(one, name) for one in rows) for name in ("n_tested", "n_ties", "n_different")
    )
    largest = max(one.largest for one in rows)
    return (
        f"{n_tested:,} predictions: {n_tested - n_ties - n_different:,} are scikit-learn's, {n_ties:,} are ties by "
        f"rounding, {n_different:,} are others.\nThe log loss of a row differs by {largest:.1e} at most (relative "
        "where it is above 1).\n"
    )


def _reading(rows: Sequence[Row]) -> str:
    """Return the remarks, with what can be counted counted."""
    gaps = {one: abs(100 * one.accuracy - float(one.published)) for one in rows if one.published}
    of_adult = [gap for one, gap in gaps.items() if one.corpus.startswith("adult")]
    others = {one: gap for one, gap in gaps.items() if not one.corpus.startswith("adult")}
    n_near = sum(gap <= 100 * one.standard_error for one, gap in others.items())
    return READING.format(n_near=n_near, n=len(others), largest=max(others.values()), adult=of_adult[-1])


def _tuned(rows: Sequence[Row]) -> list[str]:
    """Return what tuning gave, if it was asked for."""
    lines = [one.tuned_cells() for one in rows if one.tuned is not None]
    return [TUNED + _table(TUNED_COLUMNS, lines) + _worse(rows)] if lines else []


def _worse(rows: Sequence[Row]) -> str:
    """Say which lines are worse for it."""
    tuned = [(one, one.tuned) for one in rows if one.tuned is not None]
    losses = [f"{one.corpus}, {one.model}" for one, after in tuned if after.log_loss > one.log_loss]
    lower = [f"{one.corpus}, {one.model}" for one, after in tuned if after.accuracy < one.accuracy - one.standard_error]
    return (
        f"\nLog loss is higher than before in {len(losses)} of {len(tuned)} lines{': ' if losses else ''}"
        f"{'; '.join(losses)}. Accuracy is lower by more than a standard error in {len(lower)}"
        f"{': ' if lower else ''}{'; '.join(lower)}.\n"
    )


def _source(name: str, corpus: Corpus, folder: str, reader: Callable[..., Corpus]) -> str:
    """Return the line of a corpus."""
    notes = "".join(f"; {note}" for note in corpus.notes)
    origin = " ".join((reader.__doc__ or "").split()).removesuffix(".")
    return (
        f"- **{name}**, `{folder}/`: {origin}. {len(corpus.labels):,} rows, {corpus.n_unread:,} not readable{notes}.\n"
    )


def _table(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    every = [list(columns), ["---"] * len(columns), *lines]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in every)
