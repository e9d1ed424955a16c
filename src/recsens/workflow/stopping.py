"""Stopping: SIGTERM and SIGHUP end a run at once, as Ctrl-C does."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

import psutil

from recsens.processes import end_with_parent
from recsens.workflow.lock import RunError, Writer, marked

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)

_JOBS_END_IN = 1.0
"""Seconds after which jobs that have not ended are killed."""

_SNAKEMAKE_ENDS_IN = 10.0
"""Seconds after which Snakemake is killed if it has not ended; it may have to cancel jobs on a cluster."""

_LOOK_EVERY = 0.05


class Stop(KeyboardInterrupt):
    """A signal that stops this process.

    Attributes
    ----------
    number
        The number of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class RunStopped(RunError):  # noqa: N818 - nothing went wrong
    """A run that was stopped by a signal.

    Attributes
    ----------
    number
        The number of the signal that stopped it.
    """

    def __init__(self, number: int) -> None:
        super().__init__("stopped; run again: finished results stay, and only the rest is computed")
        self.number = number


def signal_of(stop: KeyboardInterrupt) -> int:
    """Return the number of the signal behind an interruption; unless the interruption has one, the number of Ctrl-C's signal."""
    return stop.number if isinstance(stop, Stop) else int(signal.SIGINT)


@contextmanager
def interruption_named() -> Iterator[None]:
    """Convert an interruption within the block to `RunStopped`."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise RunStopped(signal_of(stop)) from stop


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Let signals raise `Stop` within the block; ignored signals, as under ``nohup``, stay ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    earlier = {number: signal.getsignal(number) for number in _SIGNALS}

    def stop(number: int, _: FrameType | None) -> NoReturn:
        raise Stop(number)

    for number, handler in earlier.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


def end_run(writer: Writer) -> None:
    """End Snakemake and all jobs that this process, the writer, has started.

    Snakemake ends its jobs; those that survive are killed.
    """
    begun = time.monotonic()
    children = {child.pid for child in psutil.Process().children()}
    for process in _started_by(writer):
        if process.pid in children:
            _send_signal(process, signal.SIGTERM)
    try:
        while remaining := _started_by(writer):
            passed = time.monotonic() - begun
            for process in remaining:
                if passed > (_SNAKEMAKE_ENDS_IN if process.pid in children else _JOBS_END_IN):
                    _send_signal(process, signal.SIGKILL)
            time.sleep(_LOOK_EVERY)
    finally:
        # If the user interrupts again, do not wait for a clean end.
        for process in _started_by(writer):
            _send_signal(process, signal.SIGKILL)


def _started_by(writer: Writer) -> list[psutil.Process]:
    return [process for process, by in marked() if by == writer]


def end_at_once_in_snakemake() -> None:
    """Let SIGTERM end this Snakemake and its jobs at once and silently, because the run that started it reports the reason.

    On Linux, Snakemake also gets SIGTERM when that run is killed.
    """
    signal.signal(signal.SIGTERM, _end_in_snakemake)
    end_with_parent(signal.SIGTERM)


def _end_in_snakemake(number: int, _: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    for job in psutil.Process().children(recursive=True):
        _send_signal(job, signal.SIGTERM)
    raise KeyboardInterrupt


def _send_signal(process: psutil.Process, number: int) -> None:
    with suppress(psutil.NoSuchProcess):
        process.send_signal(number)
