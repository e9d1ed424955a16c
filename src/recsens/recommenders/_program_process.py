"""Run another program: start it without a shell, watch it, and end it together with all processes that it started."""

import os
import re
import resource
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

from recsens.errors import RecsensError
from recsens.processes import end_with_parent

MARK = "RECSENS_PROGRAM"
"""Environment variable with the path of a program's folder.

Processes that the program starts inherit the variable, so they can be found.
"""

_KEPT = 1 << 16
"""Number of bytes at the end of a program's output that are stored."""

_SHOWN_LINES, _SHOWN_SIGNS = 12, 300
"""Number of last lines of output that an error shows, and the maximum number of characters of each line."""

_LOOK = 0.25
"""Seconds between two checks of a program's memory."""

_GRACE = 2.0
"""Seconds for which processes started by a program may continue after it."""

_NOT_TEXT = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[^\x09\x20-\x7e\xa0-\U0010ffff]")
"""Escape sequences of terminals, and other characters that are not printable."""

_MEANINGS = {
    signal.SIGKILL: "SIGKILL, as the system does when memory runs out",
    signal.SIGSEGV: "SIGSEGV, a segmentation fault",
    signal.SIGXFSZ: "SIGXFSZ: it wrote a file larger than any scores of these users and items",
}


class ProgramError(RecsensError):
    """Another program failed to do what its recommender needs."""


@dataclass(frozen=True)
class Limits:
    """Resources that a program may use.

    Attributes
    ----------
    seconds
        Time after which the program is ended.
    memory
        Maximum memory of all processes of the program together, in bytes; checked on Linux only.
    file_bytes
        Largest file that it may write, in bytes.
    """

    seconds: float
    memory: float
    file_bytes: int


