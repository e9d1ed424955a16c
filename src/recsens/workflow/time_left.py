"""The time that a run still takes: judged by earlier runs and by its own pace, and steady from look to look."""

from __future__ import annotations

import math
from collections.abc import Sequence

from recsens.workflow.estimates import Usual
from recsens.workflow.jobs import PlannedJob

_TRUST = 60.0
"""Seconds of jobs done in this run that say as much about its pace as all earlier runs do."""

_CALM = 20.0
"""Seconds in which about two thirds of a change of the estimate are shown."""


class TimeLeft:
    """Estimates how long the rest of a run takes.

    A job takes what the jobs most like it took, in earlier runs and in this one, times the pace of this run: what its jobs took
    over what was expected of them, or nearly 1 while few are done. As many jobs run at a time as at most so far. The moment at
    which the run should end moves towards each new estimate little by little, so that the time left does not swing.

    Parameters
    ----------
    usual
        What jobs took in earlier runs; nothing by default.
    """

    def __init__(self, usual: Usual | None = None) -> None:
        self._usual = usual or Usual()
        self._done: list[float] = []
        self._took = self._expected = 0.0
        self._most_at_once = 1
        self._end: float | None = None
        self._looked = 0.0

    def note(self, job: PlannedJob, seconds: float) -> None:
        """Take note of the seconds that a job of this run took."""
        expected = self._usual.of(job)
        if expected is not None:
            self._took += seconds
            self._expected += expected
        self._done.append(seconds / self._pace)
        self._usual.note(job, self._done[-1])

    def seconds(self, waiting: Sequence[PlannedJob], running: Sequence[tuple[PlannedJob, float]], now: float) -> float | None:
        """Return the seconds left, given the jobs to go and those running with their seconds so far; None if nothing is known."""
        self._most_at_once = max(self._most_at_once, len(running))
        usual = [self._usual.of(job) for job in (*waiting, *(job for job, _ in running))]
        known = [*self._done, *(seconds for seconds in usual if seconds is not None)]
        if not known:
            return None
        # Of a step that is new in this run, all other jobs tell.
        other = sum(known) / len(known)
        begun = [*(0.0 for _ in waiting), *(so_far for _, so_far in running)]
        left = [max(self._pace * (other if each is None else each) - so_far, 0) for each, so_far in zip(usual, begun, strict=True)]
        return self._calmed(max(sum(left) / self._most_at_once, *left, 0.0), now)

    @property
    def _pace(self) -> float:
        return (self._took + _TRUST) / (self._expected + _TRUST)

    def _calmed(self, seconds: float, now: float) -> float:
        if self._end is None:
            self._end = now + seconds
        else:
            self._end += (now + seconds - self._end) * (1 - math.exp((self._looked - now) / _CALM))
        self._looked = now
        return max(self._end - now, 0)
