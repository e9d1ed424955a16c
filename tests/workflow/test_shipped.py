"""Files that come with recsens and can be copied: studies ('recsens studies', 'recsens copy') and the exporter."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from recsens.cli import main
from recsens.errors import ConfigError
from recsens.study import load_study
from recsens.workflow.shipped import copy_shipped, exporter_file, study_lines


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, without data."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RECSENS_DATA", raising=False)
    return tmp_path


def test_each_study_is_listed_with_its_data_and_time_the_quick_start_first():
    lines = list(study_lines())
    assert lines[0] == "quickstart: Quick start: MF or kNN? It depends on the split"
    assert lines[1:3] == ["  data: Simulated: simulated", "  takes: half a minute on two processors"]
    at = next(index for index, line in enumerate(lines) if line.startswith("canamares2020: "))
    assert lines[at + 1] == "  data: ML-1M: downloaded from the publisher in the first run"
    assert "  data: Netflix: provide it as data/netflix/combined_data_1.txt or below the folder that RECSENS_DATA names" in lines
    assert "  data: FilmTrust: your own file: data/filmtrust/ratings.txt" in lines


def test_data_that_are_here_are_said_to_be(folder: Path):
    (folder / "data/ml-1m").mkdir(parents=True)
    (folder / "data/ml-1m/ratings.dat").touch()
    assert "  data: ML-1M: here" in study_lines()


def test_a_study_is_copied_and_no_file_is_overwritten(folder: Path):
    copy_shipped("quickstart", folder / "mine.yaml")
    assert load_study(folder / "mine.yaml").title == "Quick start: MF or kNN? It depends on the split"
    with pytest.raises(ConfigError, match="this file already exists"):
        copy_shipped("quickstart", folder / "mine.yaml")
    with pytest.raises(ConfigError, match=r"no study 'quikstart' comes with recsens; did you mean 'quickstart'\?"):
        copy_shipped("quikstart", folder / "other.yaml")
    assert {path.name for path in folder.iterdir()} == {"mine.yaml"}


def test_the_exporter_is_written_once_and_never_over_another_file(folder: Path):
    for _ in range(2):
        told = CliRunner().invoke(main, ["exporter", "mine/deep"])
        assert told.exit_code == 0, told.output
        assert told.output.startswith("Wrote mine/deep/recsens_export.py")
    path = folder / "mine/deep/recsens_export.py"
    assert path.read_bytes() == exporter_file().read_bytes()
    path.write_text("mine", encoding="utf-8")
    refused = CliRunner().invoke(main, ["exporter", "mine/deep"])
    assert refused.exit_code == 1
    assert "mine/deep/recsens_export.py: a different file already exists" in refused.output
    assert path.read_text(encoding="utf-8") == "mine"
