"""Text that was read in another encoding than it was written in."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.text.columns import pieces

# What the bytes 80 to BF of UTF-8, which follow the first one of a character, are in Windows-1252 and Latin-1.
_FOLLOWS = "[\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
# The first byte and what follows, one alternative a range of characters. In the first line characters that no text has
# side by side; elsewhere, where a letter with an accent may well stand before a quote or a dash, two in a row.
MOJIBAKE = "|".join(
    [
        f"[ÂÃ]{_FOLLOWS}|â[\u0080€]{_FOLLOWS}|ð[\u009fŸ]{_FOLLOWS}{{2}}|ï»¿|ï¿½",  # accents; quotes; emoji; BOM; U+FFFD
        f"(?:[Ä-ß]{_FOLLOWS}){{2}}",  # Greek, Cyrillic, Hebrew, Arabic, and Latin further on
        f"(?:[à-ï]{_FOLLOWS}{{2}}){{2}}",  # Indic, Thai, Han, kana, Hangul
    ]
)


def is_mojibake(texts: pa.Array) -> np.ndarray:
    """Tell which texts hold sequences as UTF-8 read as Windows-1252 or Latin-1 makes them; null holds none.

    Examples
    --------
    >>> damaged = [text.encode().decode("cp1252") for text in ("café", "it’s", "Über", "Привет", "日本")]
    >>> damaged
    ['cafÃ©', 'itâ€™s', 'Ãœber', 'ÐŸÑ€Ð¸Ð²ÐµÑ‚', 'æ—¥æœ¬']
    >>> is_mojibake(pa.array(damaged)).all()
    np.True_
    >>> is_mojibake(pa.array(["café", "CAFÉ»", "« été »…", "NÃO", "größer – Öl", "Ðà", None])).any()
    np.False_
    """
    found = [np.asarray(pc.match_substring_regex(piece, MOJIBAKE)) for piece in pieces(texts)]
    return np.concatenate([np.zeros(0, bool), *found])
