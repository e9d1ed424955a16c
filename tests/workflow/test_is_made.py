"""A job has nothing to do if its results exist and state that they were made from exactly the present inputs."""

import os
from pathlib import Path

import pytest

from recsens.artefacts.statements import making
from recsens.artefacts.storage import write_text
from recsens.workflow.job import Job
from recsens.workflow.job_inputs import digests_of, making_of_job, statement_of
from recsens.workflow.staleness import Stated, cannot_be_touched, is_made

SUMMARY, VERDICTS, PAGE = (f"results/studies/s/{name}" for name in ("summary.csv", "verdicts.csv", "page.html"))
PARAMS = {"alpha": 0.05, "code": "0a1b"}


def make(step: str, path: str, text: str, *inputs: str, **params: object) -> None:
    """Write the result of a job."""
    with making(making_of_job(step, digests_of(inputs), {**PARAMS, **params})):
        write_text(path, text)


@pytest.fixture(autouse=True)
def _chain(tmp_path, monkeypatch):
    """Make verdicts from a summary, and a page from these."""
    monkeypatch.chdir(tmp_path)
    make("summarise", SUMMARY, "a\n")
    make("decide_winners", VERDICTS, "b\n", SUMMARY)
    make("report", PAGE, "c\n", VERDICTS)


def judged(stated: Stated | None = None, *, summary: str = SUMMARY, **params: object) -> bool:
    return is_made(Job("decide_winners", {}, {"summary": summary}, {"table": [VERDICTS]}, {**PARAMS, **params}), stated)


def reported() -> bool:
    return is_made(Job("report", {}, {"verdicts": VERDICTS}, {"page": PAGE}, PARAMS))


def test_a_job_is_made_whatever_the_times_of_its_files():
    for year, path in enumerate((PAGE, VERDICTS, SUMMARY)):
        os.utime(path, (year, year))
    assert judged()
    assert reported()


def test_a_job_with_another_parameter_or_code_is_not_made():
    assert not judged(alpha=0.01)
    assert not judged(code="2c3d")


def test_a_job_whose_input_holds_something_else_is_not_made():
    make("summarise", SUMMARY, "another\n")
    assert not judged()


def test_a_job_whose_input_was_made_anew_to_the_same_content_is_made():
    make("summarise", SUMMARY, "a\n", alpha=0.1)
    assert judged()


def test_a_job_whose_input_was_made_from_something_else_than_is_there_is_not_made():
    make("summarise", SUMMARY, "another\n")
    assert not reported()


@pytest.mark.parametrize("path", [SUMMARY, VERDICTS])
def test_a_job_of_which_a_file_is_missing_or_changed_is_not_made(path):
    Path(path).write_text("changed\n")
    assert not judged()
    Path(path).unlink()
    assert not judged()


def test_a_job_of_which_no_file_is_known_is_not_made():
    assert not is_made(Job("decide_winners", params=PARAMS))


def test_parts_that_were_removed_are_not_missed():
    make("rank", VERDICTS, "b\n", SUMMARY)
    assert is_made(Job("rank", {}, {"model": SUMMARY, "shards": ["gone"]}, {"ranking": [VERDICTS]}, PARAMS))


def test_a_result_is_looked_at_once_until_it_is_forgotten(monkeypatch):
    looks: list[str] = []
    look = statement_of
    monkeypatch.setattr("recsens.workflow.staleness.statement_of", lambda path: looks.append(path) or look(path))
    stated = Stated()
    assert judged(stated)
    make("summarise", SUMMARY, "another\n")
    assert judged(stated)
    assert sorted(looks) == [SUMMARY, VERDICTS]
    stated.forget([SUMMARY])
    assert not judged(stated)


def test_a_file_that_cannot_be_given_a_new_time_is_named():
    assert cannot_be_touched([SUMMARY, VERDICTS]) is None
    assert cannot_be_touched([SUMMARY, "nowhere/x"]) == "nowhere/x"
