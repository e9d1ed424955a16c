"""Supervision: each job runs in its own process; if this crashes, hangs, or leaves processes behind, other jobs are unaffected."""

import atexit
import faulthandler
import json
import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from json import dumps
from mmap import mmap
from pathlib import Path
from time import monotonic, sleep
from types import FrameType
from typing import Any, Literal

from recsens.processes import end_with_parent

_SIZE = 8
"""Number of bytes for the length of an answer."""

KEPT = 1 << 16
"""Number of bytes of a job's output that its log keeps at the beginning, and at the end."""

_GRACE = 2.0
"""Seconds within which a process must end before it is killed."""

_MEANINGS = {
    signal.SIGSEGV: "a segmentation fault: compiled code accessed memory that does not belong to it",
    signal.SIGBUS: "a bus error: compiled code accessed memory that does not exist",
    signal.SIGFPE: "an arithmetic error in compiled code",
    signal.SIGABRT: "compiled code aborted",
    signal.SIGILL: "compiled code made for another processor",
    signal.SIGKILL: "as happens when memory runs out",
}

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

    The separate process leads a session. When the work is done, or when the calling process receives a signal to stop, every
    process that the separate process has started is ended. On Linux, this includes processes that have left the session or whose
    parent has ended. Terminal output is appended to the log; long output is cut to its first and last `KEPT` bytes.

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
    answer, others = _SharedAnswer(), _children()
    _adopt_orphans(adopt=True)
    output, written = os.pipe()
    child = os.fork()
    if child == 0:
        for descriptor in (output, *private):
            os.close(descriptor)
        _work(work, written, answer)
    os.close(written)
    kept = _Output(output, log)
    try:
        status, is_late = _wait(child, limit)
    finally:
        are_left = [_kill_group(child), _end_adopted(others)]
        _adopt_orphans(adopt=False)
    if any(are_left):
        kept.add("WARNING recsens: the job left processes behind, which were ended\n")
    kept.finish()
    ended = answer.told()
    if ended == _DONE:
        return None
    if is_late:
        return Ended("late", "", where=None if ended is None else ended.get("where"), frames=kept.frames())
    return Ended("crashed", _meaning(status), frames=kept.frames()) if ended is None else Ended(**ended)


_DONE: dict[str, Any] = {}


class _SharedAnswer:
    """The result of the work, in memory that two processes share; a plug-in could close a file, or a disk could be full."""

    def __init__(self) -> None:
        self._memory = mmap(-1, 16 * KEPT)

    def tell(self, ended: Ended | None) -> None:
        """Write how the work ended, for the waiting process.

        If texts are long, only the beginning of the reason and the end of the text to show are written.
        """
        short = ended and replace(ended, reason=ended.reason[:KEPT], shown=ended.shown[-KEPT:])
        text = dumps(_DONE if short is None else asdict(short)).encode()
        self._memory[_SIZE : _SIZE + len(text)] = text
        self._memory[:_SIZE] = len(text).to_bytes(_SIZE, "big")

    def told(self) -> dict[str, Any] | None:
        """Read how the work ended; None if the process did not write it."""
        size = int.from_bytes(self._memory[:_SIZE], "big")
        return json.loads(self._memory[_SIZE : _SIZE + size]) if size else None


