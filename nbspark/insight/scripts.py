"""The script that most letters of a text are of: by Unicode blocks, whole columns at a time."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbspark.arrays.runs import sums_between
from nbspark.text.columns import pieces
from nbspark.text.normalise import decoded

NONE = "none"  # of a text without a letter that is known here
KANA_SHARE = 0.1  # of the letters: with so many kana, Han characters are Japanese
# Blocks of letters (Unicode 15.1, Blocks.txt), those of a script together; what lies between is of none.
BLOCKS = {
    "Latin": (
        (0x41, 0x5A),
        (0x61, 0x7A),
        (0xC0, 0xD6),
        (0xD8, 0xF6),
        (0xF8, 0x24F),
        (0x1E00, 0x1EFF),
        (0xFF21, 0xFF5A),
    ),
    "Greek": ((0x370, 0x3FF), (0x1F00, 0x1FFF)),
    "Cyrillic": ((0x400, 0x52F), (0x1C80, 0x1C8F), (0x2DE0, 0x2DFF), (0xA640, 0xA69F)),
    "Armenian": ((0x531, 0x58F),),
    "Hebrew": ((0x5D0, 0x5F4), (0xFB1D, 0xFB4F)),
    "Arabic": ((0x620, 0x65F), (0x66E, 0x6EF), (0x6FA, 0x6FF), (0x750, 0x77F), (0x8A0, 0x8FF), (0xFB50, 0xFEFC)),
    "Devanagari": ((0x900, 0x963), (0x970, 0x97F)),
    "Bengali": ((0x980, 0x9E3),),
    "Gurmukhi": ((0xA00, 0xA65),),
    "Gujarati": ((0xA80, 0xAE5),),
    "Tamil": ((0xB80, 0xBE5),),
    "Telugu": ((0xC00, 0xC65),),
    "Kannada": ((0xC80, 0xCE5),),
    "Malayalam": ((0xD00, 0xD65),),
    "Sinhala": ((0xD80, 0xDE5),),
    "Thai": ((0xE01, 0xE4E),),
    "Lao": ((0xE80, 0xECF),),
    "Tibetan": ((0xF40, 0xFBC),),
    "Myanmar": ((0x1000, 0x103F),),
    "Georgian": ((0x10A0, 0x10FF),),
    "Hangul": ((0x1100, 0x11FF), (0x3131, 0x318E), (0xA960, 0xA97F), (0xAC00, 0xD7FF)),
    "Ethiopic": ((0x1200, 0x137F),),
    "Khmer": ((0x1780, 0x17D3),),
    "Mongolian": ((0x1820, 0x18AF),),
    "Kana": ((0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9D)),
    "Han": ((0x3005, 0x3007), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF)),
}
SCRIPTS = tuple(BLOCKS)
_EDGES = sorted((first, last + 1, code) for code, name in enumerate(SCRIPTS) for first, last in BLOCKS[name])
_STARTS = np.array([edge for first, after, _ in _EDGES for edge in (first, after)])
_CODES = np.array([code for _, _, one in _EDGES for code in (one, -1)])  # from each start on
_KANA, _HAN, _LATIN = (SCRIPTS.index(name) for name in ("Kana", "Han", "Latin"))


def scripts_of(texts: pa.Array) -> pa.StringArray:
    """Return the script of each text, ``none`` where there are no letters or no text.

    >>> scripts_of(pa.array(["win cash", "Привет, world", "股票上涨", "これは日本語です", "123", None])).to_pylist()
    ['Latin', 'Cyrillic', 'Han', 'Kana', 'none', 'none']
    """
    names = pa.array([*SCRIPTS, NONE])
    codes = [np.zeros(0, np.int64), *map(_codes, pieces(texts))]
    return names.take(pa.array(np.concatenate(codes)))


def _codes(texts: pa.StringArray) -> np.ndarray:
    """Return the place of each text's script in ``SCRIPTS``, and the number of them where there is none."""
    is_ascii = np.asarray(pc.string_is_ascii(texts))
    out = np.where(np.asarray(pc.match_substring_regex(texts, "[A-Za-z]")), _LATIN, len(SCRIPTS))
    others = list(decoded(texts.filter(pa.array(~is_ascii))))
    if not others:
        return out
    points = np.frombuffer("".join(others).encode("utf-32-le", "replace"), np.uint32)
    place = np.searchsorted(_STARTS, points, side="right") - 1
    script = np.where(place >= 0, _CODES[place], -1)
    ends = np.cumsum([0, *map(len, others)])
    found = np.stack([sums_between((script == code).astype(float), ends) for code in range(len(SCRIPTS))], axis=1)
    kana, han = found[:, _KANA].copy(), found[:, _HAN].copy()
    is_japanese = (kana > 0) & (kana >= KANA_SHARE * (kana + han))
    found[is_japanese, _KANA] += han[is_japanese]
    best = found.argmax(axis=1)
    best[found.sum(axis=1) == 0] = len(SCRIPTS)
    out[~is_ascii] = best
    return out
