"""A file with a flipped bit, or one that was cut short, emptied or doubled, is never read as something else."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from faults.readers import READERS, files_of, read
from recsens.artefacts import schemas, storage
from recsens.artefacts.addresses import FILES
from recsens.artefacts.statements import SIDECARS
from recsens.conclusions.meta import FINDINGS
from recsens.errors import ArtefactError
from recsens.outcomes.measuring.stored_rankings import CELL, POPULATION
from recsens.workflow.job_inputs import statement_of
from recsens.workflow.prepare_run import LATEST
from recsens.workflow.verify import verify_all
from workspaces import Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

FEW, MANY = 30, 300
"""Flips of bits in the files of one kind."""

how_often = pytest.mark.parametrize("n_flips", [FEW, pytest.param(MANY, marks=pytest.mark.trial)])
STATING_NOTHING = {"spec.json"}
BESIDE = [pattern for pattern in READERS if not pattern.endswith((".parquet", ".npz", ".json"))]
"""Kinds of results whose statement is in a separate file."""


@pytest.fixture(scope="module")
def copy(every_once: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the results of a finished study: each test restores what it damages."""
    folder = tmp_path_factory.mktemp("flips")
    shutil.copytree(every_once.root / "results", folder / "results")
    return folder


@pytest.fixture(autouse=True)
def results(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the folder that contains the copied results."""
    monkeypatch.chdir(copy)


def test_every_result_has_one_reader_here_and_every_reader_a_result() -> None:
    read_here = [path for pattern in READERS for path in files_of(pattern)]
    assert len(read_here) == len(set(read_here))
    written = {path for path in Path("results").rglob("*") if path.is_file() and path.suffix not in {".log", ".tsv"}}
    aside = {path for path in written if path.parent.name == SIDECARS or path.name in STATING_NOTHING}
    assert written - aside - set(read_here) == {Path("results/.lock"), LATEST}
    assert [pattern for pattern in READERS if not files_of(pattern)] == []
    assert verify_all().counts == {"sound": len(read_here) + len([LATEST])}


def test_every_kind_in_the_schemas_and_every_file_of_an_address_is_among_them() -> None:
    stated = {statement_of(path).kind for pattern in READERS for path in files_of(pattern)}
    # The records of shards are removed when the search is complete.
    named = [
        schemas.kind_of(each) if isinstance(each, pa.Schema) else each
        for each in [*vars(schemas).values(), CELL, POPULATION, FINDINGS]
    ]
    assert {name for name in named if isinstance(name, str) and name.endswith(" 1")} - {schemas.TUNING_SHARD} <= stated
    assert set(FILES) - STATING_NOTHING <= set(READERS)


@how_often
@pytest.mark.parametrize("pattern", READERS)
def test_no_flipped_bit_is_read_as_another_value(pattern: str, n_flips: int) -> None:
    rng, right = drawing(pattern), as_written(pattern)
    drawn = rng.choice(list(right), size=n_flips)
    n_refused = sum(refuses(pattern, path, path, flipped(path.read_bytes(), rng), right[path]) for path in drawn)
    assert n_refused > n_flips // 2


@how_often
@pytest.mark.parametrize("pattern", BESIDE)
def test_no_flipped_bit_of_a_statement_beside_a_file_is_believed(pattern: str, n_flips: int) -> None:
    rng, right = drawing(pattern), as_written(pattern)
    lines = [(path, storage.sidecar(path)) for path in rng.choice(list(right), size=n_flips)]
    n_refused = sum(refuses(pattern, path, line, flipped(line.read_bytes(), rng), right[path]) for path, line in lines)
    assert n_refused > n_flips // 2


@pytest.mark.parametrize("pattern", READERS)
def test_a_file_cut_short_emptied_or_doubled_is_refused_or_read_as_it_was(pattern: str) -> None:
    rng = drawing(pattern)
    for path, right in as_written(pattern).items():
        content = path.read_bytes()
        ends = (0, 1, len(content) // 2, len(content) - 1, *rng.integers(len(content), size=10))
        for damaged in (*(content[:end] for end in ends), content * 2):
            refuses(pattern, path, path, damaged, right)
        assert refuses(pattern, path, path, b"", right)


def drawing(pattern: str) -> np.random.Generator:
    """Return the generator of a kind's damages."""
    return np.random.default_rng(list(pattern.encode()))


def as_written(pattern: str) -> dict[Path, str]:
    """Return what the results of a kind hold, by path."""
    return {path: read(pattern, path) for path in files_of(pattern)}


def flipped(content: bytes, rng: np.random.Generator) -> bytes:
    """Flip one bit."""
    damaged = bytearray(content)
    damaged[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
    return bytes(damaged)


def refuses(pattern: str, result: Path, damaged: Path, content: bytes, right: str) -> bool:
    """Change a result or its statement, then restore it; return whether it was refused with its name and a remedy.

    If it is not refused, it must be read as it was written; if it is, `recsens verify` must not call it sound either.
    """
    sound = damaged.read_bytes()
    damaged.write_bytes(content)
    try:
        refusal, fault = refusal_of(lambda: read(pattern, result)), refusal_of(lambda: verify(result))
        found = "" if refusal else read(pattern, result)
    finally:
        damaged.write_bytes(sound)
    if refusal is None:
        assert found == right
        return False
    assert str(damaged) in str(refusal) or str(result) in str(refusal)
    assert refusal.remedy
    assert fault is not None
    return True


def refusal_of(look: Callable[[], object]) -> ArtefactError | None:
    """Return the error of looking at a file."""
    try:
        look()
    except ArtefactError as error:
        return error
    return None


def verify(result: Path) -> None:
    """Look at a result as `recsens verify` does."""
    statement_of(result)
    storage.check_content(result)
