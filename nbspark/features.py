"""What a model looks at: one frozen dataclass per kind of feature, every option of it in the open.

A feature names a column and says how a value becomes terms. The options are checked when the feature is
made, so that a wrong one is an error on the driver, before any document is read.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from nbspark.errors import SetupError, SpecError

TOKENS = ("words", "whitespace", "pattern", "chars", "chars_wb", "chinese")
NORMAL_FORMS = ("NFC", "NFD", "NFKC", "NFKD", "none")
ACCENTS = ("none", "unicode", "ascii")


@dataclass(frozen=True)
class Text:
    r"""A text column, turned into terms by one tokenizer.

    Parameters
    ----------
    column : str
        The column that holds the text. Null and ``""`` are documents without terms.
    name : str, optional
        The feature's name in the counts; the column's name unless given.
    tokens : {"words", "whitespace", "pattern", "chars", "chars_wb", "chinese"}
        ``words``: runs of letters, marks, digits and underscore. ``whitespace``: what ``str.split`` gives.
        ``pattern``: what ``re.findall(pattern, text)`` gives. ``chars``: windows of characters across the
        text; ``chars_wb``: within words, each padded with one blank. ``chinese``: words cut by rjieba.
    pattern : str, optional
        A regular expression; giving one makes ``tokens="pattern"``.
    ngrams : (int, int)
        Shortest and longest run of neighbouring tokens (or characters) that makes a term.
    lowercase : bool
    normalize : {"NFC", "NFD", "NFKC", "NFKD", "none"}, optional
        Unicode normal form. NFC unless given, and ``none`` with a pattern: a pattern sees the text as it
        is written, lowercase apart.
    strip_accents : {"none", "unicode", "ascii"}
    remove_invisible : bool, optional
        Remove default-ignorable characters (soft hyphen, zero-width blanks, bidi marks) before anything
        else. True unless given, and False with a pattern.
    min_length, max_length : int, int or None
        Length of a token in characters; others are dropped.
    stop_words : str or sequence of str, optional
        Tokens to drop: a list, or a language such as ``"en"`` (the extra ``stopwords`` brings the lists).

    Examples
    --------
    >>> Text("body", ngrams=(1, 2)).tokens
    'words'
    >>> Text("body", pattern=r"(?u)\b\w\w+\b").normalize
    'none'
    """

    kind: ClassVar[str] = "text"

    column: str
    name: str | None = None
    tokens: str | None = None
    pattern: str | None = None
    ngrams: tuple[int, int] = (1, 1)
    lowercase: bool = True
    normalize: str | None = None
    strip_accents: str = "none"
    remove_invisible: bool | None = None
    min_length: int = 1
    max_length: int | None = None
    stop_words: str | tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Fill in the options that follow from others, then check every one."""
        by_pattern = self.pattern is not None
        set_default(self, "name", self.column)
        set_default(self, "tokens", "pattern" if by_pattern else "words")
        set_default(self, "normalize", "none" if by_pattern else "NFC")
        set_default(self, "remove_invisible", not by_pattern)
        require_types(self, self.kind)
        require_choice(self, "tokens", TOKENS)
        require_choice(self, "normalize", NORMAL_FORMS)
        require_choice(self, "strip_accents", ACCENTS)
        if by_pattern != (self.tokens == "pattern"):
            raise SpecError(f'{_of(self)}: tokens="pattern" and a pattern go together; found tokens={self.tokens!r}.')
        if self.pattern is not None:
            _require_pattern(self, self.pattern)
        low, high = self.ngrams
        if not 1 <= low <= high:
            raise SpecError(f"{_of(self)}: ngrams wants 1 <= shortest <= longest, found [{low}, {high}].")
        if self.min_length < 1 or (self.max_length is not None and self.max_length < self.min_length):
            raise SpecError(
                f"{_of(self)}: wants 1 <= min_length <= max_length, found {self.min_length} and {self.max_length}."
            )

    def resolved(self) -> Text:
        """Return the feature with its stop words as a list, so that the model does not depend on a package.

        Raises
        ------
        SetupError
            ``stop_words`` names a language and the extra ``stopwords`` is not installed.
        SpecError
            The language is not known.
        """
        if not isinstance(self.stop_words, str):
            return self
        return replace(self, stop_words=stop_words_of(self.stop_words))


