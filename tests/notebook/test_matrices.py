"""Matrices of scores and of ratings: masks, shapes and types."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import recsens
from recsens.errors import DataError

SCORES = np.array([[0.9, 0.1, 0.5], [0.2, 0.8, 0.3]])
TEST = sp.csr_matrix(np.array([[5, 0, 0], [0, 5, 0]]))
"""Each user's best item is the relevant one."""


def reciprocal_rank(run, test=TEST, **given) -> float:
    return recsens.evaluate(run, test, ["RR"], **given).means["RR"]


def test_a_masked_score_is_missing():
    assert reciprocal_rank(SCORES) == 1.0
    hides_one_best = np.ma.masked_array(SCORES, mask=[[True, False, False], [False, False, False]])
    assert reciprocal_rank(hides_one_best) == 0.5, "user 0's relevant item is not ranked"
    hides_others = np.ma.masked_array(SCORES[:, ::-1], mask=[[False, True, True], [True, True, False]])
    assert reciprocal_rank(hides_others) == 0.5, "user 0 has item 0 alone, user 1 has item 2 alone"
    with pytest.raises(DataError, match="no entries"):
        reciprocal_rank(np.ma.masked_array(SCORES, mask=True))


def test_a_mask_shows_which_pairs_are_rated():
    rated = np.ma.masked_equal(TEST.toarray(), 0)
    assert reciprocal_rank(SCORES, rated) == 1.0
    assert recsens.load(rated).frame.to_numpy().tolist() == [["0", "0"], ["1", "1"]], "equal ratings carry no information"
    assert recsens.load(rated).frame.equals(recsens.load(TEST).frame)
    for door in (recsens.load, lambda given: reciprocal_rank(SCORES, given)):
        with pytest.raises(DataError, match="a dense array does not show which items are rated"):
            door(TEST.toarray())


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, np.ma.masked_array])
def test_matrices_of_different_shapes_are_refused(form):
    with pytest.raises(DataError, match="the run: 3 users by 2 items, but the test set has 2 by 3"):
        reciprocal_rank(form(SCORES.T))
    with pytest.raises(DataError, match="the run: 2 users by 2 items, but the test set has 2 by 3"):
        reciprocal_rank(form(SCORES[:, :2]))
    with pytest.raises(DataError, match="the train set: 5 users by 3 items, but the test set has 2 by 3"):
        reciprocal_rank(form(SCORES), train=sp.csr_matrix(np.eye(5, 3)))


@pytest.mark.parametrize("kind", ["complex128", "datetime64[s]", "str", "object"])
def test_what_is_no_real_number_is_refused(kind):
    with pytest.raises(DataError, match="the run: the values are of type"):
        reciprocal_rank((10 * SCORES).astype(int).astype(kind))


def test_ratings_that_are_no_real_numbers_are_refused_at_every_door():
    for door in (recsens.load, lambda given: reciprocal_rank(SCORES, given)):
        with pytest.raises(DataError, match="the values are of type complex128"):
            door(TEST.astype(complex))


def test_other_dimensions_are_refused_at_every_door():
    for given in (SCORES[0], SCORES[None], sp.coo_array(SCORES[0])):
        for door in (recsens.load, reciprocal_rank, lambda given: reciprocal_rank(SCORES, given)):
            with pytest.raises(DataError, match="cannot be read from a"):
                door(given)


def test_ratings_in_a_wide_frame_are_refused_with_how_to_turn_them():
    wide = pd.DataFrame(np.ceil(5 * np.random.default_rng(0).random((4, 8))), columns=[f"i{n}" for n in range(8)])
    wide.iloc[0, 0] = np.nan
    for door in (recsens.load, lambda given: reciprocal_rank(SCORES, given)):
        with pytest.raises(DataError, match="a frame of 4 users by 8 items, without columns of users and items") as refused:
            door(wide)
    turned = eval(str(refused.value.remedy), {"frame": wide})  # noqa: S307 - our own advice
    assert len(turned.dropna()) == 31
    assert recsens.load(turned.dropna()).frame.loc[0].tolist() == ["0", "i1", wide.iloc[0, 1]]
