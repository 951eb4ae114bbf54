"""Readers of public corpora: one small function each, from the files as published to labelled rows.

Each corpus is a folder of the data folder. What a file does that one would not expect is a comment where it is
handled. A row that cannot be read is counted, never left out silently.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from corpora import mails, tables, texts
from corpora.base import Corpus

__all__ = ["READERS", "Corpus", "read"]

# Name in the table: folder, reader.
READERS: dict[str, tuple[str, Callable[[Path], Corpus]]] = {
    "RT-s": ("rt_sentence_polarity", texts.rt_sentence_polarity),
    "Subjectivity": ("subjectivity", texts.subjectivity),
    "RT-2k": ("rt_movie_reviews_2k", texts.rt_movie_reviews_2k),
    "R8": ("reuters_r8_r52", texts.reuters_r8),
    "R52": ("reuters_r8_r52", texts.reuters_r52),
    "20NG": ("20ng_cachopo", texts.twenty_newsgroups),
    "SMS": ("sms_spam", texts.sms_spam),
    "SpamAssassin": ("spamassassin", mails.spamassassin),
    "banking77": ("banking77", texts.banking77),
    "clinc150": ("clinc150", texts.clinc150),
    "TREC, 6 classes": ("trec_qc", texts.trec_coarse),
    "TREC, 50 classes": ("trec_qc", texts.trec_fine),
    "THUCNews": ("thucnews_headlines", texts.thucnews_headlines),
    "online_shopping": ("online_shopping_10_cats", texts.online_shopping_10_cats),
    "django_po": ("django_po", texts.django_po),
    "mushroom": ("uci_categorical", tables.mushroom),
    "car": ("uci_categorical", tables.car),
    "nursery": ("uci_categorical", tables.arff("nursery")),
    "vote": ("uci_categorical", tables.arff("vote")),
    "soybean": ("uci_categorical", tables.arff("soybean")),
    "adult": ("uci_adult", tables.adult),
    "adult, complete rows": ("uci_adult", tables.adult_complete),
}


def read(name: str, data: Path) -> Corpus:
    """Return a corpus by its name in the table."""
    folder, reader = READERS[name]
    return reader(data / folder)
