"""What the audit says about a result that differs from what a study asks for."""

from dataclasses import replace
from pathlib import Path

import pytest

from recsens.artefacts.statements import Making, making
from recsens.artefacts.storage import write_text
from recsens.workflow import job_inputs
from recsens.workflow import staleness as auditing
from recsens.workflow.job import Job
from recsens.workflow.staleness import compare_results

JOB = Job(
    "decide_winners", {}, {}, {"table": ["results/studies/s/verdicts.csv"]}, {"alpha": 0.05, "cutoffs": [5], "cells": "x" * 200}
)


@pytest.fixture(autouse=True)
def _made(tmp_path, monkeypatch):
    """Write the result of the job."""
    monkeypatch.chdir(tmp_path)
    with making(auditing.making_of_job(JOB.step, {}, JOB.params)):
        write_text(JOB.files_written[0], "a\n")


def found(**params: object) -> tuple[str, str]:
    """Return the state of the result, and the reason, if the job has these parameters."""
    [finding] = compare_results([replace(JOB, params={**JOB.params, **params})])
    return finding.state, finding.why


def test_a_changed_parameter_is_named_with_both_values_where_they_are_short():
    assert found() == ("sound", "")
    assert found(alpha=0.01) == ("stale", "its parameters have changed: 'alpha' was 0.05, is 0.01")
    assert found(cutoffs=[5, 10], cells="y" * 200) == (
        "stale",
        "its parameters have changed: 'cells'; 'cutoffs' was [5], is [5,10]",
    )
    assert found(top="new") == ("stale", "its parameters have changed: 'top' was none, is \"new\"")


def test_a_changed_digest_is_told_in_words():
    assert found(decisions="92cd", order="83ab") == (
        "stale",
        "its parameters have changed: what it reads from the study file; the order of the files that it reads",
    )


def test_a_result_that_vanishes_while_it_is_read_is_missing(monkeypatch):
    def vanish(path):
        Path(path).unlink()
        return statement_of(path)

    statement_of = auditing.statement_of
    monkeypatch.setattr(auditing, "statement_of", vanish)
    assert found() == ("missing", "no such file")


def test_what_a_job_took_is_measured_anew_with_any_result_of_it():
    cost, ranking = "results/benchmarks/rank/r.csv", "results/r/positions.csv"
    rank = Job("rank", {}, {}, {"ranking": [ranking], "cost": [cost]}, {})
    costs = Job("costs", {}, {"records": [cost]}, {"table": ["results/studies/s/benchmarks/costs.csv"]}, {})
    for path in rank.files_written:
        with making(auditing.making_of_job("rank", {}, {})):
            write_text(path, "a\n")
    with making(auditing.making_of_job("costs", job_inputs.digests_of([cost]), {})):
        write_text(costs.files_written[0], "a\n")
    assert {finding.state for finding in compare_results([rank, costs])} == {"sound"}
    Path(ranking).unlink()
    assert [finding.state for finding in compare_results([rank, costs])] == ["missing", "sound", "waiting"]


def test_a_statement_of_an_earlier_form_is_stale():
    with making(replace(Making("decide_winners"), params="0123456789abcdef")):
        write_text(JOB.files_written[0], "a\n")
    assert found() == ("stale", "states its parameters as an earlier release did")


def test_what_is_kept_and_why_the_rest_is_made_anew_in_one_sentence():
    def of(*states: tuple[str, str]) -> list[auditing.Audited]:
        return [auditing.Audited("file", state, why, JOB) for state, why in states]

    code, other = ("stale", "the code of 'fit' has changed"), ("damaged", "no Parquet file.")
    waiting, missing = ("waiting", "a model is made anew"), ("missing", "no such file")
    assert auditing.kept_in_words(of(missing, missing)) == auditing.kept_in_words(of(("sound", ""))) == ""
    assert auditing.kept_in_words(of(*[("sound", "")] * 1200, missing)) == (
        "Kept: 1,200 of 1,201 results. To be made: 1 (file: no such file)"
    )
    assert auditing.kept_in_words(of(missing, other, code, code, waiting)) == (
        "Kept: 0 of 5 results. To be made: 4 (file: no Parquet file, and 2 other reasons), and what depends on them: up to 1"
    )
