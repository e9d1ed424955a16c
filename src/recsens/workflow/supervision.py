"""Supervision: each job runs in its own process; if this crashes, hangs, or leaves processes behind, other jobs are unaffected."""

import atexit
import faulthandler
import json
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from mmap import mmap
from pathlib import Path
from types import FrameType
from typing import Any, Literal

from recsens.processes import GRACE, KEPT, Output, Session, end_with_parent, ending_in_words

_SIZE = 8
"""Number of bytes for the length of an answer."""

MARK = "RECSENS_JOB"
"""Environment variable with the path of a job's log, by which the processes that the job has started are found."""

_FRAME = re.compile(rb'File "(?P<file>[^"\n]+)", line (?P<line>\d+) in ')
"""A line of the stack written by `faulthandler`."""

_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Ended:
    """The end of a job that did not finish.

    Attributes
    ----------
    how
        ``failed``: the job raised an error, or refused its input. ``crashed``: its process ended without giving a reason. ``late``:
        the job exceeded its time limit and was ended.
    reason
        The reason, in words.
    where
        The user's own file and line that caused the end; None if there is no such line, or if it is unknown.
    shown
        The text for the terminal; if empty, the terminal shows the reason.
    frames
        Files and lines of the stack of a crashed process, innermost first; empty if the stack is unknown.
    """

    how: Literal["failed", "crashed", "late"]
    reason: str
    where: str | None = None
    shown: str = ""
    frames: tuple[tuple[str, int], ...] = ()


class _Stopped(BaseException):
    """The supervising process received a signal to stop."""


def supervise(
    work: Callable[[], Ended | None], log: Path, limit: float | None = None, *, private: Sequence[int] = ()
) -> Ended | None:
    """Do some work in a separate process, and wait until it ends.

    The separate process leads a session (`recsens.processes.Session`). When the work is done, or when the calling process receives
    a signal to stop, every process in the session or with its mark is ended. Terminal output is appended to the log; long output is
    cut to its first and last `KEPT` bytes.

    Parameters
    ----------
    work
        Function that does the work; returns None, or an `Ended` if the work failed.
    log
        Absolute path of the log.
    limit
        Seconds after which the work is ended; None for no limit.
    private
        File descriptors that the separate process must close.

    Returns
    -------
    Ended | None
        The result of ``work``, or the reason for its early end; None if the work is done.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    answer = _SharedAnswer()
    output, written = os.pipe()
    child = os.fork()
    if child == 0:
        for descriptor in (output, *private):
            os.close(descriptor)
        os.environ[MARK] = str(log)
        _do_and_report(work, written, answer)
    os.close(written)
    session, kept = Session(child, f"{MARK}={log}"), _Log(log, output)
    try:
        code, is_late = _wait_for_job(session, limit)
    finally:
        if session.kill():
            kept.add(b"WARNING recsens: the job left processes behind, which were ended\n")
    frames, ended = kept.finish(), answer.told()
    if ended == _DONE:
        return None
    if is_late:
        return Ended("late", "", where=None if ended is None else ended.get("where"), frames=frames)
    if ended is not None:
        return Ended(**ended)
    unfinished = " before the step was finished" if code >= 0 else ""
    return Ended("crashed", f"its process {ending_in_words(code)}{unfinished}", frames=frames)


_DONE: dict[str, Any] = {}


class _SharedAnswer:
    """The result of the work, in memory that two processes share; a disk could be full."""

    def __init__(self) -> None:
        self._memory = mmap(-1, 16 * KEPT)

    def tell(self, ended: Ended | None) -> None:
        """Write how the work ended, for the waiting process.

        If texts are long, only the beginning of the reason and the end of the text to show are written.
        """
        short = ended and replace(ended, reason=ended.reason[:KEPT], shown=ended.shown[-KEPT:])
        text = json.dumps(_DONE if short is None else asdict(short)).encode()
        self._memory[_SIZE : _SIZE + len(text)] = text
        self._memory[:_SIZE] = len(text).to_bytes(_SIZE, "big")

    def told(self) -> dict[str, Any] | None:
        """Read how the work ended; None if the process did not write it."""
        size = int.from_bytes(self._memory[:_SIZE], "big")
        return json.loads(self._memory[_SIZE : _SIZE + size]) if size else None


# In the working process


def _do_and_report(work: Callable[[], Ended | None], written: int, answer: _SharedAnswer) -> None:
    """Do the work, report how it ended, and end the process."""
    worker = os.getpid()
    try:
        os.setsid()
        end_with_parent()
        for stop in _STOPS:
            signal.signal(stop, signal.default_int_handler)
        _redirect_output(written)
        ended = work()
        if os.getpid() != worker:
            return  # A plug-in forked, and both processes continued; only the original process reports.
        answer.tell(ended)
        # Functions that run at exit, such as those that remove temporary folders, must not delay the job.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(5 * GRACE))
        atexit._run_exitfuncs()  # noqa: SLF001 - a forked process ends without running them
        with suppress(Exception):
            sys.stdout.flush()
    except BaseException:  # noqa: BLE001 - no error may reach the code that this process was forked from
        with suppress(Exception):
            traceback.print_exc()
    finally:
        os._exit(0)


def _redirect_output(written: int) -> None:
    """Send standard output and error, and the stack after a crash, to a pipe; leave standard input empty."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (written, 1), (written, 2)):
        os.dup2(source, target)
    sys.stdout = open(1, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    faulthandler.enable(file=written)


# In the supervising process


@contextmanager
def _raise_when_stopped() -> Iterator[None]:
    """Within the block, raise `_Stopped` at a signal to stop."""

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signal handlers are called
        raise _Stopped(number)

    before = {stop_signal: signal.signal(stop_signal, stop) for stop_signal in _STOPS}
    try:
        yield
    finally:
        for stop_signal, handler in before.items():
            signal.signal(stop_signal, handler)


def _wait_for_job(session: Session, limit: float | None) -> tuple[int, bool]:
    """Wait for a job; return its exit code, and whether it was ended because it exceeded the limit."""
    with _raise_when_stopped():
        try:
            code = session.wait() if limit is None else session.wait(limit)
        except _Stopped as stop:
            session.interrupt()
            raise SystemExit(128 + stop.args[0]) from None
        return (session.interrupt(), True) if code is None else (code, False)


class _Log:
    """The log of a job, to which the first and the last bytes of its output are copied."""

    def __init__(self, log: Path, pipe: int) -> None:
        self._log, self._length = log, 0
        self._output = Output(pipe, self._keep_part)

    def _keep_part(self, part: bytes) -> None:
        if self._length < KEPT:
            self.add(part[: KEPT - self._length])
        self._length += len(part)

    def add(self, part: bytes) -> None:
        """Append to the log. On a full disk, output is dropped, because the job would block on a full pipe if reading stopped."""
        with suppress(OSError), self._log.open("ab") as log:
            log.write(part)

    def finish(self) -> tuple[tuple[str, int], ...]:
        """Write the rest of the output; return the stack that `faulthandler` wrote, innermost first."""
        last = self._output.last()
        rest = max(self._length - KEPT, 0)
        if rest > KEPT:
            self.add(f"\n[... {rest - KEPT:,} bytes of output left out ...]\n".encode())
        self.add(last[len(last) - min(rest, KEPT) :])
        return tuple((os.fsdecode(frame["file"]), int(frame["line"])) for frame in _FRAME.finditer(last))
