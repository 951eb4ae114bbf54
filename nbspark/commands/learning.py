"""What the arguments of ``train`` say to learn: a spec file, or columns and the usual options. No pyspark in it."""

from __future__ import annotations

import argparse
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from nbspark.errors import SpecError

if TYPE_CHECKING:
    from nbspark.features import Feature
    from nbspark.spec import Spec

FOLDERS_LABEL, FOLDERS_TEXT = "label", "text"  # the columns of --format folders
_OPTIONS = ("label", "text", "categorical", "numeric", "alpha", "event", "tokens", "ngrams")
_LARGEST_DENOMINATOR = 10**9


def add_spec(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add the arguments that say what to learn; ``several`` specs are read by ``specs_of``."""
    parser.add_argument(
        "--spec",
        metavar="FILE",
        action="append" if several else "store",
        help="what to learn, as TOML or JSON with every option" + ("; may be repeated" if several else ""),
    )
    group = parser.add_argument_group("without a spec file")
    group.add_argument("--label", metavar="COLUMN", help="the class; 'label' if not given with --format folders")
    group.add_argument(
        "--text", action="append", metavar="COLUMN", help="a text; may be repeated; 'text' with --format folders"
    )
    group.add_argument("--categorical", action="append", metavar="COLUMN", help="a category; may be repeated")
    group.add_argument("--numeric", action="append", metavar="COLUMN", help="a number, Gaussian; may be repeated")
    group.add_argument("--alpha", type=_alpha, metavar="NUMBER", help="pseudo-count of every term; 1 if not given")
    group.add_argument("--event", metavar="NAME", help="multinomial (if not given), binary, bernoulli or complement")
    group.add_argument("--tokens", metavar="NAME", help="words (if not given), whitespace, chars, chars_wb or chinese")
    group.add_argument("--ngrams", type=_ngrams, metavar="MIN-MAX", help="tokens in a term: 1-2 is words and pairs")


def is_spec_given(args: argparse.Namespace) -> bool:
    """Say whether the arguments say what to learn, or something of it."""
    return bool(args.spec) or any(getattr(args, name) is not None for name in _OPTIONS)


def spec_of(args: argparse.Namespace) -> Spec:
    """Return the spec that the arguments give, by a file or by columns.

    Raises
    ------
    SpecError
        Both, neither or too little is given, or an option has no such value.
    """
    from nbspark.spec import Spec

    by_columns = [f"--{name}" for name in _OPTIONS if getattr(args, name) is not None]
    if args.spec and by_columns:
        raise SpecError(f"--spec says all of what to learn, so {', '.join(by_columns)} cannot be given beside it.")
    if args.spec:
        return Spec.from_file(args.spec)
    is_folders = (args.format or "").lower() == "folders"
    label = args.label or (FOLDERS_LABEL if is_folders else None)
    given = bool(args.text or args.categorical or args.numeric)
    texts = args.text or ([FOLDERS_TEXT] if is_folders and not given else [])
    if label is None or not (given or texts):
        raise SpecError(
            "say what to learn: either --spec FILE, or --label COLUMN and one or more of --text COLUMN, "
            "--categorical COLUMN, --numeric COLUMN; or --format folders, where the documents are a folder per class."
        )
    of_texts = {name: getattr(args, name) for name in ("event", "tokens", "ngrams") if getattr(args, name) is not None}
    if of_texts and not texts:
        raise SpecError(f"{', '.join(f'--{name}' for name in of_texts)}: for --text only, and no --text is given.")
    return _spec(label, texts, args, of_texts)


def specs_of(args: argparse.Namespace) -> list[Spec]:
    """Return the specs that the arguments give: one or more files, or one by columns; the errors are ``spec_of``'s."""
    return [spec_of(argparse.Namespace(**{**vars(args), "spec": file})) for file in args.spec or [None]]


def _spec(label: str, texts: list[str], args: argparse.Namespace, of_texts: dict[str, Any]) -> Spec:
    """Return a spec by columns."""
    from nbspark.features import Categorical, Numeric, Text
    from nbspark.spec import Spec

    features: list[Feature] = [
        *(Text(column, **of_texts) for column in texts),
        *(Categorical(column) for column in args.categorical or ()),
        *(Numeric(column) for column in args.numeric or ()),
    ]
    return Spec(label=label, features=features, **({} if args.alpha is None else {"alpha": args.alpha}))


def share(text: str) -> Fraction:
    """Return a share between 0 and 1 as it is written.

    >>> share("0.2")
    Fraction(1, 5)
    """
    try:
        found = Fraction(text)
    except (ValueError, ZeroDivisionError):
        found = Fraction(0)
    if not 0 < found < 1 or found.denominator > _LARGEST_DENOMINATOR:
        raise argparse.ArgumentTypeError(f"wants a number between 0 and 1, for example 0.2, found {text!r}")
    return found


def _alpha(text: str) -> float | str:
    """Return a pseudo-count, or the name of none at all."""
    try:
        return float(text)
    except ValueError:
        return text  # the spec says which names there are


def _ngrams(text: str) -> tuple[int, int]:
    """Return the shortest and the longest n-gram.

    >>> _ngrams("1-2"), _ngrams("3")
    ((1, 2), (3, 3))
    """
    found = re.fullmatch(r"(\d+)(?:[-,](\d+))?", text)
    if not found:
        raise argparse.ArgumentTypeError(f"wants MIN-MAX, for example 1-2 for words and pairs, found {text!r}")
    return int(found[1]), int(found[2] or found[1])
