"""Progress of a run in one line: jobs done, running, failed and left."""

import json
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TextIO

from recsens.recommenders import is_watched
from recsens.workflow.job import Job, step_of

EVENTS = "RECSENS_EVENTS"
"""Environment variable with the file descriptor to which Snakemake's logger ``recsens`` writes events of jobs."""

_PAUSE = 30.0
"""Seconds between two lines if a line cannot be rewritten, as in a log."""

_REWRITE = 1.0
"""Seconds after which a terminal's line is rewritten even if no job has started or ended."""

_MOST_NAMED = 8
"""Largest number of running jobs that are named, because a cluster can run hundreds."""


@dataclass
class Progress:
    """Follow the jobs of a run through Snakemake's events, and show how many are done.

    Attributes
    ----------
    out
        The stream to write the progress to; on a terminal, one line is rewritten.
    name
        Function that describes a job in the study's own words.
    clock
        Function that returns the seconds since some fixed moment.
    are_sent_away
        Whether jobs go to a cluster, which does not say whether a job runs or still waits.
    """

    out: TextIO
    name: Callable[[Job], str]
    clock: Callable[[], float] = time.monotonic
    are_sent_away: bool = False
    _events: int = field(default=-1, init=False)
    _rest: bytes = field(default=b"", init=False)
    _running: dict[object, Job] = field(default_factory=dict, init=False)
    _failed: dict[object, list[str]] = field(default_factory=dict, init=False)
    _n_before: int = field(default=0, init=False)
    _n_done: int = field(default=0, init=False)
    _n_jobs: int | None = field(default=None, init=False)
    _told: float | None = field(default=None, init=False)

    def begin(self, events: int) -> None:
        """Follow another Snakemake call; its events come from a non-blocking descriptor."""
        self._events, self._rest = events, b""
        self._n_before, self._n_done, self._n_jobs = self._n_before + self._n_done, 0, None
        self._running, self._failed = {}, {}

    def follow(self) -> None:
        """Read new events of jobs, and show the progress."""
        news = self._new_events()
        for event in news:
            self._note_event(event)
        now, pause = self.clock(), _REWRITE if is_watched(self.out) else _PAUSE
        is_time = self._told is None or now - self._told >= pause or (bool(news) and is_watched(self.out))
        if is_time and self._n_jobs is not None:
            self._show_line(now)

    def end(self) -> None:
        """End the line, so that further output begins on a new line."""
        if is_watched(self.out) and self._told is not None:
            self._told = None
            self.out.write("\n")
            self.out.flush()

    def logs_of_failed(self) -> list[str]:
        """List the logs of jobs that have failed and not restarted."""
        return [log for logs in self._failed.values() for log in logs]

    def line(self) -> str:
        """Return the progress of the run in words."""
        n_left = (self._n_jobs or 0) - self._n_done - len(self._failed) - len(self._running)
        parts = [f"{self._n_before + self._n_done:,} of {self._n_before + (self._n_jobs or 0):,} jobs done"]
        parts += [f"{len(self._failed):,} failed"] if self._failed else []
        parts += [f"{n_left:,} to go"] if n_left > 0 else []
        parts += [f"{len(self._running):,} {'submitted' if self.are_sent_away else 'running'}"] if self._running else []
        running = [self.name(job) for job in list(self._running.values())[:_MOST_NAMED]]
        running += [f"{len(self._running) - _MOST_NAMED:,} more"] if len(self._running) > _MOST_NAMED else []
        return ", ".join(parts) + (f": {'; '.join(running)}" if running else "")

    def _new_events(self) -> list[dict[str, Any]]:
        parts = [self._rest]
        with suppress(BlockingIOError):  # The pipe is empty for now.
            while part := os.read(self._events, 1 << 16):
                parts.append(part)
        *whole, self._rest = b"".join(parts).split(b"\n")
        return [json.loads(line) for line in whole]

    def _note_event(self, event: dict[str, Any]) -> None:
        job = event.get("job")
        match event["event"]:
            case "progress":
                # The last job is the target, which does nothing.
                self._n_jobs = max(event["total"] - 1, 0)
                self._n_done = min(event["done"], self._n_jobs)
            case "started":
                self._failed.pop(job, None)
                with suppress(LookupError):  # A target has no step.
                    self._running[job] = Job(step_of(event["rule"]), event["wildcards"])
            case "finished":
                self._running.pop(job, None)
            case "failed":
                self._running.pop(job, None)
                self._failed[job] = event["logs"]

    def _show_line(self, now: float) -> None:
        line, before = self.line(), self._told
        self._told = now  # Set this first: after an interruption, `end` then ends the line.
        if is_watched(self.out):
            width = shutil.get_terminal_size().columns
            self.out.write(f"\r{line[: width - 1]:<{width - 1}}")
        elif before is not None:  # If a run ends at once, it needs no line.
            self.out.write(f"{line}\n")
        self.out.flush()
