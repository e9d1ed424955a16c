"""Processes that recsens starts: wait for one, keep its last output, say how it ended, and end all that it has started."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

KEPT = 1 << 16
"""Number of bytes at the end of a process's output that are kept."""

GRACE = 2.0
"""Seconds that a process has for ending by itself before it is killed."""

_MEANINGS = {
    signal.SIGSEGV: "a segmentation fault: compiled code accessed memory that does not belong to it",
    signal.SIGBUS: "a bus error: compiled code accessed memory that does not exist",
    signal.SIGFPE: "an arithmetic error in compiled code",
    signal.SIGABRT: "compiled code aborted",
    signal.SIGILL: "compiled code made for another processor",
    signal.SIGKILL: "as happens when memory runs out",
    signal.SIGXFSZ: "because it wrote a larger file than it may",
}


class Session:
    """A process that leads a session, and all processes that it has started.

    They are found by their session, and by a mark that they inherit in their environment. A process that has left both is not
    found, and without ``/proc``, none is found outside the leader's group.

    Parameters
    ----------
    leader
        Number of the process that leads the session, a child of this process that only this object waits for.
    mark
        Environment variable and its value, as in ``NAME=value``, which the leader gives to the programs that it starts.
    """

    def __init__(self, leader: int, mark: str) -> None:
        self._leader, self._mark = leader, os.fsencode(mark)
        self._code: int | None = None

    def wait(self, seconds: float = float("inf")) -> int | None:
        """Wait for the leader; return its exit code, which is negative after a signal, or None if it still runs after this time."""
        until, pause = monotonic() + seconds, 0.0005
        while self._code is None:
            ended, status = os.waitpid(self._leader, os.WNOHANG)
            if ended:
                self._code = os.waitstatus_to_exitcode(status)
            elif (left := until - monotonic()) <= 0:
                break
            else:
                sleep(pause := min(2 * pause, left, 0.01))
        return self._code

    def members(self) -> Iterator[Path]:
        """Yield the ``/proc`` folder of each live process of the session, or with its mark."""
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if entry.stat().st_uid != os.geteuid():
                    continue  # Reading the files of many users' processes takes longer than a small job.
                _, _, fields = (entry / "stat").read_bytes().rpartition(b") ")
                state, _, _, session = fields.split()[:4]
                if state in {b"Z", b"X"}:
                    continue
                if int(session) == self._leader or self._mark in (entry / "environ").read_bytes().split(b"\0"):
                    yield entry

    def is_alive_after(self, seconds: float) -> bool:
        """Whether any process still runs after this time; returns earlier if none does."""
        until = monotonic() + seconds
        while any(True for _ in self.members()):
            if monotonic() > until:
                return True
            sleep(0.02)
        return False

    def interrupt(self) -> int:
        """End the leader as Ctrl-C does, which lets it clean up, and kill it if that takes too long; return its exit code."""
        with suppress(ProcessLookupError):
            os.kill(self._leader, signal.SIGINT)
        if self.wait(GRACE) is None:
            self.kill()
        return self.wait() or 0

    def kill(self) -> bool:
        """Kill every process that still runs; return whether any was found."""
        alive = list(self.members())
        found = bool(alive)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._leader, signal.SIGKILL)
        until = monotonic() + GRACE
        while alive and monotonic() < until:
            for each in alive:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(int(each.name), signal.SIGKILL)
            self.wait(0)
            sleep(0.01)
            alive = list(self.members())
        self.wait()
        return found


class Output:
    """The output of a process, which a thread reads, because unread output would block the process.

    Parameters
    ----------
    pipe
        Descriptor to read from; it is closed at the end.
    take
        Called with each part of the output, if given.
    """

    def __init__(self, pipe: int, take: Callable[[bytes], object] | None = None) -> None:
        self._pipe, self._take, self._last = pipe, take, b""
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with suppress(OSError):
            while part := os.read(self._pipe, KEPT):
                if self._take is not None:
                    self._take(part)
                self._last = (self._last + part)[-KEPT:]

    def last(self) -> bytes:
        """Return the last `KEPT` bytes, once the process has ended."""
        # A process that was not found may still hold the other end of the pipe.
        self._reader.join(GRACE)
        if not self._reader.is_alive():
            os.close(self._pipe)
        return self._last


def ending_in_words(code: int) -> str:
    """Describe how a process ended, given its exit code, to follow its name: ``ended with exit code 3``."""
    if code >= 0:
        return f"ended with exit code {code}"
    if -code not in {each.value for each in signal.Signals}:
        return f"was ended by signal {-code}"
    number = signal.Signals(-code)
    return ", ".join(filter(None, [f"was ended by {number.name}", _MEANINGS.get(number)]))


def end_with_parent(number: int = signal.SIGKILL) -> None:
    """On Linux, send this process a signal when its parent ends."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - numpy imports it too, but a supervising process need not

        ctypes.CDLL(None).prctl(1, number)
