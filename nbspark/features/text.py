"""A text column: how a text becomes terms, and how terms become evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from nbspark.errors import SetupError, SpecError
from nbspark.features.checks import Readable, of, replace, require_choice, require_types, set_default
from nbspark.features.options import Alpha, require_alpha, require_event, require_limits
from nbspark.text.options import word_options_of_characters
from nbspark.text.patterns import compile_pattern

TOKENS = ("words", "whitespace", "pattern", "chars", "chars_wb", "chinese")
NORMAL_FORMS = ("NFC", "NFD", "NFKC", "NFKD", "none")
ACCENTS = ("none", "unicode", "ascii")


@dataclass(frozen=True, repr=False)
class Text(Readable):
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
        A regular expression; giving one makes ``tokens="pattern"``. One that could run for ever is refused.
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
        Words to drop: a list, or a language such as ``"en"`` (the extra ``stopwords`` brings the lists). Each goes
        through the tokenizer: ``isn't`` drops the tokens ``isn`` and ``t`` where they are neighbours.
    event : {"multinomial", "binary", "bernoulli", "complement"}
        How terms become evidence; ``binary`` is multinomial on presence.
    norm : bool
        Divide each class's complement weights by their sum.
    alpha : float, dict of str to float, or "maximum_likelihood", optional
        Pseudo-count of each term, or of the terms given; the model's unless given here.
    min_docs, max_docs : int or float, optional
        Documents that have a term, at least and at most; a float is a share of all documents.
    min_count : float
        Occurrences of a term, at least.
    max_terms : int, optional
        Keep the most frequent terms only.
    drop_top : int
        Drop the most frequent terms of training, as stop words. Equal frequencies go by the term.

    Examples
    --------
    >>> Text("body", ngrams=(1, 2)).tokens
    'words'
    >>> Text("body", pattern=r"(?u)\b\w\w+\b").normalize
    'none'
    """

    kind: ClassVar[str] = "text"
    has_terms: ClassVar[Literal[True]] = True

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
    event: str = "multinomial"
    norm: bool = False
    alpha: Alpha | None = None
    min_docs: int | float | None = None
    max_docs: int | float | None = None
    min_count: int | float = 0
    max_terms: int | None = None
    drop_top: int = 0

    def __post_init__(self) -> None:
        """Fill in the options that follow from others, then check every one."""
        by_pattern = self.pattern is not None
        set_default(self, "name", self.column)
        set_default(self, "tokens", "pattern" if by_pattern else "words")
        set_default(self, "normalize", "none" if by_pattern else "NFC")
        set_default(self, "remove_invisible", not by_pattern)
        require_types(self)
        require_alpha(self)
        require_event(self)
        require_limits(self)
        require_choice(self, "tokens", TOKENS)
        require_choice(self, "normalize", NORMAL_FORMS)
        require_choice(self, "strip_accents", ACCENTS)
        if by_pattern != (self.tokens == "pattern"):
            raise SpecError(f'{of(self)}: tokens="pattern" and a pattern go together; found tokens={self.tokens!r}.')
        if self.pattern is not None:
            _require_pattern(self, self.pattern)
        wrong = word_options_of_characters(self)
        if wrong:
            raise SpecError(f"{of(self)}: {'; '.join(wrong)}.")
        low, high = self.ngrams
        if not 1 <= low <= high:
            raise SpecError(f"{of(self)}: ngrams wants 1 <= shortest <= longest, found [{low}, {high}].")
        if self.min_length < 1 or (self.max_length is not None and self.max_length < self.min_length):
            raise SpecError(
                f"{of(self)}: wants 1 <= min_length <= max_length, found {self.min_length} and {self.max_length}."
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


def _require_pattern(spec: Text, pattern: str) -> None:
    """Raise an error that names the feature if its regular expression cannot be used."""
    try:
        compile_pattern(pattern)
    except SpecError as error:
        raise SpecError(f"{of(spec)}: {error}") from error
