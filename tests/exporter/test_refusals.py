"""Unsuitable input is refused in one sentence, before anything is written."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from exporter.frameworks import ITEMS, N_ITEMS, N_USERS, TEST, TRAIN, USERS, P, Q, cornac, named, rectools, replay, surprise

GOOD = np.ones((N_USERS, N_ITEMS))
LAST_IS_BEST = np.tile(np.arange(N_ITEMS), (N_USERS, 1))


def of(scores: np.ndarray, module: ModuleType, users: object = USERS, items: object = ITEMS, **options: object) -> object:
    return module.from_function(lambda asked: scores[asked], users, items, **options)


def with_one(value: float) -> np.ndarray:
    scores = GOOD.copy()
    scores[2, 1] = value
    return scores


CASES: dict[str, tuple[Callable[[ModuleType, Path], object], str]] = {
    "NaN": (lambda m, f: of(with_one(np.nan), m).save(f / "x.npz"), "score of user 'zoë, jr.' and item 'i10' is nan: did the"),
    "infinity": (lambda m, f: of(with_one(-np.inf), m, unscored=True).save(f / "x.npz"), "is -inf: infinite scores cannot"),
    "infinity in a block to map": (lambda m, f: of(with_one(np.inf), m).save(f / "x.npy"), "item 'i10' is inf"),
    "another shape": (lambda m, f: of(GOOD[:, :3], m).save(f / "x.npz"), "scores of shape 4 x 3 for 4 users and 6 items"),
    "text": (lambda m, f: of(GOOD.astype(str), m).save(f / "x.npz"), "returned <U32 instead of numbers"),
    "too large for float16": (lambda m, f: of(GOOD * 1e5, m).save(f / "x.npz", dtype="float16"), "up to 100000 do not fit"),
    "unknown type of numbers": (lambda m, f: of(GOOD, m).save(f / "x.npz", dtype="int8"), "dtype is 'int8': give float16"),
    "unknown form": (lambda m, f: of(GOOD, m).save(f / "x.npz", form="sparse"), "form is 'sparse': give factors"),
    "a form that is not known": (
        lambda m, f: of(GOOD, m).save(f / "x.npz", form="item_weights"),
        "is not known to have item weights",
    ),
    "factors to map": (
        lambda m, f: of(GOOD, m).save(f / "x.npy", form="factors"),
        "to write factors, give a file name that ends in .npz",
    ),
    "another ending": (lambda m, f: of(GOOD, m).save(f / "x.csv"), "name the file NAME.npz or NAME.npy"),
    "a name of two lines": (lambda m, f: of(GOOD, m, ["a\nb", *USERS[1:]]).save(f / "x.npy"), "has several lines"),
    "no users": (lambda m, f: of(GOOD, m, []), "there are no users or no items"),
    "a name twice": (lambda m, f: of(GOOD, m, items=[*ITEMS[1:], "7"]), "items: the name '7' occurs twice"),
    "numbers and text of one name": (lambda m, f: of(GOOD, m, items=[*ITEMS[1:], 7]), "items: the name '7' occurs twice"),
    "an empty name": (lambda m, f: of(GOOD, m, ["", *USERS[1:]]), "users: the name at position 0 is empty"),
    "decimal numbers": (lambda m, f: of(GOOD, m, np.array([1.0, 2, 3, 4])), "users are float64, such as 1.0"),
    "no name": (lambda m, f: of(GOOD, m, [None, *USERS[1:]]), "users: None is not a name"),
    "a decimal name": (lambda m, f: of(GOOD, m, [7.0, *USERS[1:]]), "users: 7.0 is not a name"),
    "no function": (lambda m, f: m.from_function(GOOD, USERS, ITEMS), "takes a function .* not a value of type numpy.ndarray"),
    "names of another data set": (
        lambda m, f: of(GOOD, m, train=[("x", "y")]),
        r"no name of users in train \('x', ...\) is a name",
    ),
    "a table without users": (lambda m, f: of(GOOD, m, train=pd.DataFrame({"who": [1]})), "train: no column of users among who"),
    "tuples of one": (lambda m, f: of(GOOD, m, train=[("a",)]), "train: all tuples must have user and item"),
    "no rows at all": (lambda m, f: of(GOOD, m, train=3), "train is a value of type int: give a table, tuples"),
    "a matrix of another shape": (lambda m, f: of(GOOD, m, train=csr_matrix((3, 2))), "train is a matrix of 3 x 2, not 4 x 6"),
    "a rating that is none": (lambda m, f: of(GOOD, m, train=[("ann", "i1", np.nan)]), "train: the rating of row 1 is not finite"),
    "a date that is missing": (
        lambda m, f: of(GOOD, m, train=dated(pd.to_datetime(["2001-01-01", None]))),
        "stamp of row 2 is missing",
    ),
    "a zoned date that is missing": (
        lambda m, f: of(GOOD, m, train=dated(pd.to_datetime([None, "2001-01-01"], utc=True))),
        "train: the time stamp of row 1 is missing: leave out such rows",
    ),
    "a number for a time that is missing": (lambda m, f: of(GOOD, m, train=dated([np.nan, 3.0])), "stamp of row 1 is missing"),
    "a date as text": (
        lambda m, f: of(GOOD, m, train=dated(["2001-01-01", "later"])),
        "time stamps such as 2001-01-01 are neither num",
    ),
    "columns of two lengths": (lambda m, f: of(GOOD, m, train={"user": ["ann"], "item": []}), "train: columns differ in length"),
    "ranks without a test set": (lambda m, f: of(GOOD, m, train=named(TRAIN)).save_ranks(f / "x.npz"), "needs the test set"),
    "ranks without a train set": (lambda m, f: of(GOOD, m, test=named(TEST)).save_ranks(f / "x.npz"), "needs the train set"),
    "ranks of strangers": (
        lambda m, f: of(GOOD, m, test=[("x", "y")]).save_ranks(f / "x.npz", exclude=()),
        "no test pair can be ranked",
    ),
    "another side": (lambda m, f: of(GOOD, m, test=named(TEST)).save_ranks(f / "x.npz", exclude="train"), "exclude is 'train'"),
    "lists of nothing": (lambda m, f: of(GOOD, m).save_lists(f / "x.npz", depth=0), "depth is 0"),
    "no split": (lambda m, f: of(GOOD, m).save_split(f), "no split was given"),
    "not of Cornac": (lambda m, f: m.from_cornac("model.pkl"), "a value of type str is not a Cornac model: it has no score"),
    "Cornac, unfitted": (lambda m, f: m.from_cornac(SimpleNamespace(**FIELDS, uid_map=None)), "Cornac model is not fitted"),
    "Cornac, other ids": (lambda m, f: m.from_cornac(shifted()), "no user has the position 0: these ids are not the model's"),
    "Cornac, other split": (lambda m, f: m.from_cornac(cornac(GOOD.__getitem__), "split"), "train: an evaluation method or a data"),
    "Cornac, diverged": (lambda m, f: m.from_cornac(cornac(with_one(np.nan).__getitem__)), "did the training diverge"),
    "Cornac, of sequences": (lambda m, f: m.from_cornac(sequential()), "scores a history of items or baskets"),
    "not of implicit": (lambda m, f: m.from_implicit(3, USERS, ITEMS), "a value of type int is not a model of implicit"),
    "implicit, unfitted": (lambda m, f: m.from_implicit(implicit(None, None), USERS, ITEMS), "model of implicit is not fitted"),
    "implicit, other users": (lambda m, f: m.from_implicit(implicit(P, Q), USERS[1:], ITEMS), "has 4 users, but 3 names"),
    "implicit, diverged": (lambda m, f: m.from_implicit(implicit(P * np.nan, Q), USERS, ITEMS), "did the training diverge"),
    "neighbours without train": (
        lambda m, f: m.from_implicit(SimpleNamespace(similarity=csr_matrix(np.eye(N_ITEMS))), USERS, ITEMS),
        "needs users' train items for its scores: give train=user_items",
    ),
    "Surprise, unfitted": (lambda m, f: m.from_surprise(surprise(trainset=None)), "algorithm of Surprise is not fitted"),
    "not of LensKit": (lambda m, f: m.from_lenskit(object(), None), "is not a pipeline of LensKit: it has no run and no node"),
    "RecTools, unfitted": (lambda m, f: m.from_rectools(*unfitted_rectools()), "model of RecTools is not fitted"),
    "not of RePlay": (lambda m, f: m.from_replay(None, None), "None is not a model of RePlay"),
    "RePlay, unfitted": (lambda m, f: m.from_replay(*unfitted_replay()), "model of RePlay is not fitted"),
    "RePlay, other items": (
        lambda m, f: list(m.from_replay(*replay(LAST_IS_BEST)).blocks()),
        "recommends the item 'last', which the data set lacks",
    ),
    "RecTools, other items": (
        lambda m, f: m.from_rectools(*smaller_rectools()),
        "recommends the item 'last', which the data set lacks",
    ),
    "not of RecBole": (lambda m, f: m.from_recbole({}, None), "a value of type dict is not a model of RecBole"),
    "not of PyTorch": (lambda m, f: m.from_torch(len, USERS, ITEMS), "is not a module of PyTorch: it has no eval"),
}
FIELDS = {"score": None, "iid_map": None, "num_users": None, "num_items": None}


def dated(times: object) -> pd.DataFrame:
    return pd.DataFrame({"user": USERS[:2], "item": ITEMS[:2], "timestamp": times})


def implicit(user_factors: object, item_factors: object) -> SimpleNamespace:
    return SimpleNamespace(user_factors=user_factors, item_factors=item_factors)


def shifted() -> SimpleNamespace:
    model = cornac(GOOD.__getitem__)
    model.uid_map = {name: position + 1 for name, position in model.uid_map.items()}
    return model


def sequential() -> object:
    class NextItemRecommender(SimpleNamespace):
        pass

    return NextItemRecommender(**vars(cornac(GOOD.__getitem__)))


def unfitted_rectools() -> tuple[SimpleNamespace, SimpleNamespace]:
    model, dataset = rectools(GOOD)
    model.is_fitted = False
    return model, dataset


def smaller_rectools() -> tuple[SimpleNamespace, SimpleNamespace]:
    model, dataset = rectools(LAST_IS_BEST)
    dataset.item_id_map.external_ids = dataset.item_id_map.external_ids[:-1]
    return model, dataset


def unfitted_replay() -> tuple[SimpleNamespace, SimpleNamespace]:
    model, dataset = replay(GOOD)
    del model.fit_items
    return model, dataset


@pytest.mark.parametrize("case", CASES)
def test_what_does_not_fit_is_refused_in_a_sentence(case: str, recsens_export: ModuleType, tmp_path: Path):
    attempt, message = CASES[case]
    with pytest.raises(recsens_export.ExportError, match=message) as refused:
        attempt(recsens_export, tmp_path)
    assert "\n" not in str(refused.value)
    assert not list(tmp_path.rglob("*"))
