"""Text before it is cut: valid UTF-8, without invisible characters, in one normal form, case and accents.

Texts that are ASCII need only Arrow's ``ascii_lower``. The others go through Python row by row: its
``str.lower`` knows the final sigma and the dotted I, which Arrow's and Java's functions treat differently.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import partial
from itertools import filterfalse
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.text.columns import pieces

if TYPE_CHECKING:
    from nbspark.text.options import TokenOptions

# Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt): characters that are not seen.
INVISIBLE_RANGES = (
    (0x00AD, 0x00AD),  # soft hyphen
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x061C, 0x061C),  # Arabic letter mark
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian variation selectors, vowel separator
    (0x200B, 0x200F),  # zero-width blank, joiners, bidi marks
    (0x202A, 0x202E),  # bidi embeddings
    (0x2060, 0x206F),  # word joiner, invisible operators, bidi isolates
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFEFF, 0xFEFF),  # byte order mark
    (0xFFA0, 0xFFA0),  # halfwidth Hangul filler
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),  # shorthand format controls
    (0x1D173, 0x1D17A),  # musical format controls
    (0xE0000, 0xE0FFF),  # tags, further variation selectors
)
INVISIBLE = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in INVISIBLE_RANGES) + "]+")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def text_normaliser(options: TokenOptions) -> Callable[[pa.StringArray], pa.StringArray]:
    """Return a function from texts without nulls to the texts that are cut into tokens.

    Bytes that are not UTF-8 become U+FFFD.
    """
    rewrite = row_normaliser(options)

    def normalise(texts: pa.StringArray) -> pa.StringArray:
        lowered = pc.ascii_lower(texts) if options.lowercase else texts
        is_ascii = pc.string_is_ascii(texts)
        if is_ascii.true_count == len(texts):
            return lowered
        others = pc.invert(is_ascii)
        rewritten = [rewrite(text) for text in decoded(texts.filter(others))]
        return pc.replace_with_mask(lowered, others, pa.array(rewritten, pa.string()))

    return normalise


def row_normaliser(options: TokenOptions) -> Callable[[str], str]:
    """Return the function that one text that is not ASCII goes through."""
    steps: list[Callable[[str], str]] = []
    if options.remove_invisible:
        steps.append(partial(INVISIBLE.sub, ""))
    if options.normalize != "none":
        steps.append(NORMAL_FORMS[str(options.normalize)])
    if options.lowercase:
        steps.append(str.lower)
    if options.strip_accents != "none":
        steps.append(ACCENT_STRIPPERS[options.strip_accents])

    def rewrite(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return rewrite


def has_replacement_character(texts: pa.StringArray | pa.LargeStringArray | pa.ChunkedArray) -> np.ndarray:
    """Tell which texts hold U+FFFD or bytes that are not UTF-8, which become one; null holds none.

    Returns
    -------
    bool array, shape (n_texts,)

    Examples
    --------
    >>> has_replacement_character(pa.array(["caf\ufffd", "café", None]))
    array([ True, False, False])
    """
    return np.concatenate([np.zeros(0, bool), *map(_has_replacement_character, pieces(texts))])


def _has_replacement_character(texts: pa.StringArray) -> np.ndarray:
    """Tell the same of one piece."""
    out = np.zeros(len(texts), bool)
    others = pc.invert(pc.string_is_ascii(texts))
    out[np.asarray(others)] = [REPLACEMENT in text for text in decoded(texts.filter(others))]
    return out


def decoded(texts: pa.StringArray) -> list[str]:
    """Return texts as Python strings, U+FFFD for what is not UTF-8 (Spark's text reader passes raw bytes)."""
    return [raw.decode("utf-8", errors="replace") for raw in texts.view(pa.binary()).to_pylist()]


def _strip_accents_unicode(text: str) -> str:
    """Return the text without combining marks, in compatibility decomposition."""
    return "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFKD", text)))


def _strip_accents_ascii(text: str) -> str:
    """Return what is left of the text in ASCII after compatibility decomposition."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


NORMAL_FORMS: dict[str, Callable[[str], str]] = {
    "NFC": partial(unicodedata.normalize, "NFC"),
    "NFD": partial(unicodedata.normalize, "NFD"),
    "NFKC": partial(unicodedata.normalize, "NFKC"),
    "NFKD": partial(unicodedata.normalize, "NFKD"),
}
ACCENT_STRIPPERS: dict[str, Callable[[str], str]] = {"unicode": _strip_accents_unicode, "ascii": _strip_accents_ascii}
