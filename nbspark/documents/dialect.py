"""The options of CSV as RFC 4180 has it, which is not what Spark assumes, every one open to the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbspark.errors import DocumentsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RFC_4180 = {
    "header": "true",
    "quote": '"',
    # A quote inside a quoted field is doubled. Spark's own choice is a backslash, and `"C:\\dir\\"` then swallows
    # the next field.
    "escape": '"',
    # A quoted field may hold line breaks. A file is then one task: for large files without them, turn this off.
    "multiLine": "true",
    # Text stays text: 000123, NA, true and 1.10 are values, not numbers or nulls.
    "inferSchema": "false",
    # Null is the empty field without quotes; "" is the empty string. No document consists of one NUL character.
    "nullValue": "\0",
    # Files whose header has other names, or the same in another order, are refused instead of read by position.
    "enforceSchema": "false",
    # A row with more or fewer fields than the header (a comma or a quote that nobody quoted) is an error with the
    # name of the file. Read leniently, it would invent a label, or swallow the rest of the file.
    "mode": "FAILFAST",
    # Spark counts the fields of a row only when it parses all of them.
    "columnPruning": "false",
}


def csv_options(options: Mapping[str, str], **defaults: str) -> dict[str, str]:
    r"""Return ``options``, and for what they leave open ``defaults`` and RFC 4180.

    Spark does not mind the case of an option's name, and ``delimiter`` is ``sep``.

    Examples
    --------
    >>> chosen = csv_options({"Delimiter": ";", "QUOTE": "'"}, sep="\t")
    >>> chosen["sep"], chosen["quote"], chosen["escape"], chosen["header"]
    (';', "'", "'", 'true')
    """
    spelling = {name.lower(): name for name in (*RFC_4180, "sep")} | {"delimiter": "sep"}
    given = {spelling.get(name.lower(), name): value for name, value in options.items()}
    chosen = {**RFC_4180, **defaults, **given}
    if "escape" not in given:
        chosen["escape"] = chosen["quote"] or "\0"  # another quote is doubled likewise; without quotes none is
    return chosen


def require_separator(names: Sequence[str], options: Mapping[str, str], path: str) -> None:
    """Raise if a header is one column whose name holds another separator, and no separator was chosen.

    Raises
    ------
    DocumentsError
        Says which separator to pass.

    Examples
    --------
    >>> require_separator(["text;label"], {}, "a.csv")
    Traceback (most recent call last):
        ...
    nbspark.errors.DocumentsError: documents: the header of a.csv is one column, 'text;label'. If its separator is \
';', pass --option 'sep=;'; if it is one column all the same, --option sep=,.
    >>> require_separator(["text;label"], {"sep": ","}, "a.csv")
    """
    if len(names) != 1 or any(name.lower() in ("sep", "delimiter") for name in options):
        return
    found = next((one for one in ("\t", ";", "|", ",") if one in names[0]), None)
    if found is None:
        return
    shown = found.replace("\t", "\\t")
    raise DocumentsError(
        f"documents: the header of {path} is one column, {names[0]!r}. If its separator is '{shown}', "
        f"pass --option 'sep={shown}'; if it is one column all the same, --option sep=,."
    )
