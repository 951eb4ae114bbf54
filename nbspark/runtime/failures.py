"""What went wrong in a Spark run, as one line or as an error of nbspark: Spark wraps it in a page of Java stack.

Works on the text of the exception, which is the same in classic Spark (py4j) and in Spark Connect.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from typing import TYPE_CHECKING

from nbspark.errors import DocumentsError, NbsparkError, PathError, SetupError, SpecError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONDITION = re.compile(r"(?:^|: |\) )\[(?P<name>[A-Z][A-Z0-9_]+)(?:\.[A-Z0-9_]+)*\] (?P<message>[^\n]*)", re.MULTILINE)
_STACK_LINE = re.compile(r"^\s+(at [\w.$/]+.*|\.\.\. \d+ more)$", re.MULTILINE)
_SQLSTATE = re.compile(r"\s*SQLSTATE: \w+;?")
_CAUSE = re.compile(r"^Caused by: [\w.$]+: (.+)$", re.MULTILINE)
# By the name in a worker's traceback; no class is looked up by a name that a text holds.
_OWN = {f"nbspark.errors.{one.__name__}": one for one in (DocumentsError, PathError, SetupError, SpecError, StoreError)}
_LONGEST = 500  # characters of a message; a record of a file can be of any length

_MORE_MEMORY = (
    "the usual cause is memory. Raise spark.executor.memory or spark.executor.memoryOverhead (with a local master "
    "spark.driver.memory), or give each executor fewer cores."
)


def condition_of(error: BaseException) -> str | None:
    """Return Spark's name for an error, such as ``PATH_NOT_FOUND``, if it has one.

    >>> condition_of(ValueError("[PATH_NOT_FOUND] Path does not exist: file:/docs. SQLSTATE: 42K03"))
    'PATH_NOT_FOUND'
    """
    found = _CONDITION.search(str(error))
    return found["name"] if found else None


@contextlib.contextmanager
def own_errors() -> Iterator[None]:
    """Raise what nbspark raised in a Python worker as the error that it was; Spark's error is its cause.

    So are raised, as ``SetupError``, a worker's lack of a module, and a Python of workers that is another than this
    one. Serves as a decorator, too: of whatever runs jobs.
    """
    try:
        yield
    except NbsparkError:
        raise
    except Exception as error:
        own = own_error(error)
        if own is None:
            raise
        raise own from error


def own_error(error: Exception) -> NbsparkError | None:
    r"""Return the error of nbspark that Spark's error stands for, if there is one.

    >>> text = "Traceback (most recent call last):\nnbspark.errors.DocumentsError: found a list. Cast it."
    >>> own_error(RuntimeError(text))
    DocumentsError('found a list. Cast it.')
    """
    text = _STACK_LINE.sub("", str(error))
    raised = _raised_in_worker(text)
    if raised is not None and raised[0] in _OWN:
        return _OWN[raised[0]](_one_line(raised[1]))
    lacks = _other_python(text)
    return SetupError(_one_line(lacks)) if lacks else None


def explain_failure(error: BaseException) -> str | None:
    """Return one line that says what failed and what to do, or None for an error that only a program's author can read.

    Examples
    --------
    >>> explain_failure(RuntimeError("[USER_RAISED_EXCEPTION] label: found a map. SQLSTATE: P0001"))
    'label: found a map.'
    >>> explain_failure(ZeroDivisionError("division by zero")) is None
    True
    """
    if isinstance(error, NbsparkError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename is not None else f"{error.strerror}."
    text = _STACK_LINE.sub("", str(error))
    # From what nbspark and the data say themselves to what only Spark can say.
    of_users = [_own_error, _csv_header, _csv_record, _raised_in_a_row]
    explanations = [*of_users, _memory, _other_python, _python_worker, _no_file_system, _named, _aborted]
    if type(error).__module__.startswith(("pyspark.", "py4j.")):
        explanations.append(_first_line)
    message = next(filter(None, (explain(text) for explain in explanations)), None)
    return None if message is None else _one_line(message)


def _one_line(message: str) -> str:
    """Return a message without line breaks, cut where it is too long to be read."""
    line = " ".join(_SQLSTATE.sub("", message).replace("\0", "").split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def _own_error(text: str) -> str | None:
    """Return the message of an error of nbspark raised in a Python worker."""
    raised = _raised_in_worker(text)
    return raised[1] if raised is not None else None


def _raised_in_worker(text: str) -> tuple[str, str] | None:
    """Return name and message of an error of nbspark that ends a worker's traceback."""
    found = re.search(r"^(nbspark\.errors\.\w+): (.*?)(?:\n\s*\n|\s*SQLSTATE: |\s*\Z)", text, re.MULTILINE | re.DOTALL)
    return (found[1], found[2]) if found else None


def _csv_header(text: str) -> str | None:
    """Explain CSV files that do not share one header."""
    names = re.search(
        r"CSV header does not conform.*?Header: (.*?)\n\s*Schema: (.*?)\n.*?CSV file: ([^\n]+)", text, re.DOTALL
    )
    lengths = re.search(r"Header length: (\d+), schema size: (\d+)\s*CSV file: ([^\n]+)", text)
    if names:
        found, expected, file = (part.strip() for part in names.groups())
        if len(set(found.split(", "))) < len(found.split(", ")):
            return f"{file}: the header [{found}] has one name twice. Rename one of the columns."
    elif lengths:
        found, expected, file = f"{lengths[1]} columns", f"{lengths[2]} columns", lengths[3]
    else:
        return None
    return (
        f"{file}: the header is [{found}], expected [{expected}] as in another file. Give all files the same header, "
        "each name once, or read the different ones apart. For files without a header pass --option header=false."
    )


