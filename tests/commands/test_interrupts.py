"""Ctrl-C while something is being written: it ends, once, and leaves nothing half done."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest

from nbspark.commands.interrupts import one_interrupt, to_its_end
from nbspark.commands.outputs import Folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def interrupt_when(is_time: Callable[[], bool]) -> threading.Thread:
    """Send this process Ctrl-C as soon as it is time."""

    def wait() -> None:
        while not is_time():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def test_only_the_first_of_several_is_heard() -> None:
    def press_twice() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGINT)  # while the first is being seen to

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), one_interrupt():
        press_twice()
    assert signal.getsignal(signal.SIGINT) is before


def test_whoever_told_this_process_to_ignore_ctrl_c_is_obeyed() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with one_interrupt():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_call_is_waited_for() -> None:
    steps: list[str] = []
    running = threading.Event()

    def work() -> None:
        running.set()
        time.sleep(0.2)
        steps.append("ended")

    interrupt_when(running.is_set)
    with pytest.raises(KeyboardInterrupt), one_interrupt():
        to_its_end(work)
    assert steps == ["ended"]


def test_predictions_that_are_being_written_are_taken_away(spark, tmp_path: Path) -> None:
    started = tmp_path / "started"

    def never_ends(batches):
        started.touch()
        while True:
            time.sleep(0.01)
        yield from batches

    rows = spark.range(2).mapInArrow(never_ends, "id long")
    interrupt_when(started.exists)
    with pytest.raises(KeyboardInterrupt), one_interrupt():
        Folder(str(tmp_path / "out"), "parquet").write(rows)
    assert not (tmp_path / "out").exists()
    assert spark.range(3).count() == 3
