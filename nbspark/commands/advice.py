"""What helps where the terms of documents do not fit a model. No pyspark in it."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from nbspark.spec import Spec

MANY_UNKNOWN = 1 / 3  # of the terms
MANY_UNDECODABLE = 1 / 10  # of the documents
# Scripts that do not separate words, and how many characters words have on average at most where somebody did.
# Hangul is written with blanks.
_UNSPACED = (
    (re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]+"), 5),  # kana and Han
    (re.compile(r"[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff]+"), 12),  # Thai, Lao, Tibetan, Myanmar, Khmer
)
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
_BY_BLANKS = ("words", "whitespace")


def is_unspaced(texts: Iterable[str | None]) -> bool:
    """Say whether most letters of some texts or terms are of scripts without blanks, in runs that are no words.

    >>> is_unspaced(["股票市场今天上涨了"]), is_unspaced(["股票 市场 今天 上涨 了"]), is_unspaced(["shares rose"])
    (True, False, False)
    """
    whole = "\n".join(text for text in texts if text)
    n_letters = sum(unicodedata.category(character)[0] in "LM" for character in whole)
    for script, longest in _UNSPACED:
        runs = script.findall(whole)
        n_unspaced = sum(map(len, runs))
        if 2 * n_unspaced > n_letters and n_unspaced > longest * len(runs):
            return True
    return False


def warnings_of_unspaced(spec: Spec, texts: Mapping[str, Sequence[str | None]]) -> list[str]:
    """Return what to say where the tokenizer finds no words, because no blanks separate them.

    Parameters
    ----------
    texts : mapping
        Some texts or terms of each feature, by its name.
    """
    found = []
    for feature in spec.features:
        own = texts.get(str(feature.name), ())
        if getattr(feature, "tokens", None) not in _BY_BLANKS or not is_unspaced(own):
            continue
        has_han = any(_HAN.search(text) for text in own if text)
        ways = 'tokens="chinese" (words) or tokens="chars" (characters)' if has_han else 'tokens="chars" (characters)'
        options = "--tokens chinese, or --tokens chars --ngrams 1-2" if has_han else "--tokens chars --ngrams 1-3"
        found.append(
            f"the texts in {feature.column!r} are of a script without blanks, so whole sentences were taken for words. "
            f"Train with {ways}: {options}."
        )
    return found


def warning_of_unknown(spec: Spec, n_terms: int, n_known: int) -> str | None:
    """Return what to say where many terms of scored documents are unknown to the model, or None.

    >>> from nbspark.features import Text
    >>> from nbspark.spec import Spec
    >>> warning_of_unknown(Spec(label="topic", features=[Text("body")]), 10, 7)
    """
    n_unknown = n_terms - n_known
    if not n_terms or n_unknown <= MANY_UNKNOWN * n_terms:
        return None
    by_words = [one for one in spec.features if getattr(one, "tokens", None) in _BY_BLANKS]
    other = (
        ' For a script without blanks train with tokens="chinese" or tokens="chars", for short or misspelt texts with '
        'tokens="chars_wb" and ngrams.'
        if by_words
        else ""
    )
    return (
        f"{n_unknown / n_terms:.0%} of the terms are unknown to the model, and were left out. Are these documents of "
        f"the language, the kind and the --encoding that it was trained on?{other}"
    )


def warning_of_undecodable(n_undecodable: int, n_docs: int) -> str | None:
    """Return what to say of documents whose bytes are not valid in the encoding, or None.

    >>> warning_of_undecodable(1, 1)
    '1 of 1 documents with U+FFFD: bytes that are not valid in the encoding, or text that was damaged before. \
See --encoding.'
    """
    if not n_undecodable:
        return None
    return (
        f"{n_undecodable:,} of {n_docs:,} documents with U+FFFD: bytes that are not valid in the encoding, or text "
        "that was damaged before. See --encoding."
    )
