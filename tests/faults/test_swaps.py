"""If two results of the same kind are exchanged, neither is used, and a run restores the original bytes."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from faults.readers import READERS, files_of
from recsens.artefacts import storage
from recsens.errors import ArtefactError
from recsens.workflow.job import Job
from recsens.workflow.job_inputs import digests_of, statement_of
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs
from recsens.workflow.staleness import compare_results, is_sound
from workspaces import Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

Pair = tuple[Path, Path]


@pytest.fixture
def makers(every: Workspace, monkeypatch: pytest.MonkeyPatch) -> dict[Path, Job]:
    """The job that makes each result of a finished study, by paths in its checkout."""
    monkeypatch.chdir(every.root)
    jobs = planned_jobs(Plan("every"))
    assert is_sound(compare_results(jobs, whole=True))
    return {Path(path): job for job in jobs for path in job.files_written}


def test_no_result_is_used_in_the_place_of_another_of_its_kind(makers: dict[Path, Job]) -> None:
    pairs = [pair for alike in results_by_kind() for pair in combinations(alike, 2)]
    assert len(pairs) > 1000
    for pair in pairs:
        with exchanged(pair):
            assert unsound([makers[path] for path in pair]) == set(pair)
            for path in pair:
                with pytest.raises(ArtefactError, match=re.escape(f"{path}: misplaced: this is the file of ")):
                    digests_of([str(path)])


def test_no_file_is_used_with_the_statement_of_another(makers: dict[Path, Job]) -> None:
    pairs = [pair for alike in results_by_kind() for pair in pairwise(alike) if storage.sidecar(pair[0]).exists()]
    different = [pair for pair in pairs if pair[0].read_bytes() != pair[1].read_bytes()]
    assert len(different) > 40
    for pair in different:
        with exchanged(pair, with_statements=False):
            assert unsound([makers[path] for path in pair]) == set(pair)


@pytest.mark.trial
@pytest.mark.parametrize(
    ("one", "other", "file"),
    [
        pytest.param("simulated*/none/*0.6*/*/fm*", "ratings*/none/*0.6*/*/fm*", "model.npz", id="data sets"),
        pytest.param(
            "simulated*/none/*0.6*/*/fm*", "simulated*/none/*0.6*/*/tuned*", "ar/drop/random/positions.parquet", id="systems"
        ),
    ],
)
def test_a_run_makes_anew_what_was_exchanged(every: Workspace, one: str, other: str, file: str) -> None:
    before = every.results()
    [first], [second] = (list((every.root / "results/seed-0").glob(f"{folder}/{file}")) for folder in (one, other))
    exchange(first, second)
    every.recsens("run", "every", "--cores", "2")
    assert every.differs_from(before) == {}


def results_by_kind() -> list[list[Path]]:
    """List results by the kind of content that their statements give."""
    by_kind: dict[str, list[Path]] = {}
    for path in (path for pattern in READERS for path in files_of(pattern)):
        by_kind.setdefault(statement_of(path).kind, []).append(path)
    return list(by_kind.values())


@contextmanager
def exchanged(pair: Pair, *, with_statements: bool = True) -> Iterator[None]:
    """Exchange two files and any separate statements, and restore them."""
    moved = [pair]
    if with_statements and storage.sidecar(pair[0]).exists():
        moved.append((storage.sidecar(pair[0]), storage.sidecar(pair[1])))
    for each in moved:
        exchange(*each)
    yield
    for each in moved:
        exchange(*each)


def exchange(one: Path, other: Path) -> None:
    """Exchange two files."""
    aside = one.with_name("aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)


def unsound(jobs: list[Job]) -> set[Path]:
    """Return the results that a run would recompute."""
    return {Path(finding.path) for finding in compare_results(jobs) if finding.state not in {"sound", "waiting"}}
