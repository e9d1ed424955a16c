"""Another program's process: started without a shell, watched, and ended together with everything it started."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

from recsens.errors import RecsensError

_LAUNCHER = Path(__file__).with_name("_program_launcher.py")

MARK = "RECSENS_PROGRAM"
"""Environment variable of a program and of all that it starts: its folder, by which they are found again."""

_KEPT = 1 << 16
"""Bytes of a program's output that are kept, from its end."""

_SHOWN_LINES, _SHOWN_SIGNS = 12, 300
"""Last lines that an error shows, and the most characters of each."""

_LOOK = 0.25
"""Seconds between two looks at a program's memory."""

_GRACE = 2.0
"""Seconds that what a program has started may go on after it."""

_NOT_TEXT = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[^\x09\x20-\x7e\xa0-\U0010ffff]")
"""Escape sequences of terminals, and other characters that are not printed."""

_MEANINGS = {
    signal.SIGKILL: "SIGKILL, as the system does when memory runs out",
    signal.SIGSEGV: "SIGSEGV, a segmentation fault",
    signal.SIGXFSZ: "SIGXFSZ: it wrote a file larger than any scores of these users and items",
}


class ProgramError(RecsensError):
    """Another program did not do what its recommender needs."""


@dataclass(frozen=True)
class Limits:
    """Resources that a program may use.

    Attributes
    ----------
    seconds
        Time, after which it is ended.
    memory
        Bytes of memory of all its processes together; checked on Linux only.
    file_bytes
        Largest file that it may write.
    """

    seconds: float
    memory: float
    file_bytes: int


@dataclass(frozen=True)
class ProgramEnd:
    """What is known about a program that has finished.

    Attributes
    ----------
    output
        The end of what it wrote to its terminal.
    is_hidden
        Whether the folders that it should not see were hidden from it.
    """

    output: str
    is_hidden: bool


def run_program(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], limits: Limits, hidden: Sequence[Path]
) -> ProgramEnd:
    """Run a program in a folder and wait for it; what it has started is ended with it.

    Processes are found by their session, and on Linux by their environment too: one that has left both behind goes on.

    Parameters
    ----------
    arguments
        The program and its arguments.
    folder
        Its working directory, which no other program uses.
    environment
        Its environment variables.
    limits
        What it may use.
    hidden
        Folders and files that it must not see, where the system lets us hide them.

    Raises
    ------
    ProgramError
        If it cannot be started, ends with an error, exceeds a limit, or leaves a process behind that does not end.
    """
    given = {"folder": str(folder), "hidden": list(map(str, hidden)), "file_bytes": limits.file_bytes}
    told, tell = os.pipe()
    try:
        process = subprocess.Popen(  # noqa: S603 - the user's own command
            [sys.executable, "-I", "-S", str(_LAUNCHER), str(tell), json.dumps(given), *arguments],
            cwd=folder,
            env={**environment, MARK: str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=[tell],
        )
    except BaseException:
        os.close(told)
        raise
    finally:
        os.close(tell)
    return _Watched(process, folder, limits).finished(arguments[0], told)


class _Watched:
    """A program's process and those that it has started."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, limits: Limits) -> None:
        self._process, self._folder, self._limits = process, folder, limits
        self._mark = f"{MARK}={folder}".encode()
        self._output = _Tail(process)

    def finished(self, name: str, told: int) -> ProgramEnd:
        """Wait for the end; raises ProgramError as `run_program` does."""
        try:
            said = _Said.read(told)
            problem = self._problem()
            left = self._left()
        finally:
            self._end()
            # The folder has another name in each job: without it, the same error of several jobs reads the same, and is shown once.
            output = self._output.ended().replace(f"{self._folder}/", "")
        if said.error is not None:
            raise _not_started(name, said.error)
        if problem is not None:
            raise ProgramError(with_last_lines(problem, output), remedy=self._remedy(problem))
        if left:
            raise ProgramError(
                with_last_lines(
                    "the program ended, but left processes behind, which were ended: its scores may be unfinished", output
                ),
                remedy="let it wait for all that it starts",
            )
        return ProgramEnd(output, said.is_hidden)

    def _problem(self) -> str | None:
        """Wait for the program; say what is wrong with how it ended, or with what it uses."""
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
        """Return all processes' memory in bytes. Shared memory counts once, but is examined only if it matters."""
        members = list(self._members())
        at_most = sum(map(_resident, members))
        return at_most if at_most <= self._limits.memory else sum(map(_shared_out, members))

    @staticmethod
    def _remedy(problem: str) -> str:
        if "took longer" in problem:
            return "allow it more: minutes=..., in program(...)"
        if "of memory" in problem:
            return "allow it more: memory=..., in program(...)"
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
        """Yield the ``/proc`` folder of each live process that belongs to the program; nothing where there is no ``/proc``."""
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


@dataclass(frozen=True)
class _Said:
    """What the launcher reports before it becomes the program."""

    is_hidden: bool = False
    error: str | None = None

    @classmethod
    def read(cls, told: int) -> "_Said":
        """Wait until the launcher has become the program, or has failed to."""
        with os.fdopen(told, encoding="utf-8") as lines:
            said: dict[str, object] = {}
            for line in lines:
                said |= json.loads(line)
        return cls(said.get("hidden") is True, None if "error" not in said else str(said["error"]))


class _Tail:
    """The end of a process's output. Earlier output is read and dropped, so that the process never blocks."""

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
        """Return it, once the process has ended."""
        self._reader.join(_GRACE)
        if not self._reader.is_alive():
            self._pipe.close()
        return self._last.decode("utf-8", errors="replace")


def with_last_lines(problem: str, output: str) -> str:
    """Add the program's last output lines to a problem, without characters that a terminal does not print."""
    lines = [_NOT_TEXT.sub("", line.rpartition("\r")[2] or line)[:_SHOWN_SIGNS].rstrip() for line in output.rstrip().split("\n")]
    shown = [line for line in lines if line][-_SHOWN_LINES:]
    if not shown:
        return f"{problem}; it wrote nothing to its terminal"
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


def _not_started(name: str, error: str) -> ProgramError:
    return ProgramError(
        f"the program '{name}' cannot be started: {error}",
        allowed="a program that the shell would find by this name, a whole path, or one of 'files' that may be run: ./mine.sh",
        remedy="install it, or write its whole path, such as that of an environment's Python: /home/me/envs/mine/bin/python",
    )


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:g} minutes" if seconds != 60 else "one minute"


def _resident(process: Path) -> int:
    """Return a process's memory in bytes, including memory shared with others; 0 if it has ended."""
    with suppress(OSError, ValueError, IndexError):
        return int((process / "statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _shared_out(process: Path) -> int:
    """Return a process's memory in bytes, counting only its part of shared memory, which is slower to determine."""
    with suppress(OSError, ValueError, IndexError):
        for line in (process / "smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    return _resident(process)
