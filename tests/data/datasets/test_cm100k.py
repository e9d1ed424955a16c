"""Data collected without selection: all ratings are loaded, and the split knows which of them would have been observed."""

from pathlib import Path

import numpy as np
import pytest

from data.splitting.samples import letters
from recsens.data.datasets import DataSet, to_interactions
from recsens.data.splitting import Splitter
from recsens.errors import DataError, SpecError
from recsens.files.scale import Scale
from recsens.plugins import build
from recsens.seeds import Stream

MADE_UP = """user\titem\trating\tfold\tobserved
7\t30\t2\t1\t1
7\t20\t0\t2\t1
7\t10\t1\t2\t0
9\t10\t0\t1\t0
9\t20\t2\t2\t1
9\t30\t1\t1\t1
"""
"""By user and item: 7-10, 7-20, 7-30, 9-10, 9-20, 9-30; folds 2 2 1, 1 2 1; not observed: 7-10 and 9-10."""


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "ratings.tsv"
    path.write_text(MADE_UP)
    return path


def loaded(path: Path):
    dataset: DataSet = build("dataset", f'cm100k(path="{path}")')
    return dataset.load([path], Stream(0))


def roles(path: Path, test: str, fold: int) -> str:
    content = loaded(path)
    data = to_interactions(content)
    named = {"user_ids": np.array(content.user_ids, dtype=object), "item_ids": np.array(content.item_ids, dtype=object)}
    data = type(data)(**{**{name: getattr(data, name) for name in type(data).__dataclass_fields__}, **named})
    split: Splitter = build("split", f'revealed(path="{path}",test={test})')
    assert split.n_folds == 2
    return letters(split.roles(data, fold, Stream(0)))


def test_every_rating_is_loaded_on_a_scale_from_zero(file):
    found = loaded(file)
    assert found.user_ids == ["7", "9"]
    assert found.rating.tolist() == [1, 0, 2, 0, 2, 1]
    assert found.scale == Scale(0, 2, 1)
    assert found.timestamp is None


def test_a_threshold_of_its_own_belongs_to_the_scale_and_moves_no_draw(file):
    plain, own = (build("dataset", f'cm100k(path="{file}"{rest})') for rest in ("", ",relevance=1"))
    assert (plain.load([file], Stream(0)).scale.relevance, own.load([file], Stream(0)).scale.relevance) == (2, 1)
    assert plain.identity == own.identity
    assert plain.spec != own.spec
    with pytest.raises(SpecError, match="relevance = 3 must be on the scale from 0 to 2"):
        build("dataset", "cm100k(relevance=3)")


def test_train_holds_observed_ratings_of_the_other_folds_whatever_the_test(file):
    assert roles(file, "observed", 0) == "-.T-.T"
    assert roles(file, "all", 0) == "-.TT.T"
    assert roles(file, "observed", 1) == "-T.-T."
    assert roles(file, "all", 1) == "TT.-T."


def test_both_tests_share_their_fits(file):
    observed, true = (build("split", f'revealed(path="{file}",test={test})') for test in ("observed", "all"))
    assert true.trains_as == observed.spec == observed.trains_as


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (MADE_UP.replace("observed\n", "seen\n"), "the header is user,item,rating,fold,seen"),
        (MADE_UP.replace("9\t30\t1\t1\t1", "9\t30\t1\t1\tyes"), "observed"),
    ],
)
def test_a_table_of_another_form_is_refused_with_its_line(file, content, told):
    file.write_text(content)
    with pytest.raises(DataError, match=told) as refused:
        build("split", f'revealed(path="{file}")').n_folds  # noqa: B018 - asking reads the table
    assert "ratings.tsv:" in str(refused.value.where)


def test_a_rating_off_the_scale_is_refused(file):
    file.write_text(MADE_UP.replace("7\t30\t2", "7\t30\t3"))
    with pytest.raises(DataError, match="3"):
        loaded(file)
