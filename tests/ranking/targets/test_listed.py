"""Target items from a file."""

import dataclasses
from functools import partial

import numpy as np
import pytest

from approved import refusal
from recsens.errors import ConfigError, DataError, DesignError
from recsens.ranking.targets.listed import Listed
from recsens.seeds import Stream
from recsens.testing import from_rows

X = None
NAMES = {"user_ids": np.array(["ann", "bob", "eve"], dtype=object), "item_ids": np.array(["a", "b, c", "1"], dtype=object)}
TRAIN = dataclasses.replace(from_rows([[5, X, X], [X, X, X], [X, X, X]]), **NAMES)
TEST = dataclasses.replace(from_rows([[X, 5, X], [X, X, X], [4, X, X]]), **NAMES)


@pytest.fixture
def listed(tmp_path):
    def write(text: str) -> Listed:
        (tmp_path / "t.csv").write_text(text, encoding="utf-8")
        return Listed(path=str(tmp_path / "t.csv"))

    return write


def mask(targets: Listed, users=(0, 1, 2)) -> list[list[int]]:
    found = targets.mask(TRAIN, TEST, np.array(users), 4, Stream(0))
    return [np.flatnonzero(row).tolist() for row in found]


def test_pairs_become_targets_but_for_train_items(listed):
    targets = listed('user,item\neve,1\nann,a\nann,"b, c"\neve,a\neve,1\n')
    targets.check(TRAIN, TEST, 4)
    assert mask(targets) == [[1], [], [0, 2]]
    assert mask(targets, [2, 0, 0]) == [[0, 2], [1], [1]]
    assert not targets.uses_test
    assert [path.name for path in targets.own_files()] == ["t.csv"]


def test_a_mistake_is_named_with_file_and_line(listed, approved):
    cases = (
        "user,item\nann,a\nanne,a\n",
        "user,item\nann,2\n",
        "user,item\nann\n",
        "ann,a\n",
        "",
    )
    approved({repr(text): refusal(partial(listed(text).check, TRAIN, TEST, 4), DataError) for text in cases})


def test_a_missing_file_and_a_foreign_encoding_are_named(tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        Listed(path=str(tmp_path / "none.csv")).own_files()
    with pytest.raises(ConfigError, match="does not say which file to read"):
        Listed().check(TRAIN, TEST, 4)
    assert Listed().own_files() == ()
    (tmp_path / "t.csv").write_bytes("user,item\nann,ä\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"t\.csv:2: byte 0xE4 .* is not utf-8"):
        Listed(path=str(tmp_path / "t.csv")).check(TRAIN, TEST, 4)


@pytest.mark.parametrize("text", ["user,item\n", "user,item\nann,a\n"])
def test_a_file_that_leaves_nothing_is_refused(listed, text):
    with pytest.raises(DesignError, match="leaves nothing to rank"):
        listed(text).check(TRAIN, TEST, 4)


def test_data_without_names_is_refused(listed):
    with pytest.raises(DesignError, match="names users and items by their raw names"):
        listed("user,item\n").check(from_rows([[X]]), from_rows([[X]]), 4)
