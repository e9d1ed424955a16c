"""Unsuitable input is refused in one sentence, before anything is written."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix

from approved import refusal
from exporter.frameworks import ITEMS, N_ITEMS, N_USERS, TEST, TRAIN, USERS, P, Q, cornac, named, rectools, replay, surprise

GOOD = np.ones((N_USERS, N_ITEMS))
LAST_IS_BEST = np.tile(np.arange(N_ITEMS), (N_USERS, 1))


def of(scores: np.ndarray, module: ModuleType, users: object = USERS, items: object = ITEMS, **options: object) -> object:
    return module.from_function(lambda asked: scores[asked], users, items, **options)


def with_one(value: float) -> np.ndarray:
    scores = GOOD.copy()
    scores[2, 1] = value
    return scores


CASES: dict[str, Callable[[ModuleType, Path], object]] = {
    "NaN": lambda m, f: of(with_one(np.nan), m).save(f / "x.npz"),
    "infinity": lambda m, f: of(with_one(-np.inf), m, unscored=True).save(f / "x.npz"),
    "infinity in a block to map": lambda m, f: of(with_one(np.inf), m).save(f / "x.npy"),
    "another shape": lambda m, f: of(GOOD[:, :3], m).save(f / "x.npz"),
    "text": lambda m, f: of(GOOD.astype(str), m).save(f / "x.npz"),
    "too large for float16": lambda m, f: of(GOOD * 1e5, m).save(f / "x.npz", dtype="float16"),
    "unknown type of numbers": lambda m, f: of(GOOD, m).save(f / "x.npz", dtype="int8"),
    "unknown form": lambda m, f: of(GOOD, m).save(f / "x.npz", form="sparse"),
    "a form that is not known": lambda m, f: of(GOOD, m).save(f / "x.npz", form="item_weights"),
    "factors to map": lambda m, f: of(GOOD, m).save(f / "x.npy", form="factors"),
    "another ending": lambda m, f: of(GOOD, m).save(f / "x.csv"),
    "a name of two lines": lambda m, f: of(GOOD, m, ["a\nb", *USERS[1:]]).save(f / "x.npy"),
    "no users": lambda m, f: of(GOOD, m, []),
    "a name twice": lambda m, f: of(GOOD, m, items=[*ITEMS[1:], "7"]),
    "numbers and text of one name": lambda m, f: of(GOOD, m, items=[*ITEMS[1:], 7]),
    "an empty name": lambda m, f: of(GOOD, m, ["", *USERS[1:]]),
    "decimal numbers": lambda m, f: of(GOOD, m, np.array([1.0, 2, 3, 4])),
    "no name": lambda m, f: of(GOOD, m, [None, *USERS[1:]]),
    "a decimal name": lambda m, f: of(GOOD, m, [7.0, *USERS[1:]]),
    "no function": lambda m, f: m.from_function(GOOD, USERS, ITEMS),
    "names of another data set": lambda m, f: of(GOOD, m, train=[("x", "y")]),
    "a table without users": lambda m, f: of(GOOD, m, train=pd.DataFrame({"who": [1]})),
    "tuples of one": lambda m, f: of(GOOD, m, train=[("a",)]),
    "no rows at all": lambda m, f: of(GOOD, m, train=3),
    "a matrix of another shape": lambda m, f: of(GOOD, m, train=csr_matrix((3, 2))),
    "a rating that is none": lambda m, f: of(GOOD, m, train=[("ann", "i1", np.nan)]),
    "a date that is missing": lambda m, f: of(GOOD, m, train=dated(pd.to_datetime(["2001-01-01", None]))),
    "a zoned date that is missing": lambda m, f: of(GOOD, m, train=dated(pd.to_datetime([None, "2001-01-01"], utc=True))),
    "a number for a time that is missing": lambda m, f: of(GOOD, m, train=dated([np.nan, 3.0])),
    "a date as text": lambda m, f: of(GOOD, m, train=dated(["2001-01-01", "later"])),
    "columns of two lengths": lambda m, f: of(GOOD, m, train={"user": ["ann"], "item": []}),
    "ranks without a test set": lambda m, f: of(GOOD, m, train=named(TRAIN)).save_ranks(f / "x.npz"),
    "ranks without a train set": lambda m, f: of(GOOD, m, test=named(TEST)).save_ranks(f / "x.npz"),
    "ranks of strangers": lambda m, f: of(GOOD, m, test=[("x", "y")]).save_ranks(f / "x.npz", exclude=()),
    "another side": lambda m, f: of(GOOD, m, test=named(TEST)).save_ranks(f / "x.npz", exclude="train"),
    "lists of nothing": lambda m, f: of(GOOD, m).save_lists(f / "x.npz", depth=0),
    "no split": lambda m, f: of(GOOD, m).save_split(f),
    "not of Cornac": lambda m, f: m.from_cornac("model.pkl"),
    "Cornac, unfitted": lambda m, f: m.from_cornac(SimpleNamespace(**FIELDS, uid_map=None)),
    "Cornac, other ids": lambda m, f: m.from_cornac(shifted()),
    "Cornac, other split": lambda m, f: m.from_cornac(cornac(GOOD.__getitem__), "split"),
    "Cornac, diverged": lambda m, f: m.from_cornac(cornac(with_one(np.nan).__getitem__)),
    "Cornac, of sequences": lambda m, f: m.from_cornac(sequential()),
    "not of implicit": lambda m, f: m.from_implicit(3, USERS, ITEMS),
    "implicit, unfitted": lambda m, f: m.from_implicit(implicit(None, None), USERS, ITEMS),
    "implicit, other users": lambda m, f: m.from_implicit(implicit(P, Q), USERS[1:], ITEMS),
    "implicit, diverged": lambda m, f: m.from_implicit(implicit(P * np.nan, Q), USERS, ITEMS),
    "neighbours without train": lambda m, f: m.from_implicit(SimpleNamespace(similarity=csr_matrix(np.eye(N_ITEMS))), USERS, ITEMS),
    "Surprise, unfitted": lambda m, f: m.from_surprise(surprise(trainset=None)),
    "not of LensKit": lambda m, f: m.from_lenskit(object(), None),
    "RecTools, unfitted": lambda m, f: m.from_rectools(*unfitted_rectools()),
    "not of RePlay": lambda m, f: m.from_replay(None, None),
    "RePlay, unfitted": lambda m, f: m.from_replay(*unfitted_replay()),
    "RePlay, other items": lambda m, f: list(m.from_replay(*replay(LAST_IS_BEST)).blocks()),
    "RecTools, other items": lambda m, f: m.from_rectools(*smaller_rectools()),
    "not of RecBole": lambda m, f: m.from_recbole({}, None),
    "not of PyTorch": lambda m, f: m.from_torch(len, USERS, ITEMS),
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


def test_what_does_not_fit_is_refused_in_a_sentence(recsens_export: ModuleType, tmp_path: Path, approved):
    told = {
        case: refusal(partial(attempt, recsens_export, tmp_path), recsens_export.ExportError) for case, attempt in CASES.items()
    }
    assert not any("\n" in said for said in told.values())
    assert not list(tmp_path.rglob("*"))
    approved(told)
