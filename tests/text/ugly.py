"""Texts on which tokenizers go wrong, written for these tests, and strategies that draw more of them."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

UGLY: list[str | None] = [
    None,
    "",
    " ",
    "  !!! ",
    "???",
    "a",
    "_",
    "I won a prize",
    "e-mail me@example.org, don't!",
    "C:\\dir\\ 3.14 1e-5 50% $1,000",
    "tab\tline\nreturn\r\nnext\x0bpage\x0cunit\x1funder",
    "free\u00a0cash\u2009free\u202fcash\u3000free\u0085cash\u2028free",  # blanks that are not blanks
    "so\u00adft zero\u200bwidth \u202ebidi\u202c w\u2060j \ufeffbom",  # characters that are not seen
    "ΟΔΥΣΣΕΥΣ ΣΊΣΥΦΟΣ. Σ ΑΣ",  # final sigma
    "İSTANBUL Iğdır ISPARTA ışık",  # dotted and dotless I
    "Straße STRASSE ẞ ﬁre ﬀ",
    "café cafe\u0301 CAFE\u0301 naïve Ångström A\u030angstro\u0308m",  # composed and decomposed
    "हिन्दी भाषा",
    "తెలుగు భాష",
    "বাংলা ভাষা",
    "ภาษาไทย ไม่มีช่องว่าง",
    "می\u200cخواهم کتاب‌ها",
    "שָׁלוֹם עולם",
    "русский Ёлка й и\u0306",
    "我来到北京,清华大学。「引用」",
    "日本語のテキスト、カタカナ ﾊﾝｶｸ",
    "한국어 텍스트 \u1112\u1161\u11ab",
    "x² ½ Ⅻ ٣٤٥ 𝟙𝟚 𝒜𝓑 𐐀𐐨",  # numbers of other kinds, letters beyond the first plane
    "👍🏽 ❤\ufe0f 👨\u200d👩\u200d👧 🇩🇪",
    "\u0301lone \u0301 mark",
    "nul\x00byte\x00",
    "caf\ufffd",
    "\U0010ffff\U000e0041tag",
    "ab  cd \u00a0 ef\u2003\u2003gh",
    "of of of the the",
    "x" * 300,
]

# Characters that meet a rule of their own somewhere, drawn more often than chance would.
_ODD = "aAbßẞéÉİIıiΣσςÅñ_ -'.!09²½٣\t\n\r\x0b\x1c\x1f\x85\xa0\u2009\u2028\u3000\x00\xad\u200b\u200c\u200d\u202e\ufeff"
_ODD += "\u0301\u030a\u0327ि्हभতత我京カ한\u1112\u1161\u11ab𝒜𐐀👍\ufe0f\ufffdﬁ\u0345ǅ"

texts = st.one_of(st.text(max_size=40), st.text(alphabet=_ODD, max_size=40))
documents = st.lists(st.one_of(st.none(), texts), max_size=6)

LAWS = settings(deadline=None, max_examples=100)
