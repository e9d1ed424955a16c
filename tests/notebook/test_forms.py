"""Every accepted form of the same scores and ratings gives the same values."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

import recsens
from approved import refusal
from recsens.errors import DataError, DesignError, RecsensError

TRAIN = sp.csr_matrix([[5, 0, 0, 3], [0, 4, 0, 0], [0, 0, 2, 0]])
TEST = sp.csr_matrix([[0, 4, 0, 0], [0, 0, 5, 0], [4, 0, 0, 0]])
SCORES = np.array([[0.9, 0.8, 0.1, 0.7], [0.3, 0.9, 0.4, 0.1], [0.2, 0.3, 0.9, 0.8]])
# Without train items: user 0 ranks 1, 2; user 1 ranks 2, 0, 3; user 2 ranks 3, 1, 0.
RR = (1 + 1 + 1 / 3) / 3


class Streaming:
    """A table of another library that only offers Arrow's stream, as polars does."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.table = pa.Table.from_pandas(frame, preserve_index=False)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


class Converting:
    """A table of another library that converts itself."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    def to_pandas(self) -> pd.DataFrame:
        return self.frame


def long(matrix: sp.csr_matrix, *names: str) -> pd.DataFrame:
    stored = matrix.tocoo()
    return pd.DataFrame(dict(zip(names, (stored.row, stored.col, stored.data), strict=True)))


def pairs() -> pd.DataFrame:
    users, items = np.indices(SCORES.shape)
    return pd.DataFrame({"userId": users.ravel(), "movie_id": items.ravel(), "prediction": SCORES.ravel()})


LISTS = {0: [1, 2], 1: [2, 0, 3], 2: [3, 1, 0]}
TOP = np.array([[1, 2, 0], [2, 0, 3], [3, 1, 0]])
TOP_SCORES = np.array([[3.0, 2.0, np.finfo(np.float32).min], [3, 2, 1], [3, 2, 1]], dtype=np.float32)


@pytest.mark.parametrize(
    "run",
    [
        SCORES,
        SCORES.astype(np.float32),
        pd.DataFrame(SCORES),
        sp.csr_matrix(SCORES),
        pairs(),
        pa.Table.from_pandas(pairs()),
        Streaming(pairs()),
        Converting(pairs()),
        pairs().rename(columns={"userId": "user_id:token", "movie_id": "item_id:token", "prediction": "score:float"}),
        tuple(pairs().to_numpy().T),
        (TOP, TOP_SCORES),
        LISTS,
        {user: {item: -place for place, item in enumerate(items)} for user, items in LISTS.items()},
    ],
    ids=lambda run: type(run).__name__,
)
def test_every_form_of_scores_gives_the_same_value(run: Any):
    if isinstance(run, tuple) and len(run) == 3:
        run = (run[0].astype(int), run[1].astype(int), run[2])
    assert recsens.evaluate(run, TEST, ["RR"], train=TRAIN).means["RR"] == pytest.approx(RR)


@pytest.mark.parametrize(
    ("test", "train"),
    [
        (TEST.tocoo(), TRAIN.tocsc()),
        (long(TEST, "uid", "iid", "rating"), long(TRAIN, "user", "item", "rating")),
        (Streaming(long(TEST, "query_id", "item_id", "rating")), Streaming(long(TRAIN, "u", "i", "r"))),
        ({0: {1: 4}, 1: {2: 5}, 2: {0: 4}}, {0: [0, 3], 1: {1}, 2: [2]}),
    ],
)
def test_every_form_of_ratings_gives_the_same_value(test: Any, train: Any):
    found = recsens.evaluate(SCORES, test, ["RR"], train=train)
    assert found.means["RR"] == pytest.approx(RR)
    assert found.notes == ("4 scores of train pairs are left out",)


def test_a_frame_without_ratings_has_the_rating_one():
    found = recsens.evaluate(SCORES, long(TEST, "user", "item", "x")[["user", "item"]], ["RR"], train=TRAIN)
    assert found.means["RR"] == pytest.approx(RR)


def test_matrices_are_matched_with_frames_by_names():
    test = pd.DataFrame({"user": ["ann", "bob", "cid"], "item": ["b", "c", "a"], "rating": [4, 5, 4]})
    names = {"users": ["ann", "bob", "cid"], "items": list("abcd")}
    assert recsens.evaluate(SCORES, test, ["RR"], train=TRAIN, **names).means["RR"] == pytest.approx(RR)


def test_scores_of_all_items_without_a_train_set_are_told_of(caplog: pytest.LogCaptureFixture):
    recsens.evaluate(SCORES, TEST, ["RR"])
    assert "train items are ranked too" in caplog.text


def test_what_columns_are_taken_for_and_what_is_padding_is_told(caplog: pytest.LogCaptureFixture):
    recsens.evaluate(pairs(), TEST, ["RR"])
    assert "the run: columns read: 'userId' as user, 'movie_id' as item, 'prediction' as score" in caplog.text
    recsens.evaluate((TOP, TOP_SCORES), TEST, ["RR"])
    assert "1 places of short lists are empty" in caplog.text


def test_what_is_in_no_form_is_refused(approved):
    cases = (
        (SCORES.ravel(), TEST),
        (7, TEST),
        ({"ann": "alien"}, TEST),
        (SCORES, SCORES),
        (np.where(SCORES > 0.85, np.inf, SCORES), TEST),
        (pairs().drop(columns="movie_id"), TEST),
        (pairs().assign(user_id=1), TEST),
        ((TOP.astype(float), TOP_SCORES), TEST),
    )
    approved({str(n): refusal(partial(recsens.evaluate, *case, ["RR"]), DataError) for n, case in enumerate(cases, 1)})


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ({"users": ["a"]}, "1 users are named, but the matrix has 3 users and 4 items"),
        ({"items": ["a", "a", "b", "c"]}, "a name appears twice"),
    ],
)
def test_names_that_do_not_fit_a_matrix_are_refused(names: dict[str, list[str]], told: str):
    with pytest.raises(DataError, match=told):
        recsens.evaluate(SCORES, TEST, ["RR"], **names)


def test_two_evaluations_are_compared_as_runs_are():
    better = recsens.evaluate(SCORES, TEST, ["RR", "P@1"], train=TRAIN)
    worse = recsens.evaluate(-SCORES, TEST, ["RR", "P@1"], train=TRAIN)
    found = recsens.compare(better, worse)
    # Reversed lists: 2, 1; 3, 0, 2; 0, 1, 3: reciprocal ranks 1/2, 1/3, 1.
    assert found.loc["RR", ["value_a", "value_b"]].tolist() == pytest.approx([RR, (1 / 2 + 1 / 3 + 1) / 3])
    assert found.loc["RR", "difference"] == pytest.approx(RR - (1 / 2 + 1 / 3 + 1) / 3)
    assert found["users"].tolist() == [3, 3]
    assert type(found[["p_value"]]) is pd.DataFrame


def test_evaluations_that_differ_otherwise_are_not_compared():
    mine = recsens.evaluate(SCORES, TEST, ["RR"], train=TRAIN)
    with pytest.raises(DesignError, match="different metrics"):
        recsens.compare(mine, recsens.evaluate(SCORES, TEST, ["P@1"], train=TRAIN))
    with pytest.raises(DesignError, match="different settings"):
        recsens.compare(mine, recsens.evaluate(SCORES, TEST, ["RR"], train=TRAIN, no_list="skip"))
    with pytest.raises(DesignError, match="decide which users are averaged"):
        recsens.compare(mine, mine, coverage="reduced")
    with pytest.raises(RecsensError, match=r"recsens\.evaluate"):
        recsens.compare(mine, 7)


def test_frames_and_matrices_are_split():
    frame = long(TRAIN + TEST, "userId", "itemId", "rating")
    train, test = recsens.split(frame, "random(ratio=0.5)")
    assert len(train) + len(test) == len(frame)
    assert train.csr.shape == test.csr.shape == (len(train.users), len(train.items))
    assert train.csr.sum() + test.csr.sum() == frame["rating"].sum()
    streamed, _ = recsens.split(Streaming(frame), "random(ratio=0.5)")
    assert streamed.frame.equals(train.frame)
    assert len(recsens.load(TRAIN)) == TRAIN.nnz
    with pytest.raises(DataError, match="does not show which items are rated"):
        recsens.split(SCORES)
    with pytest.raises(DataError, match="cannot be read from a int"):
        recsens.load(7)
