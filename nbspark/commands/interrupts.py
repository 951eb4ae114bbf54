"""Ctrl-C: the first one ends what runs, and what is half done is taken away before the process ends."""

from __future__ import annotations

import contextlib
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_Result = TypeVar("_Result")


@contextlib.contextmanager
def one_interrupt() -> Iterator[None]:
    """Let the first Ctrl-C raise KeyboardInterrupt and the next ones do nothing: the first is being seen to.

    Whatever handler is there runs first. That of pyspark cancels the jobs.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield  # Python gives signals to no other thread; and who started this process to ignore them means it
        return

    def interrupt(signal_number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with contextlib.suppress(KeyboardInterrupt, Exception):
            before(signal_number, frame)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) in (interrupt, signal.SIG_IGN):  # else pyspark has put its own there
            signal.signal(signal.SIGINT, before)


def to_its_end(call: Callable[[], _Result]) -> _Result:
    """Return what a call returns. On Ctrl-C wait until it has ended: only then is it known what it left.

    Spark cancels a job in its own time, and its tasks write as long as they run.
    """
    with ThreadPoolExecutor(1) as pool:  # leaving the block waits for the thread
        return pool.submit(call).result()