def run_program(arguments: Sequence[str], folder: Path, environment: Mapping[str, str], limits: Limits) -> str:
    """Run a program in a folder, wait for it, and then end all processes that it started; return the end of its terminal output.

    Processes are found by their session, and on Linux also by their environment. A process that has changed both cannot be found,
    and continues.

    Parameters
    ----------
    arguments
        The program and its arguments.
    folder
        Its working directory, which no other program uses.
    environment
        Its environment variables.
    limits
        The resources that it may use.

    Raises
    ------
    ProgramError
        If the program cannot be started, ends with an error, exceeds a limit, or leaves behind a process that does not end.
    """

    def prepare() -> None:
        end_with_parent()
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    try:
        process = subprocess.Popen(  # noqa: S603 - the user's own command
            arguments,
            cwd=folder,
            env={**environment, MARK: str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=prepare,  # noqa: PLW1509 - it takes no lock that another thread could hold
        )
    except OSError as error:
        raise ProgramError(
            f"the program '{arguments[0]}' cannot be started: {error.strerror}",
            allowed="a name that the shell would find, a whole path, or an executable file in 'files': ./mine.sh",
            remedy="install it, or write its whole path, such as an environment's Python: /home/me/envs/mine/bin/python",
        ) from error
    return _Watched(process, folder, limits).finished()


class _Watched:
    """A program's process, and the processes that it has started."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, limits: Limits) -> None:
        self._process, self._folder, self._limits = process, folder, limits
        self._mark = f"{MARK}={folder}".encode()
        self._output = _Tail(process)

    def finished(self) -> str:
        """Wait for the end, and return the output; raises ProgramError as `run_program` does."""
        try:
            problem = self._problem()
            left = self._left()
        finally:
            self._end()
            # Remove the folder's path from the text. It differs between jobs, and an error common to several jobs should be shown
            # only once.
            output = self._output.ended().replace(f"{self._folder}/", "")
        if problem is not None:
            raise ProgramError(with_last_lines(problem, output), remedy=self._remedy(problem))
        if left:
            raise ProgramError(
                with_last_lines("the program left processes behind, which were ended, so its scores may be incomplete", output),
                remedy="let it wait for all processes that it starts",
            )
        return output

    def _problem(self) -> str | None:
        """Wait for the program; say whether it failed or exceeded a limit."""
        begun = monotonic()
        while True:
            with suppress(subprocess.TimeoutExpired):
                return _ending(self._process.wait(_LOOK))
            if monotonic() - begun > self._limits.seconds:
                return f"the program took longer than {_minutes(self._limits.seconds)}, and was ended"
            used = self._memory_used()
            if used > self._limits.memory:
                return (
                    f"the program used {used / 1e9:.1f} GB of memory, more than its {self._limits.memory / 1e9:g} GB, and was ended"
                )

    def _memory_used(self) -> int:
        """Return the memory of all processes in bytes; if it is above the limit, shared memory is counted only once."""
        members = list(self._members())
        at_most = sum(map(_resident, members))
        return at_most if at_most <= self._limits.memory else sum(map(_shared_out, members))

    @staticmethod
    def _remedy(problem: str) -> str:
        if "took longer" in problem:
            return "allow more time: minutes=..., in program(...)"
        if "of memory" in problem:
            return "allow more memory: memory=..., in program(...)"
        return "correct the program; 'recsens export STUDY --for program' writes its folder, so that you can run it by hand"

    def _left(self) -> bool:
        """Whether any process that the program started is still running after a short grace period."""
        until = monotonic() + _GRACE
        while any(True for _ in self._members()):
            if monotonic() > until:
                return True
            sleep(0.02)
        return False

    def _members(self) -> Iterator[Path]:
        """Yield the ``/proc`` folder of each live process that belongs to the program. Without ``/proc``, yield nothing."""
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                _, _, fields = (entry / "stat").read_bytes().rpartition(b") ")
                state, _, _, session = fields.split()[:4]
                if state in {b"Z", b"X"}:
                    continue
                if int(session) == self._process.pid or self._mark in (entry / "environ").read_bytes().split(b"\0"):
                    yield entry

    def _end(self) -> None:
        """End the program and everything it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        until = monotonic() + _GRACE
        while (alive := list(self._members())) and monotonic() < until:
            for each in alive:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(int(each.name), signal.SIGKILL)
            self._process.poll()
            sleep(0.01)
        self._process.wait()


class _Tail:
    """The end of a process's output. Earlier output is read and dropped, because unread output would block the process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        self._pipe, self._last = process.stdout, b""
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            while part := os.read(self._pipe.fileno(), _KEPT):
                self._last = (self._last + part)[-_KEPT:]

    def ended(self) -> str:
        """Return the end of the output, once the process has ended."""
        self._reader.join(_GRACE)
        if not self._reader.is_alive():
            self._pipe.close()
        return self._last.decode("utf-8", errors="replace")


def with_last_lines(problem: str, output: str) -> str:
    """Append the last lines of a program's output to the description of a problem, leaving out unprintable characters."""
    lines = [_NOT_TEXT.sub("", line.rpartition("\r")[2] or line)[:_SHOWN_SIGNS].rstrip() for line in output.rstrip().split("\n")]
    shown = [line for line in lines if line][-_SHOWN_LINES:]
    if not shown:
        return f"{problem}; it printed nothing"
    return "\n".join([f"{problem}; its last lines:", *(f"    | {line}" for line in shown)])


def _ending(code: int) -> str | None:
    """Say how a program ended; None if it succeeded."""
    if code == 0:
        return None
    if code > 0:
        return f"the program ended with exit code {code}"
    known = {each.value: each for each in signal.Signals}
    number = known.get(-code)
    name = _MEANINGS.get(number, number.name) if number is not None else str(-code)
    return f"the program was ended by signal {name}"


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:g} minutes" if seconds != 60 else "one minute"


def _resident(process: Path) -> int:
    """Return a process's memory in bytes, including memory shared with others; 0 if it has ended."""
    with suppress(OSError, ValueError, IndexError):
        return int((process / "statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _shared_out(process: Path) -> int:
    """Return a process's memory in bytes; memory that several processes share is divided equally among them.

    This takes longer than `_resident`.
    """
    with suppress(OSError, ValueError, IndexError):
        for line in (process / "smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    return _resident(process)
