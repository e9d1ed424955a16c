"""The folds of a design are counted once for the same files, and again if files differ."""

from pathlib import Path

import pytest

from recsens import plugins
from recsens.data.splitting.from_files import Predefined
from recsens.errors import DataError
from recsens.study import Study
from recsens.study.designs import expand, folds


def folds_of(path: Path) -> list:
    study = Study.model_validate(
        {
            "title": "Given folds",
            "datasets": {"D": "simulated"},
            "systems": {"A": "random"},
            "design": {"split": f'predefined(path="{path}")'},
            "metrics": ["P@10"],
        }
    )
    return folds(expand(study, dict(study.datasets))["D"][0])


def write(path: Path, n_folds: int) -> None:
    path.write_text("user,item,fold\n" + "".join(f"u{fold},i,{fold}\n" for fold in range(n_folds)), encoding="utf-8")


def test_a_table_of_folds_is_read_once(tmp_path, monkeypatch):
    path, counted = tmp_path / "folds.csv", []
    write(path, 3)
    count = Predefined.n_folds.fget
    monkeypatch.setattr(Predefined, "n_folds", property(lambda split: counted.append(split) or count(split)))
    assert [len(folds_of(path)) for _ in range(4)] == [3] * 4
    assert len(counted) == 1


def test_another_table_in_its_place_is_counted_anew(tmp_path):
    path = tmp_path / "folds.csv"
    write(path, 3)
    assert len(folds_of(path)) == 3
    write(path, 2)
    plugins.address.cache_clear()
    assert len(folds_of(path)) == 2


def test_a_missing_table_is_named_by_the_split(tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        folds_of(tmp_path / "none.csv")
