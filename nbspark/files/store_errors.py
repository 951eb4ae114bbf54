"""What went wrong at an object store, as Python's errors for files or one line without addresses and keys."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nbspark.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator


class MetAnotherError(Exception):
    """Two creations of one name met, and neither may have been done."""


def code_of(error: BaseException) -> str:
    """Return the store's own name for what went wrong, or nothing."""
    response = getattr(error.__cause__, "response", None)
    return str(response.get("Error", {}).get("Code", "")) if isinstance(response, dict) else ""


def one_line(error: BaseException) -> str:
    r"""Return what an error says, without addresses, which can carry signatures and keys.

    >>> one_line(ValueError("Could not connect to http://10.0.0.1:9000/b?sig=k\nsecond line"))
    'Could not connect to (an address)'
    """
    lines = str(error).splitlines() or [""]
    return re.sub(r"\w+://[^\s\"']+", "(an address)", lines[0])[:300] or type(error).__name__


@contextmanager
def store_errors(doing: str, path: str) -> Iterator[None]:
    """Turn the many kinds of error of stores into Python's for a file that is missing or taken, and into StoreError."""
    try:
        yield
    except StoreError:
        raise
    except Exception as error:
        code, kind = code_of(error), type(error).__name__
        if code == "NoSuchBucket":
            raise StoreError(
                f"cannot {doing} {path!r}: no such bucket is there. Correct its name or make it."
            ) from error
        if isinstance(error, FileNotFoundError) or kind == "ResourceNotFoundError":
            raise FileNotFoundError(path) from error
        if doing == "create" and (isinstance(error, FileExistsError) or kind == "ResourceExistsError"):
            raise FileExistsError(path) from error
        if doing == "create" and code in ("ConditionalRequestConflict", "409"):
            raise MetAnotherError from error
        hint = "Check the path, the endpoint and the network."
        if isinstance(error, PermissionError) or "Credential" in kind or "Forbidden" in str(error):
            hint = "Check the credentials that the environment gives, and what they may do."
        raise StoreError(f"cannot {doing} {path!r}: {kind}: {one_line(error).rstrip('.')}. {hint}") from error
