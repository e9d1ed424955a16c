"""Judged ranks as scores: every judged item gets its place, whatever the file leaves open."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsens.errors import DataError, DesignError
from recsens.recommenders import Recommender
from recsens.recommenders._score_file_arrays import placed, read_places
from recsens.score_files import read_scores
from recsens.testing import crowd

USERS, ITEMS = ([f"{letter}{number}" for number in range(n)] for letter, n in (("u", 4), ("i", 12)))
TRAIN = replace(
    crowd(n_users=4, n_items=12, share=0.2), user_ids=np.array(USERS, dtype=object), item_ids=np.array(ITEMS, dtype=object)
)


def learnt(path: Path, rows: list[tuple[str, str, int, int, int]]):
    users, items = (list(dict.fromkeys(row[side] for row in rows)) for side in (0, 1))
    columns = {name: np.array([row[place] for row in rows]) for place, name in enumerate(("above", "equal", "candidates"), 2)}
    codes = {"user": np.array([users.index(row[0]) for row in rows]), "item": np.array([items.index(row[1]) for row in rows])}
    np.savez(path, recsens_scores=1, kind="judged_ranks", users=np.array(users), items=np.array(items), **codes, **columns)
    return read_places(read_scores(path, "npz"), TRAIN, path)


@given(data=st.data())
def test_every_item_has_as_many_targets_above_and_beside_it_as_the_file_says(data: st.DataObject, tmp_path_factory):
    n_targets = data.draw(st.integers(3, 12))
    targets = np.zeros((1, 12), dtype=np.bool_)
    targets[0, data.draw(st.permutations(range(12)))[:n_targets]] = True
    n_ranked = data.draw(st.integers(1, n_targets))
    ranked = np.flatnonzero(targets[0])[:n_ranked]
    scores = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n_ranked, max_size=n_ranked)))
    judged = data.draw(st.lists(st.sampled_from(range(n_ranked)), min_size=1, unique=True))
    counts = [(int((scores > scores[one]).sum()), int((scores == scores[one]).sum()) - 1) for one in judged]
    rows = [(USERS[1], ITEMS[ranked[one]], *of, n_ranked) for one, of in zip(judged, counts, strict=True)]
    arrays = learnt(tmp_path_factory.mktemp("ranks") / "ranks.npz", rows)
    [numbers] = placed(arrays, TRAIN, np.array([1]), targets, "ranks.npz")
    assert np.count_nonzero(~np.isnan(numbers)) == n_ranked
    assert not (~np.isnan(numbers) & ~targets[0]).any()
    for one, (above, equal) in zip(judged, counts, strict=True):
        own = numbers[ranked[one]]
        assert (np.count_nonzero(numbers > own), np.count_nonzero(numbers == own) - 1) == (above, equal)


def test_more_candidates_than_targets_are_refused(tmp_path: Path):
    arrays = learnt(tmp_path / "ranks.npz", [(USERS[0], ITEMS[3], 0, 0, 9)])
    with pytest.raises(DataError, match="has 9 candidates, but only 8 targets"):
        placed(arrays, TRAIN, np.array([0]), np.arange(12)[np.newaxis] < 8, "ranks.npz")


def test_judged_ranks_are_no_scores(tmp_path: Path):
    path = tmp_path / "ranks.csv"
    path.write_text(f"user,item,above,equal,candidates\n{USERS[0]},{ITEMS[3]},0,0,2\n", encoding="utf-8")
    fitted = Recommender.build(f'from_file(path="{path}")').fit(TRAIN, np.random.default_rng(0))
    assert fitted.has_places_only
    with pytest.raises(DesignError, match="holds judged ranks"):
        fitted.score(TRAIN, np.array([0]))
