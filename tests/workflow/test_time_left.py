"""The estimate of the time left: known from earlier runs, led by this run's pace, and steady."""

from itertools import pairwise
from pathlib import Path

import pytest

from recsens.workflow.estimates import Usual, seconds_on_record
from recsens.workflow.jobs import PlannedJob
from recsens.workflow.time_left import TimeLeft


def fit(system: str, fold: int = 0, record: str = "") -> PlannedJob:
    """Return a fit of a system on a fold."""
    wildcards = {"dataset": "d", "fold": f"repeat-{fold}", "recommender": system}
    return PlannedJob("fit", wildcards, {}, {"model": [f"{system}-{fold}"]}, {}, record)


def test_jobs_take_what_those_most_like_them_took():
    usual = Usual()
    for job, seconds in ((fit("slim"), 100), (fit("slim", 1), 200), (fit("ease"), 4)):
        usual.note(job, seconds)
    assert [usual.of(fit("slim", fold)) for fold in (0, 1, 2)] == [100, 200, 150]
    assert usual.of(fit("hkv")) == pytest.approx(304 / 3)
    assert usual.of(PlannedJob("rank", {}, {}, {}, {})) is None


def test_records_of_earlier_runs_are_read_and_damaged_ones_say_nothing(tmp_path):
    for name, text in (("good", "s\th:m:s\n4.5\t0:00:04\n"), ("cut", "s\th:m:s\n4.5\n"), ("empty", "")):
        Path(tmp_path, name).write_text(text, encoding="utf-8")
    jobs = [fit(name, record=str(tmp_path / name)) for name in ("good", "cut", "empty", "absent")]
    usual = seconds_on_record(jobs)
    assert [usual.of(job) for job in jobs] == [4.5] * 4


def test_nothing_is_said_where_nothing_is_known():
    assert TimeLeft().seconds([fit("a")], [], 0.0) is None


def test_the_time_left_is_known_from_earlier_runs_and_follows_the_pace_of_this_one():
    jobs = [fit("slim", fold) for fold in range(20)]
    usual = Usual()
    for job in jobs:
        usual.note(job, 30)
    left = TimeLeft(usual)
    assert left.seconds(jobs, [], 0.0) == 600
    now = 0.0
    # This machine is half as fast: what is left of 20 times 60 s.
    for done in range(1, 16):
        now += 60
        left.note(jobs[done - 1], 60)
        told = left.seconds(jobs[done:], [], now)
    assert told == pytest.approx(5 * 60, rel=0.15)


@pytest.mark.parametrize("at_once", [1, 2])
def test_the_end_that_is_told_hardly_moves_however_unlike_the_jobs_are(at_once):
    left, now, ends = TimeLeft(), 0.0, []
    jobs = [fit("slim", fold) for fold in range(60)]
    # Jobs of 2 s and 18 s by turns, one or two at a time; the run is looked at every second.
    for first in range(0, len(jobs), at_once):
        together = jobs[first : first + at_once]
        seconds = 2 if first // at_once % 2 else 18
        for passed in range(seconds):
            told = left.seconds(jobs[first + at_once :], [(job, passed) for job in together], now + passed)
            ends += [] if told is None else [now + passed + told]
        now += seconds
        for job in together:
            left.note(job, seconds)
    later = ends[len(ends) // 6 :]
    assert max(later) - min(later) < 0.1 * now
    assert max(abs(a - b) for a, b in pairwise(later)) < 4
