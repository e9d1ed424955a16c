"""Run another program: start it without a shell, watch it, and end it together with all processes that it started."""

import os
import re
import resource
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from recsens.errors import RecsensError
from recsens.processes import GRACE, Output, Session, end_with_parent, ending

MARK = "RECSENS_PROGRAM"
"""Environment variable with the path of a program's folder.

Processes that the program starts inherit the variable, so they can be found.
"""

_SHOWN_LINES, _SHOWN_SIGNS = 12, 300
"""Number of last lines of output that an error shows, and the maximum number of characters of each line."""

_LOOK = 0.25
"""Seconds between two checks of a program's memory."""

_ALLOW = "allow more {}=..., in program(...)"
_BY_HAND = "correct the program; 'recsens export STUDY --for program' writes its folder, so that you can run it by hand"

_NOT_TEXT = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[^\x09\x20-\x7e\xa0-\U0010ffff]")
"""Escape sequences of terminals, and other characters that are not printable."""


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

    Processes are found as in `recsens.processes.Session`.

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
    assert process.stdout is not None
    session, shown = Session(process.pid, f"{MARK}={folder}"), Output(os.dup(process.stdout.fileno()))
    process.stdout.close()
    try:
        failure = _problem(session, limits)
    finally:
        session.kill()
        process.returncode = session.wait()  # Popen would warn that the process is still running.
        # Remove the folder's path from the text. It differs between jobs, and an error common to several jobs should be shown only
        # once.
        output = shown.last().decode("utf-8", errors="replace").replace(f"{folder}/", "")
    if failure is not None:
        problem, remedy = failure
        raise ProgramError(with_last_lines(problem, output), remedy=remedy)
    return output


def _problem(session: Session, limits: Limits) -> tuple[str, str] | None:
    """Wait for a program; if it failed, exceeded a limit or left processes behind, return the problem and its remedy."""
    until = monotonic() + limits.seconds
    while (code := session.wait(_LOOK)) is None:
        if monotonic() > until:
            minutes = "one minute" if limits.seconds == 60 else f"{limits.seconds / 60:g} minutes"
            return f"the program took longer than {minutes}, and was ended", _ALLOW.format("time: minutes")
        used = _memory_used(session, limits.memory)
        if used > limits.memory:
            told = f"{used / 1e9:.1f} GB of memory, more than its {limits.memory / 1e9:g} GB"
            return f"the program used {told}, and was ended", _ALLOW.format("memory: memory")
    if code != 0:
        return f"the program {ending(code)}", _BY_HAND
    if session.is_alive_after(GRACE):
        left = "the program left processes behind, which were ended, so its scores may be incomplete"
        return left, "let it wait for all processes that it starts"
    return None


def _memory_used(session: Session, limit: float) -> int:
    """Return the memory of all processes in bytes; if it is above the limit, shared memory is counted only once."""
    members = list(session.members())
    at_most = sum(map(_resident, members))
    return at_most if at_most <= limit else sum(map(_shared_out, members))


def with_last_lines(problem: str, output: str) -> str:
    """Append the last lines of a program's output to the description of a problem, leaving out unprintable characters."""
    lines = [_NOT_TEXT.sub("", line.rpartition("\r")[2] or line)[:_SHOWN_SIGNS].rstrip() for line in output.rstrip().split("\n")]
    shown = [line for line in lines if line][-_SHOWN_LINES:]
    if not shown:
        return f"{problem}; it printed nothing"
    return "\n".join([f"{problem}; its last lines:", *(f"    | {line}" for line in shown)])


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