Feature = Text
KINDS: dict[str, type[Feature]] = {Text.kind: Text}


def stop_words_of(language: str) -> tuple[str, ...]:
    """Return the stop words of a language by its ISO 639-1 code, sorted."""
    try:
        import stopwordsiso
    except ImportError as error:
        raise SetupError(
            f"stop_words={language!r} needs the package stopwordsiso: pip install 'nbspark[stopwords]'."
        ) from error
    if not stopwordsiso.has_lang(language):
        raise SpecError(f"stop_words: no language {language!r}; known: {sorted(stopwordsiso.langs())}.")
    return tuple(sorted(stopwordsiso.stopwords(language)))


def replace(spec: Any, **changes: Any) -> Any:
    """Return a copy of a frozen dataclass with some fields changed; an unknown field is an error."""
    known = {field.name: getattr(spec, field.name) for field in fields(spec)}
    require_known(changes, list(known), type(spec).__name__)
    return type(spec)(**{**known, **changes})


def require_known(given: Any, known: list[str], where: str) -> None:
    """Raise one error that lists every unknown key, each with the nearest known one."""
    unknown = [key for key in given if key not in known]
    if not unknown:
        return
    hints = []
    for key in unknown:
        near = difflib.get_close_matches(str(key), known, n=1)
        hints.append(f"{key!r}" + (f" (did you mean {near[0]!r}?)" if near else ""))
    raise SpecError(f"{where}: unknown key {', '.join(hints)}; known: {known}.")


def set_default(spec: Any, name: str, value: Any) -> None:
    """Fill in a field of a frozen dataclass that was left None."""
    if getattr(spec, name) is None:
        object.__setattr__(spec, name, value)


_TYPES: dict[str, tuple[str, tuple[type, ...]]] = {
    "str": ("a text", (str,)),
    "str | None": ("a text", (str, type(None))),
    "bool": ("true or false", (bool,)),
    "bool | None": ("true or false", (bool, type(None))),
    "int": ("a whole number", (int,)),
    "int | None": ("a whole number", (int, type(None))),
    "float": ("a number", (int, float)),
    "float | None": ("a number", (int, float, type(None))),
    "int | float | None": ("a number", (int, float, type(None))),
    "tuple[int, int]": ("two whole numbers", (tuple, list)),
    "str | tuple[str, ...] | None": ("a text or a list of texts", (str, tuple, list, type(None))),
}


def require_types(spec: Any, where: str) -> None:
    """Check each field of a frozen dataclass against its annotation; lists become tuples."""
    for field in fields(spec):
        if field.type not in _TYPES:
            continue
        wanted, kinds = _TYPES[str(field.type)]
        value = getattr(spec, field.name)
        fits = isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
        if fits and isinstance(value, list | tuple):
            item = int if "int" in wanted or "whole" in wanted else str
            fits = all(isinstance(one, item) for one in value) and (item is str or len(value) == 2)
            object.__setattr__(spec, field.name, tuple(value))
        if not fits:
            raise SpecError(f"{where}: {field.name} wants {wanted}, found {value!r}.")


def require_choice(spec: Any, name: str, choices: tuple[str, ...]) -> None:
    """Raise an error unless a field holds one of its choices."""
    value = getattr(spec, name)
    if value not in choices:
        raise SpecError(f"{_of(spec)}: {name}={value!r} is not one of {list(choices)}.")


def _require_pattern(spec: Text, pattern: str) -> None:
    """Raise an error that shows where a regular expression does not parse."""
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise SpecError(f"{_of(spec)}: pattern {pattern!r} does not parse at position {error.pos}: {error.msg}.") from error
    if groups > 1:
        raise SpecError(f"{_of(spec)}: pattern {pattern!r} has {groups} groups; at most one. Write (?:...) for the others.")


def _of(spec: Any) -> str:
    """Name a feature in a message."""
    return f"{spec.kind} feature {spec.column!r}"
