"""The time that a run still takes: judged by earlier runs and by its own pace, and steady from look to look."""

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

    A job takes what the jobs most like it took, in earlier runs and in this one. The pace of the run is the time it has had, on as
    many processors as it used at most, over what its finished jobs should have taken, or nearly 1 while few are done: it holds the
    load of the machine, the starts of processes, and the times in which jobs wait for each other. The moment at which the run
    should end moves towards each new estimate little by little, so that the time left does not swing.

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
        self._begun: float | None = None
        self._looked = self._end = 0.0

    def note(self, job: PlannedJob, seconds: float) -> None:
        """Take note of the seconds that a job of this run took."""
        expected = self._usual.of(job)
        if expected is not None:
            self._took += seconds
            self._expected += expected
        # In seconds of the earlier runs, which may have had a faster machine.
        like_earlier = seconds * (self._expected + _TRUST) / (self._took + _TRUST)
        self._usual.note(job, like_earlier)
        self._done.append(like_earlier if expected is None else expected)

    def seconds(self, waiting: Sequence[PlannedJob], running: Sequence[tuple[PlannedJob, float]], now: float) -> float | None:
        """Return the seconds left, given the jobs to go and those running with their seconds so far; None if nothing is known."""
        self._begun = now if self._begun is None else self._begun
        self._most_at_once = max(self._most_at_once, len(running))
        usual = [self._usual.of(job) for job in (*waiting, *(job for job, _ in running))]
        known = [*self._done, *(seconds for seconds in usual if seconds is not None)]
        if not known:
            return None
        # Of a step that is new in this run, all other jobs tell.
        other = sum(known) / len(known)
        so_far = [seconds for _, seconds in running]
        pace = ((now - self._begun) * self._most_at_once - sum(so_far) + _TRUST) / (sum(self._done) + _TRUST)
        begun = [*(0.0 for _ in waiting), *so_far]
        left = [max(pace * (other if each is None else each) - passed, 0) for each, passed in zip(usual, begun, strict=True)]
        return self._calmed(max(sum(left) / self._most_at_once, *left, 0.0), now)

    def _calmed(self, seconds: float, now: float) -> float:
        end = now + seconds
        self._end = end + (self._end - end) * math.exp((self._looked - now) / _CALM) if self._end else end
        self._looked = now
        return max(self._end - now, 0)
