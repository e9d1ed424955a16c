"""Stand-ins for the frameworks' models, on invented data, with the attributes that the adapters read."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest

USERS = ["ann", "007", "zoë, jr.", "dan"]
ITEMS = ["i2", "i10", "i1", "7", "x y", "last"]
N_USERS, N_ITEMS = len(USERS), len(ITEMS)
RNG = np.random.default_rng(3)
P, Q = RNG.normal(size=(N_USERS, 2)), RNG.normal(size=(N_ITEMS, 2))
B_U, B_I, MEAN = RNG.normal(size=N_USERS), RNG.normal(size=N_ITEMS), 3.5
WEIGHTS = np.where(RNG.random((N_ITEMS, N_ITEMS)) < 0.5, RNG.random((N_ITEMS, N_ITEMS)), 0.0)
TRAIN = [(0, 0, 5.0), (0, 1, 3.0), (1, 2, 4.0), (1, 0, 1.0), (2, 3, 2.5), (3, 4, 4.0), (3, 0, 2.0)]
TEST = [(0, 2, 4.0), (0, 3, 1.0), (1, 5, 3.0), (2, 0, 5.0), (3, 1, 2.0)]


def named(rows: list[tuple[int, int, float]]) -> list[tuple[str, str, float]]:
    return [(USERS[user], ITEMS[item], rating) for user, item, rating in rows]


def frame(rows: list[tuple[int, int, float]], **names: str) -> pd.DataFrame:
    """Make a table with user_id and item_id as raw names, and further columns."""
    table = pd.DataFrame(named(rows), columns=["user_id", "item_id", names.get("rating", "rating")])
    return table.assign(**{names["time"]: np.arange(len(rows)) + 10}) if "time" in names else table


def profile(values: bool) -> np.ndarray:
    dense = np.zeros((N_USERS, N_ITEMS))
    for user, item, rating in TRAIN:
        dense[user, item] = rating if values else 1.0
    return dense


class ScoreException(Exception):  # noqa: N818 - Cornac's name
    """What a model of Cornac raises for a user whom it cannot score."""


def cornac(score: Callable[[int], np.ndarray], **attributes: object) -> SimpleNamespace:
    """Make a model of Cornac; its maps are in another order than its positions, and contain a user who is only in the test set."""
    users = {name: USERS.index(name) for name in sorted(USERS)} | {"only in test": N_USERS}
    items = {name: ITEMS.index(name) for name in sorted(ITEMS)}
    sides = {side: _cornac_side(rows, users, items) for side, rows in (("train_set", TRAIN), ("test_set", TEST))}
    known = {"uid_map": users, "iid_map": items, "num_users": N_USERS, "num_items": N_ITEMS, "global_mean": MEAN}
    return SimpleNamespace(score=score, default_score=lambda: 1.5, **known, **sides, val_set=None, **attributes)


def _cornac_side(rows: list[tuple[int, int, float]], users: dict[str, int], items: dict[str, int]) -> SimpleNamespace:
    columns = tuple(map(np.array, zip(*rows, strict=True)))
    return SimpleNamespace(uir_tuple=columns, uid_map=users, iid_map=items, timestamps=None)


def surprise(**attributes: object) -> SimpleNamespace:
    """Make an algorithm of Surprise that is a product with biases, for which one pair is impossible."""
    trainset = SimpleNamespace(
        n_users=N_USERS,
        n_items=N_ITEMS,
        to_raw_uid=USERS.__getitem__,
        to_raw_iid=ITEMS.__getitem__,
        rating_scale=(1, 5),
        global_mean=MEAN,
        all_ratings=lambda: iter(TRAIN),
    )

    def estimate(user: int, item: int) -> float:
        return MEAN + B_U[user] + B_I[item] + P[user] @ Q[item]

    return SimpleNamespace(
        **{"trainset": trainset, "estimate": estimate, "default_prediction": lambda: MEAN, "bu": B_U, "bi": B_I} | attributes
    )


def lenskit(monkeypatch: pytest.MonkeyPatch, scores: np.ndarray, **attributes: object) -> tuple[SimpleNamespace, SimpleNamespace]:
    """Make a pipeline and a data set of LensKit, whose module this puts in place."""

    class ItemList:
        def __init__(self, item_ids: np.ndarray):
            self.item_ids = item_ids

    module = ModuleType("lenskit.data")
    module.ItemList = ItemList
    monkeypatch.setitem(sys.modules, "lenskit", ModuleType("lenskit"))
    monkeypatch.setitem(sys.modules, "lenskit.data", module)

    def run(node: str, *, query: str, items: ItemList) -> SimpleNamespace:
        assert node == "scorer"
        row = scores[USERS.index(query), [ITEMS.index(item) for item in items.item_ids]]
        return SimpleNamespace(scores=lambda: row.astype(np.float32))

    component = SimpleNamespace(**attributes)
    pipeline = SimpleNamespace(run=run, node=lambda name: SimpleNamespace(component=component))
    train = SimpleNamespace(
        users=SimpleNamespace(ids=lambda: np.array(USERS)),
        items=SimpleNamespace(ids=lambda: np.array(ITEMS)),
        user_count=N_USERS,
        user_row=lambda user_num: user_num,
        interaction_table=lambda format, original_ids: frame(TRAIN, time="timestamp"),  # noqa: A006 - LensKit's name
    )
    return pipeline, train


def rectools(scores: np.ndarray, **attributes: object) -> tuple[SimpleNamespace, SimpleNamespace]:
    """Make a model and a data set of RecTools, with a user for whom there are only features."""
    dataset = SimpleNamespace(
        user_id_map=SimpleNamespace(external_ids=np.array([*USERS, "only features"], dtype=object)),
        item_id_map=SimpleNamespace(external_ids=np.array(ITEMS, dtype=object)),
        n_hot_users=N_USERS,
        get_raw_interactions=lambda: frame(TRAIN, rating="weight"),
    )

    def recommend(users: np.ndarray, dataset: SimpleNamespace, k: int, filter_viewed: bool) -> pd.DataFrame:
        assert not filter_viewed
        return _recommended(scores, list(users), k, "score")

    return SimpleNamespace(is_fitted=True, recommend=recommend, **attributes), dataset


def replay(scores: np.ndarray, features: Iterable[str] = ()) -> tuple[SimpleNamespace, SimpleNamespace]:
    """Make a model and a data set of RePlay, with tables like Spark's; for some items there may be only features."""
    schema = SimpleNamespace(
        query_id_column="user_id",
        item_id_column="item_id",
        interactions_rating_column="rating",
        interactions_timestamp_column="when",
    )
    dataset = SimpleNamespace(interactions=SimpleNamespace(toPandas=lambda: frame(TRAIN, time="when")), feature_schema=schema)

    def predict(dataset: SimpleNamespace, k: int, queries: list[str], filter_seen_items: bool) -> SimpleNamespace:
        assert not filter_seen_items
        return SimpleNamespace(toPandas=lambda: _recommended(scores, queries, k, "rating"))

    fitted = pd.DataFrame({"item_id": [*{ITEMS[item] for _, item, _ in TRAIN}, *features]})
    return SimpleNamespace(predict=predict, fit_items=SimpleNamespace(toPandas=lambda: fitted)), dataset


