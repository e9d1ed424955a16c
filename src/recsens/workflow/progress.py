"""How far a run is: jobs done, running, failed and left, and the time left, in one line."""

import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from recsens.workflow.estimates import duration
from recsens.workflow.jobs import PlannedJob
from recsens.workflow.time_left import TimeLeft

_PAUSE = 30.0
"""Seconds between two lines where a line cannot be rewritten, such as in a log."""

_REWRITE = 1.0
"""Seconds after which the line on a terminal is rewritten though no job has begun or ended."""


@dataclass
class Progress:
    """Follows the jobs of a run by what they note, and tells how far it is.

    Attributes
    ----------
    notes
        File in which every job notes its beginning and its end (`recsens.workflow.job`).
    out
        Where to tell; a terminal sees one line that is rewritten.
    name
        Says of a job what it does, in the study's own words.
    clock
        Seconds since some moment.
    time_left
        Estimates how long the rest takes.
    """

    notes: Path
    out: TextIO
    name: Callable[[PlannedJob], str]
    clock: Callable[[], float] = time.monotonic
    time_left: TimeLeft = field(default_factory=TimeLeft)
    _jobs: Mapping[str, PlannedJob] = field(default_factory=dict, init=False)
    _left: dict[str, PlannedJob] = field(default_factory=dict, init=False)
    _running: dict[str, float] = field(default_factory=dict, init=False)
    _n_done: int = field(default=0, init=False)
    _n_failed: int = field(default=0, init=False)
    _read: int = field(default=0, init=False)
    _told: float | None = field(default=None, init=False)

    def expect(self, jobs: Iterable[PlannedJob]) -> None:
        """Take note of the jobs that are still to be done."""
        listed = list(jobs)
        self._jobs = {**self._jobs, **{path: job for job in listed for path in job.files_written}}
        self._left, self._running = {_key(job): job for job in listed}, {}

    def follow(self) -> None:
        """Read what jobs have noted since, and tell it."""
        news = self._news()
        for event, path in news:
            if path in self._jobs and _key(self._jobs[path]) in self._left:
                self._note(event, self._jobs[path])
        now, pause = self.clock(), _REWRITE if self.out.isatty() else _PAUSE
        if self._told is None or now - self._told >= pause or (news and self.out.isatty()):
            self._tell(now)

    def end(self) -> None:
        """Leave the line; what follows begins on its own."""
        if self.out.isatty() and self._told is not None:
            self._told = None
            self.out.write("\n")
            self.out.flush()

    def line(self) -> str:
        """Return how far the run is."""
        running = [self.name(self._left[key]) for key in self._running]
        n_left = len(self._left) - len(running)
        parts = [f"{self._n_done:,} of {self._n_done + self._n_failed + len(self._left):,} jobs done"]
        parts += [f"{self._n_failed:,} failed"] if self._n_failed else []
        parts += [f"{n_left:,} to go"] if n_left else []
        waiting = [job for key, job in self._left.items() if key not in self._running]
        at_work = [(self._left[key], self.clock() - begun) for key, begun in self._running.items()]
        seconds = self.time_left.seconds(waiting, at_work, self.clock())
        parts += [f"about {duration(seconds)} left"] if seconds is not None and self._left else []
        return ", ".join(parts) + (f": {'; '.join(running)}" if running else "")

    def _news(self) -> list[tuple[str, str]]:
        try:
            text = self.notes.read_bytes()[self._read :]
        except FileNotFoundError:
            return []
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        return [(event, path) for event, _, path in (line.partition("\t") for line in whole.decode().splitlines())]

    def _note(self, event: str, job: PlannedJob) -> None:
        if event == "begun":
            self._running[_key(job)] = self.clock()
            return
        begun = self._running.pop(_key(job), None)
        del self._left[_key(job)]
        if event == "failed":
            self._n_failed += 1
            return
        self._n_done += 1
        if begun is not None:
            self.time_left.note(job, self.clock() - begun)

    def _tell(self, now: float) -> None:
        line = self.line()  # from the first look on, as the pace counts from there
        if self.out.isatty():
            width = shutil.get_terminal_size().columns
            self.out.write(f"\r{line[: width - 1]:<{width - 1}}")
        elif self._told is not None:  # a run that ends at once needs no line
            self.out.write(f"{line}\n")
        self._told = now
        self.out.flush()


def _key(job: PlannedJob) -> str:
    return job.files_written[0]
