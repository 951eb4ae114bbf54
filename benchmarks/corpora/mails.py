"""Raw mails to columns, by the standard library, whatever their headers and charsets claim."""

from __future__ import annotations

import email
import email.policy
import math
import re
import tarfile
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pyarrow as pa

from corpora.base import Corpus

COLUMNS = {
    "subject": pa.string(),
    "text": pa.string(),  # subject and every text part, markup included
    "content_type": pa.string(),
    "charset": pa.string(),  # as the mail names it, whether it exists or not
    "mailer": pa.string(),  # the program's name without its version
    "has_reply_to": pa.bool_(),
    "log_length": pa.float64(),  # natural logarithm of the bytes of the whole mail
}


class NotAMailError(ValueError):
    """Bytes without a single header."""


def spamassassin(folder: Path) -> Corpus:
    """`spamassassin_raw.tar.bz2`: raw mails, the SpamAssassin public corpus of 2003, as in stdlib-js."""
    rows: list[dict[str, Any]] = []
    labels, unread, undecoded = [], 0, 0
    with tarfile.open(folder / "spamassassin_raw.tar.bz2") as archive:
        for member in archive:
            if not member.isfile():
                continue
            try:
                mail = read_mail(archive.extractfile(member).read())  # type: ignore[union-attr]
            except (NotAMailError, AttributeError, LookupError, TypeError, ValueError):  # what the parser trips over
                unread += 1
                continue
            rows.append(mail)
            undecoded += mail["undecoded"]
            labels.append("spam" if member.name.startswith("spam") else "ham")
    columns = {name: pa.array([row[name] for row in rows], kind) for name, kind in COLUMNS.items()}
    note = f"{undecoded} mails are not in the charset they name, or name none and are not UTF-8: read with U+FFFD"
    return Corpus(columns, pa.array(labels), n_unread=unread, notes=(note,))


def read_mail(raw: bytes) -> dict[str, Any]:
    """Return the columns of a mail, null where a header is missing; ``undecoded`` says that bytes were replaced."""
    mail = email.message_from_bytes(raw, policy=email.policy.default)
    if not mail.keys():
        raise NotAMailError
    subject = _header(mail, "Subject")
    texts, undecoded = [subject or ""], False
    for part in mail.walk():
        if part.get_content_maintype() == "text":
            text, replaced = _decoded(part)
            texts.append(text)
            undecoded |= replaced
    program = re.match(r"[A-Za-z][A-Za-z ]*", _header(mail, "X-Mailer") or _header(mail, "User-Agent") or "")
    return {
        "subject": subject,
        "text": "\n".join(texts),
        # Without the header, what a mail is by RFC 2045 would hide that it has none.
        "content_type": mail.get_content_type() if "Content-Type" in mail else None,
        "charset": _charset(mail),
        "mailer": program[0].strip().lower() if program else None,
        "has_reply_to": "Reply-To" in mail,
        "log_length": math.log(len(raw)),
        "undecoded": undecoded,
    }


def _header(mail: EmailMessage, name: str) -> str | None:
    """Return a header, None where there is none."""
    return _valid(str(mail[name])) if name in mail else None


def _charset(mail: EmailMessage) -> str | None:
    """Return the charset of the mail, or of the first of its parts that has one."""
    return next((_valid(one.lower()) for one in mail.get_charsets() if one), None)


def _valid(text: str) -> str:
    """Return a text whose raw bytes, lone surrogates here, are U+FFFD: no Arrow string can hold them."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _decoded(part: EmailMessage) -> tuple[str, bool]:
    """Return the text of a part, and whether bytes were replaced."""
    content = part.get_payload(decode=True) or b""
    assert isinstance(content, bytes)
    try:
        text = content.decode(part.get_content_charset("utf-8"), "replace")
    except LookupError:  # no such charset ("default_charset")
        text = content.decode("utf-8", "replace")
    return text, "\ufffd" in text
