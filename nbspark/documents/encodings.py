"""Bytes to text: what is not valid becomes U+FFFD, so that a row with a bad byte is read and can be counted.

Spark reads CSV and JSON in seven character sets and cuts ``text`` files into lines without decoding them.
Every other encoding that Python knows is decoded in Arrow batches, see `nbspark.documents.decoding`.
"""

from __future__ import annotations

import codecs

from nbspark.errors import DocumentsError

# Python's name of an encoding -> the name under which Spark's CSV and JSON sources know it.
SPARK_CHARSETS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8",
    "iso8859-1": "ISO-8859-1",
    "ascii": "US-ASCII",
    "utf-16": "UTF-16",
    "utf-16-be": "UTF-16BE",
    "utf-16-le": "UTF-16LE",
    "utf-32": "UTF-32",
}

_PRINTABLE = bytes(range(0x20, 0x7F))


def require_encoding(name: str) -> str:
    """Return Python's own name of the encoding ``name``.

    Raises
    ------
    DocumentsError
        Python knows no such text encoding.

    Examples
    --------
    >>> require_encoding("Latin-1"), require_encoding("GBK")
    ('iso8859-1', 'gbk')
    """
    try:
        "".encode(name)  # also refuses codecs such as "hex", which do not make text
        return codecs.lookup(name).name
    except (LookupError, ValueError) as error:
        raise DocumentsError(
            f"encoding: no text encoding is called {name!r}. Usual ones: utf-8, latin-1, windows-1252, gb18030, "
            "big5, shift_jis, euc-kr, koi8-r, utf-16."
        ) from error


def is_ascii_based(encoding: str) -> bool:
    """Say whether commas, quotes and line ends are the same single bytes as in ASCII, so that lines can be cut first.

    >>> is_ascii_based("gbk"), is_ascii_based("utf-16")
    (True, False)
    """
    return "2022" not in encoding and _PRINTABLE.decode(encoding, "replace") == _PRINTABLE.decode("ascii")


def decode(content: bytes, encoding: str) -> str:
    r"""Return ``content`` as text without a byte-order mark; bytes that are not valid become U+FFFD.

    >>> decode(b"caf\xe9", "utf-8"), decode(b"caf\xe9", "latin-1")
    ('caf�', 'café')
    """
    return content.decode(encoding, "replace").removeprefix("\ufeff")
