"""The studies of data sets that readers bring, with small files in the layouts of these data sets, and without any."""

import importlib
import re
import subprocess
from pathlib import Path

import pytest

from in_process import call
from recsens.study import load_study
from recsens.workflow.plan import Plan
from workspaces import REPOSITORY, made_once

STUDIES = {
    "valcarce2018-files": ("librarything/UI2.txt", "beeradvocate/beeradvocate.txt"),
    "bellogin2012-lastfm": ("lastfm-dataset-1K/userid-timestamp-artid-artname-traid-traname.tsv",),
    "canamares2020-netflix": tuple(f"netflix/combined_data_{part}.txt" for part in range(1, 5)),
    "aftab2022-files": (
        "filmtrust/ratings.txt",
        "book-crossing/BX-Book-Ratings.csv",
        "amazon/reviews_Clothing_Shoes_and_Jewelry_5.json.gz",
    ),
    "aftab2022-runway": ("renttherunway/renttherunway_final_data.json",),
}
"""Study -> its files below RECSENS_DATA."""
NEEDS_TORCH = ["aftab2022-runway"]


@pytest.fixture(scope="module")
def stand_ins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the files once."""

    def write(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(REPOSITORY / "benchmarks")
            script = importlib.import_module("stand_ins")
            script.write(folder, script.rows(60, 100, 1500))

    return made_once("stand-ins", write, tmp_path_factory)


def needs(study: str) -> None:
    if study in NEEDS_TORCH:
        pytest.importorskip("torch")


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_reads_the_files_that_a_reader_brings(stand_ins, monkeypatch, study):
    needs(study)
    monkeypatch.setenv("RECSENS_DATA", str(stand_ins))
    plan = Plan(study)
    read = {Path(path).relative_to(stand_ins).as_posix() for source in plan.sources.values() for path in source.files}
    assert read == set(STUDIES[study])


@pytest.mark.parametrize("study", STUDIES)
def test_one_message_names_the_file_that_is_absent(tmp_path, monkeypatch, study):
    needs(study)
    monkeypatch.setenv("RECSENS_DATA", str(tmp_path))
    told = call(tmp_path, "check", study)
    assert told.exit_code == 1
    assert told.output.count("Error: ") == 1
    assert STUDIES[study][0] in told.output


@pytest.mark.parametrize("study", STUDIES)
def test_printed_values_and_claims_are_about_every_data_set(study):
    read = load_study(REPOSITORY / f"config/studies/{study}.yaml")
    told = {read.dataset_of(entry.dataset or entry.experiment or next(iter(read.datasets))) for _, entry in read.all_claims}
    assert told == set(read.datasets)


def test_one_command_writes_the_files_and_runs_the_study():
    command = ["/usr/bin/env", "make", "--dry-run", "stand-in", "STUDY=aftab2022-files"]
    written, ran = subprocess.check_output(command, cwd=REPOSITORY, text=True).splitlines()[-2:]
    assert written.endswith("/python benchmarks/stand_ins.py --to build/stand-ins")
    assert re.match(r"RECSENS_DATA=build/stand-ins \S*/recsens run aftab2022-files ", ran)


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES)
def test_a_study_runs_on_small_files(stand_ins, tmp_path, monkeypatch, study):
    needs(study)
    monkeypatch.setenv("RECSENS_DATA", str(stand_ins))
    told = call(tmp_path, "run", study, "--cores", "2")
    assert told.exit_code == 0, told.output
    assert (tmp_path / f"results/studies/{study}/claims.csv").is_file()