def _meaning(status: int) -> str:
    """Describe how a process ended, given its status."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"its process ended with exit code {code} before the step was finished"
    signals = {member.value: member for member in signal.Signals}
    number = signals.get(-code)
    meaning = _MEANINGS.get(number) if number is not None else None
    return f"its process was ended by {f'signal {-code}' if number is None else number.name}{f', {meaning}' if meaning else ''}"


# In the working process


def _work(work: Callable[[], Ended | None], written: int, answer: _SharedAnswer) -> None:
    """Do the work, report how it ended, and end the process."""
    # Keep these functions, because a plug-in may replace them. It may also replace `dumps`, which is therefore imported by name.
    leave, number, worker = os._exit, os.getpid, os.getpid()
    try:
        os.setsid()
        end_with_parent()
        for stop in _STOPS:
            signal.signal(stop, signal.default_int_handler)
        _redirect(written)
        ended = work()
        if number() != worker:
            return  # A plug-in forked, and both processes continued; only the original process reports.
        answer.tell(ended)
        # Functions that run at exit, such as those that remove temporary folders, must not delay the job.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(int(5 * _GRACE))
        atexit._run_exitfuncs()  # noqa: SLF001 - a forked process ends without running them
        with suppress(Exception):
            sys.stdout.flush()
    except BaseException:  # noqa: BLE001 - no error may reach the code that this process was forked from
        with suppress(Exception):
            traceback.print_exc()
    finally:
        leave(0)


def _redirect(written: int) -> None:
    """Send standard output and error, and the stack after a crash, to a pipe; leave standard input empty."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (written, 1), (written, 2)):
        os.dup2(source, target)
    sys.stdout = open(1, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    faulthandler.enable(file=written)


# In the supervising process


def _adopt_orphans(*, adopt: bool) -> None:
    """On Linux, become the parent of this process's descendants when their own parent ends."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - numpy imports it too, but a supervising process need not

        ctypes.CDLL(None).prctl(36, int(adopt))


def _children() -> set[int]:
    """List this process's children; empty if the system does not list them."""
    children: set[int] = set()
    for listed in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            children.update(map(int, listed.read_text(encoding="ascii").split()))
    return children


def _end_adopted(others: set[int]) -> bool:
    """Kill this process's children except ``others``, and processes that it adopts meanwhile; return whether any was alive.

    A killed process's own children are not missed: this process adopts them, and finds them in the next pass.
    """
    found_alive, until = False, monotonic() + _GRACE
    while (left := _children() - others) and monotonic() < until:
        alive = [process for process in left if not _is_waited_for(process)]
        found_alive = found_alive or bool(alive)
        for process in alive:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
    return found_alive


def _is_waited_for(process: int) -> bool:
    """Whether a process has ended; if so, its status is now collected."""
    try:
        return os.waitpid(process, os.WNOHANG)[0] == process
    except ChildProcessError:
        return True


@contextmanager
def _stoppable() -> Iterator[None]:
    """Within the block, raise `_Stopped` at a signal to stop."""

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signal handlers are called
        raise _Stopped(number)

    before = {stop_signal: signal.signal(stop_signal, stop) for stop_signal in _STOPS}
    try:
        yield
    finally:
        for stop_signal, handler in before.items():
            signal.signal(stop_signal, handler)


def _wait(child: int, limit: float | None) -> tuple[int, bool]:
    """Wait for a process; return its status, and whether it was ended because it exceeded the limit."""
    over, late = threading.Event(), threading.Event()

    def end() -> None:
        late.set()
        _end(child, lambda: over.wait(_GRACE))

    timer = threading.Timer(limit or 0, end)
    timer.daemon = True
    with _stoppable():
        try:
            if limit is not None:
                timer.start()
            status = os.waitpid(child, 0)[1]
            over.set()
        except _Stopped as stop:
            _end(child, lambda: _ends_soon(child))
            raise SystemExit(128 + stop.args[0]) from None
        finally:
            timer.cancel()
    return status, late.is_set()


def _end(child: int, ends: Callable[[], bool]) -> None:
    """End a process and its session; first use the signal of Ctrl-C, to let it report its position and remove unfinished files."""
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGINT)
    if not ends():
        _kill_group(child)


def _ends_soon(child: int) -> bool:
    for _ in range(int(_GRACE * 20)):
        if os.waitpid(child, os.WNOHANG)[0]:
            # Other processes of its session may survive.
            _kill_group(child)
            return True
        sleep(0.05)
    return False


def _kill_group(child: int) -> bool:
    """Kill a process's group; return whether the group existed."""
    try:
        os.killpg(child, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return False
    return True


@dataclass
class _Output:
    """The terminal output of a process, which is copied to the log."""

    pipe: int
    log: Path
    _first: int = field(default=KEPT, init=False)
    _last: bytes = field(default=b"", init=False)
    _dropped: int = field(default=0, init=False)
    _recent: bytes = field(default=b"", init=False)

    def __post_init__(self) -> None:
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with suppress(OSError):
            while part := os.read(self.pipe, KEPT):
                self._take(part)

    def _take(self, part: bytes) -> None:
        self._recent = (self._recent + part)[-KEPT:]
        head, rest = part[: self._first], part[self._first :]
        if head:
            self._first -= len(head)
            self._write(head)
        self._dropped += max(len(self._last) + len(rest) - KEPT, 0)
        self._last = (self._last + rest)[-KEPT:]

    def add(self, line: str) -> None:
        """Write a line of our own to the log."""
        self._write(line.encode())

    def finish(self) -> None:
        """Write the rest of the output."""
        # A process that left the session may still hold the other end of the pipe.
        self._reader.join(_GRACE)
        if not self._reader.is_alive():
            os.close(self.pipe)
        if self._dropped:
            self.add(f"\n[... {self._dropped:,} bytes of output left out ...]\n")
        self._write(self._last)

    def _write(self, part: bytes) -> None:
        """Append to the log. On a full disk, output is dropped, because the job would block on a full pipe if reading stopped."""
        with suppress(OSError), self.log.open("ab") as log:
            log.write(part)

    def frames(self) -> tuple[tuple[str, int], ...]:
        """Return the stack that `faulthandler` wrote, innermost first."""
        return tuple((os.fsdecode(frame["file"]), int(frame["line"])) for frame in _FRAME.finditer(self._recent))
