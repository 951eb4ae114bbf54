"""Deaths of a change to a model at each of its file-system events in turn: killed, disk full, interrupted.

Python's audit hook tells the events. Before the n-th of them the process is killed, which takes one of its own, forked
from this one; or the disk is full from then on; or the user interrupts.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbspark.errors import NbsparkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CREATIONS = {"os.mkdir", "os.link", "os.rename", "fsync", "open to write"}
EVENTS = {*CREATIONS, "open", "os.listdir", "os.scandir", "os.remove", "os.rmdir"}


class Death:
    """What happens to a change before its file-system event of a number."""

    def __init__(self, kind: str, at: int) -> None:
        self.kind = kind
        self.at = at
        self.n_events = 0

    def meet(self, event: str, fd: int = -1) -> None:
        """Count an event, and die if it is the one; a disk stays full."""
        self.n_events += 1
        if self.kind == "disk full" and self.n_events >= self.at and event in CREATIONS:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a file")
        if self.n_events == self.at and self.kind == "interrupted":
            raise KeyboardInterrupt
        if self.n_events == self.at and self.kind == "killed":
            if event == "fsync" and stat.S_ISREG(os.fstat(fd).st_mode):
                os.ftruncate(fd, os.fstat(fd).st_size // 2)  # in the middle of writing
            os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def watched(death: Death, path: Path) -> Iterator[None]:
    """Let a death meet the events below a folder."""
    WATCHED.append((death, path))
    try:
        yield
    finally:
        WATCHED.clear()


WATCHED: list[tuple[Death, Path]] = []


def hook(event: str, args: tuple[Any, ...]) -> None:
    """Report an event of Python's own to whoever watches."""
    for death, path in WATCHED:
        is_writing = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
        # What lies elsewhere is Python's own business; a relative path is one inside a folder that is being removed.
        if event in EVENTS and isinstance(args[0], str | Path) and Path(path, args[0]).is_relative_to(path):
            death.meet("open to write" if is_writing else event)


def fsync(fd: int) -> None:
    """Count the bringing of a file to the disk, and leave it: nobody pulls the plug here."""
    for death, _ in WATCHED:
        death.meet("fsync", fd)


def dies(change: Callable[[Path], None], path: Path, kind: str, at: int) -> bool:
    """Make a change to a folder, and die before the event of a number; return whether there was such an event."""
    death = Death(kind, at)
    if kind == "killed":
        child = os.fork()
        if child:
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    try:
        with watched(death, path):
            change(path)
    except (NbsparkError, OSError, KeyboardInterrupt):
        pass
    finally:
        if kind == "killed":
            os._exit(0)
    return death.n_events >= at


def watch_this_process() -> None:
    """Hear of every file-system event from now on."""
    os.fsync = fsync  # type: ignore[assignment]
    sys.addaudithook(hook)
