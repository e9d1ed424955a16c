"""Writers: processes that write results. A writer notes itself in the results lock, and marks every process that it starts."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

import psutil

MARK = "RECSENS_RUN"
"""Environment variable of every process in a run; it names the run's writer, so that orphans of a killed run can be recognised."""


@dataclass(frozen=True)
class Writer:
    """A process that writes results.

    Attributes
    ----------
    process
        The process number on the host.
    host
        Name of the host.
    namespace
        The process namespace of the host or container, in which ``process`` is unique; empty if it has no name.
    folder
        Its working directory.
    results
        The folder of results to which it writes, with links resolved.
    """

    process: int
    host: str
    namespace: str
    folder: str
    results: str

    @classmethod
    def here(cls, results: Path) -> Self:
        """Describe this process as the writer of a results folder."""
        return cls(os.getpid(), socket.gethostname(), _namespace(), str(Path.cwd()), str(results.resolve()))

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Parse a writer from text; None if the text does not describe a writer, for example because it was truncated."""
        try:
            writer = cls(**json.loads(text))
        except (ValueError, TypeError):
            return None
        return writer if isinstance(writer.process, int) and writer.process > 0 else None

    def __str__(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def is_over(self) -> bool:
        """Whether the writer has certainly ended; always false for a writer on another host or in another container."""
        if (self.host, self.namespace) != (socket.gethostname(), _namespace()):
            return False
        try:
            return bool(psutil.Process(self.process).status() == psutil.STATUS_ZOMBIE)
        except psutil.NoSuchProcess:
            return True

    @property
    def words(self) -> str:
        """Say in words which process it is, and where it was started."""
        return f"process {self.process} on {self.host}, started in {self.folder}"


def marked() -> Iterator[tuple[psutil.Process, Writer]]:
    """Yield every process that a writer has started and that this user may inspect, except this process, with its writer."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, KeyError, OSError):
            writer = Writer.read(process.environ()[MARK])
            if writer is not None and process.pid != os.getpid():
                yield process, writer


def _namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""