def _csv_record(text: str) -> str | None:
    """Explain a CSV record with more or fewer fields than the header."""
    found = re.search(r"\[MALFORMED_CSV_RECORD\] Malformed CSV record: (.*?)\s*SQLSTATE: ", text, re.DOTALL)
    if not found:
        return None
    file = re.search(r"reading file (\S.*?)\.\s", text)
    record = found[1] if len(found[1]) <= 120 else f"{found[1][:120]}..."
    return (
        f"{file[1] if file else 'a CSV file'}: a record has more or fewer fields than the header: {record!r}. Quote "
        "text that holds the separator, a quote or a line break; for files without quoting pass --option quote=; to "
        "take such records as they are pass --option mode=PERMISSIVE."
    )


def _raised_in_a_row(text: str) -> str | None:
    """Return the message of F.raise_error: a check of one row."""
    found = re.search(r"\[USER_RAISED_EXCEPTION\] (.*?)\s*SQLSTATE: ", text, re.DOTALL)
    return found[1] if found else None


def _memory(text: str) -> str | None:
    """Explain a process that died or ran out of memory."""
    if re.search(r"OutOfMemoryError|Java heap space|GC overhead limit", text):
        return f"Java ran out of memory: {_MORE_MEMORY}"
    if re.search(r"Python worker exited unexpectedly|^MemoryError", text, re.MULTILINE):
        return f"a Python worker died: {_MORE_MEMORY}"
    lost = re.search(r"ExecutorLostFailure \((.*?)\)(?: Reason: ([^\n]*))?", text)
    return f"an executor was lost ({lost[2] or lost[1]}): {_MORE_MEMORY}" if lost else None


def _other_python(text: str) -> str | None:
    """Explain a Python of workers that is another than this process's, or that lacks a module."""
    versions = re.search(r"different version: ([\d.]+) than that in driver: ([\d.]+)", text)
    if "PYTHON_VERSION_MISMATCH" in text and versions:
        wrong = f"the Python workers run Python {versions[1]}, this process runs {versions[2]}"
    elif lacking := re.search(r"^ModuleNotFoundError: (No module named '[^']*')", text, re.MULTILINE):
        if "Traceback (most recent call last)" not in text:
            return None
        wrong = f"a Python worker says: {lacking[1]}"
        if not lacking[1].endswith("'nbspark'"):
            return f"{wrong}. Install it on every executor, or pass the package as a .zip with --py-files."
    else:
        return None
    return (
        f"{wrong}. They run {os.environ.get('PYSPARK_PYTHON', 'the python3 on PATH')}. On one machine set "
        f"PYSPARK_PYTHON={sys.executable} before the session starts; on a cluster set it to a Python that has nbspark "
        "there, or pass nbspark as a .zip with --py-files."
    )


def _python_worker(text: str) -> str | None:
    """Return any other exception of a Python worker: the last line of its traceback that names one."""
    if "Traceback (most recent call last)" not in text:
        return None
    raised = re.findall(r"^([\w.]*(?:Error|Exception)): ?(.*)$", text, re.MULTILINE)
    return "a Python worker failed: {}: {}".format(*raised[-1]) if raised else None


def _no_file_system(text: str) -> str | None:
    """Explain a path whose file system Spark has no classes for."""
    found = re.search(r"Class (org\.apache\.hadoop\.fs\.\S*) not found|No FileSystem for scheme \"?(\w+)", text)
    if not found:
        return None
    lacks = f"class {found[1]}" if found[1] else f"file system for {found[2]}:"
    return f"this Spark has no {lacks}. Add the package that brings it: --conf spark.jars.packages=..."


def _named(text: str) -> str | None:
    """Return what Spark says of any other error that it has a name for, and the innermost cause."""
    found = _CONDITION.search(text)
    if not found:
        return None
    message, causes = found["message"], _CAUSE.findall(text)
    reading = re.search(r"reading file (\S.*?)\.\s(.*)", message)
    if reading and causes:
        # Of two files whose columns differ in type Spark itself says more than the exception within.
        return f"{reading[1]} cannot be read: {reading[2] if 'mismatch' in reading[2] else causes[-1]}"
    return f"{message} Cause: {causes[-1]}" if causes else message


def _aborted(text: str) -> str | None:
    """Return the innermost cause of a job that Spark gave up without naming an error."""
    found = re.search(r"Job aborted due to stage failure: ([^\n]*)", text)
    causes = _CAUSE.findall(text)
    return f"the Spark job failed: {causes[-1] if causes else found[1]}" if found else None


def _first_line(text: str) -> str | None:
    """Return what comes first in any other exception of Spark's: Java's own message."""
    lines = re.sub(r"^An error occurred while calling [^\n]*\n: ", "", text).strip().splitlines()
    return lines[0] if lines else None
