"""What a job reads: results that state what they are, and the user's files as they were when the run was planned."""

import hashlib
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from recsens.artefacts import schemas, storage
from recsens.artefacts.statements import Making, making
from recsens.errors import ArtefactError, DataError
from recsens.workflow import job_inputs
from recsens.workflow.job import Job

ROLES = "results/seed-0/x/roles.parquet"


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    """A split, and a ranking that was made from it."""
    monkeypatch.chdir(tmp_path)
    write_roles(0)
    with making(job_inputs.making_of_job("rank", job_inputs.digests_of([ROLES]), {"design": "ar"})):
        storage.write_json("results/seed-0/x/model/positions.json", {"n": 1}, "positions 1")


def write_roles(role: int) -> None:
    """Write a split that gives all interactions one role."""
    with making(Making("split")):
        storage.write_table(ROLES, schemas.ROLES, {"role": np.full(5, role)})


def write_own(content: str) -> list[str]:
    """Write a user's own file, and return its digest."""
    Path("scores.csv").write_text(content, encoding="utf-8")
    return [hashlib.sha256(content.encode()).hexdigest()]


@pytest.fixture
def job(monkeypatch):
    """Return a job whose step calls a given function, then writes a model."""

    def planned(digests: list[str], meanwhile=lambda: None, **params: object) -> Job:
        def fit(*, roles: str, model: str, spec: str = "") -> None:
            meanwhile()
            storage.write_arrays(model, {"spec": spec}, {"w": np.arange(3)}, schemas.MODEL)

        monkeypatch.setitem(sys.modules, "recsens.workflow.steps.fit", SimpleNamespace(fit=fit))
        return Job(
            "fit",
            log="",
            inputs={"roles": ROLES, "own_files": ["scores.csv"]},
            outputs={"model": "results/seed-0/x/y/model.npz"},
            params={"own_digests": digests, "code": "0a1b", **params},
        )

    return planned


def stated(path: str = "results/seed-0/x/y/model.npz") -> Making:
    """Return what a file states that it was made from."""
    return job_inputs.statement_of(path).made


def test_what_a_job_writes_states_what_it_read(job):
    digests = write_own("a")
    job(digests, code="0a1b; numpy 2.4.6", spec="mine").call()
    content = job_inputs.statement_of(ROLES).content
    assert stated().inputs == {"own_files[0]": digests[0], "seed-0/x/roles.parquet": content}
    assert (stated().step, stated().code, stated().libraries) == ("fit", "0a1b", ["numpy 2.4.6"])


def test_every_parameter_counts_but_where_plug_ins_lie_and_what_the_path_names(job):
    digests = write_own("a")
    params = []
    for more in ({}, {"plugins": ["lab"]}, {"spec": "x(path=a)"}, {"order": "a"}, {"order": "b"}):
        job(digests, **more).call()
        params.append(stated().params)
    assert params == [{}, {}, {}, {"order": '"a"'}, {"order": '"b"'}]


def test_a_file_of_the_users_that_was_replaced_since_the_plan_is_refused(job):
    digests = write_own("a")
    write_own("b")
    with pytest.raises(DataError, match=r"scores\.csv: the file has changed since this run was planned"):
        job(digests).call()
    assert not Path("results/seed-0/x/y/model.npz").exists()


def test_a_plug_in_that_is_edited_between_the_plan_and_the_job_makes_nothing(job):
    digests = write_own("a")
    Path("mine.py").write_text("x = 1\n", encoding="utf-8")
    planned = {str(Path("mine.py").resolve()): hashlib.sha256(b"x = 1\n").hexdigest()}
    job(digests, plugin_files=planned).call()
    Path("mine.py").write_text("x = 2\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"mine\.py: the file has changed since this run was planned"):
        job(digests, plugin_files=planned).call()


def test_a_plug_in_that_is_edited_and_put_back_while_it_is_used_is_refused(job):
    digests = write_own("a")
    Path("mine.py").write_text("x = 1\n", encoding="utf-8")
    planned = {str(Path("mine.py").resolve()): hashlib.sha256(b"x = 1\n").hexdigest()}

    def meanwhile() -> None:
        Path("mine.py").write_text("x = 2\n", encoding="utf-8")
        Path("mine.py").write_text("x = 1\n", encoding="utf-8")

    with pytest.raises(DataError, match=r"mine\.py: the file changed while it was being read"):
        job(digests, meanwhile, plugin_files=planned).call()


def replace_with_old_times() -> None:
    """Replace the file by another of the same size and times."""
    before = Path("scores.csv").stat()
    Path("new.csv").write_text("b", encoding="utf-8")
    Path("new.csv").replace("scores.csv")
    os.utime("scores.csv", ns=(before.st_atime_ns, before.st_mtime_ns))


def edit_with_old_times() -> None:
    """Change the file to other content of the same size, and set its times back."""
    before = Path("scores.csv").stat()
    Path("scores.csv").write_text("b", encoding="utf-8")
    os.utime("scores.csv", ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("meanwhile", [replace_with_old_times, edit_with_old_times, lambda: Path("scores.csv").unlink()])
def test_a_file_of_the_users_that_changes_while_it_is_read_is_refused(job, meanwhile):
    with pytest.raises(DataError, match=r"scores\.csv: the file changed while it was being read"):
        job(write_own("a"), meanwhile).call()


def test_a_result_without_a_statement_is_refused():
    storage.write_table(ROLES, schemas.ROLES, {"role": np.zeros(5)})
    with pytest.raises(ArtefactError, match="states nothing about itself"):
        job_inputs.digests_of([ROLES])


def test_a_result_that_was_made_from_what_has_changed_is_refused():
    ranking = "results/seed-0/x/model/positions.json"
    assert set(job_inputs.digests_of([ranking])) == {ranking}
    write_roles(0)
    job_inputs.digests_of([ranking])
    write_roles(1)
    with pytest.raises(ArtefactError) as refused:
        job_inputs.digests_of([ranking])
    assert str(refused.value).startswith(
        f"{ranking}: was made from a different version of roles.parquet: {ROLES} has changed since\n"
    )


def test_what_an_input_was_made_from_may_be_gone():
    Path(ROLES).unlink()
    assert job_inputs.digests_of(["results/seed-0/x/model/positions.json"])