class Module:
    """A module of PyTorch and its parts, each of which may be training or frozen."""

    def __init__(self, score: Callable[[np.ndarray], np.ndarray], training: bool, *parts: "Module"):
        self.score, self.training, self.parts = score, training, parts

    def __call__(self, asked: np.ndarray) -> np.ndarray:
        assert not any(part.training for part in self.modules())
        return self.score(asked)

    def modules(self) -> Iterator["Module"]:
        yield self
        for part in self.parts:
            yield from part.modules()

    def parameters(self) -> Iterator[object]:
        return iter(())

    def train(self, mode: bool = True) -> None:
        for part in self.modules():
            part.training = mode

    def eval(self) -> None:
        self.train(False)


def torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a module in place of PyTorch, whose tensors are arrays."""
    module = ModuleType("torch")
    module.device = str
    module.arange = lambda n, device: np.arange(n)
    module.as_tensor = lambda values, device: values
    module.no_grad = nullcontext
    monkeypatch.setitem(sys.modules, "torch", module)


def _recommended(scores: np.ndarray, users: list[str], k: int, score: str) -> pd.DataFrame:
    rows = [
        (user, ITEMS[item], scores[USERS.index(user), item])
        for user in users
        for item in np.argsort(-scores[USERS.index(user)], kind="stable")[:k]
        if not np.isnan(scores[USERS.index(user), item])
    ]
    return pd.DataFrame(rows, columns=["user_id", "item_id", score])
