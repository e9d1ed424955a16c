"""Samples of data sets, systems fitted on them, and what an audit of leaks reads."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.files.scale import Scale
from recsens.recommenders import Recommender
from recsens.runs.evaluation import Evaluation, evaluate
from recsens.runs.leakage._material import Material
from recsens.runs.leakage.hunting import search_leaks
from recsens.runs.leakage.leak_table import LeakTable
from recsens.runs.leakage.suspicion import Detector, Suspicion
from recsens.seeds import Stream
from recsens.testing import crowd

METRIC, LENGTH, SAMPLED, LEVEL, N_USERS = "nDCG@10", 100, 100, 0.01, 300
SYSTEMS = ("random", "popularity", "item_knn(k=20,of=profile)", "user_knn(k=50)", "pure_svd(factors=16)", "ease")
STREAM = Stream.of(0, "benchmark")

Lists = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class DataSet:
    """How a file is read, and which of its ratings are used.

    ``liked`` is the lowest relevant rating, ``least`` the lowest rating used, and ``least_rated`` how many ratings an item needs.
    """

    path: str
    separator: str
    header: int | None = None
    columns: tuple[str, ...] = ("user", "item", "rating", "timestamp")
    liked: float = 4
    least: float = 0
    least_rated: int = 1


DATA = {
    "ml-100k": DataSet("ml-100k/u.data", "\t"),
    "filmtrust": DataSet("filmtrust/ratings.txt", " ", columns=("user", "item", "rating"), liked=3.5),
    "ml-latest-small": DataSet("ml-latest-small/ratings.csv", ",", header=0, least_rated=20),
    "cm100k": DataSet("cm100k/ratings.tsv", "\t", header=0, columns=("user", "item", "rating"), liked=1, least=1),
}


@dataclass(frozen=True)
class Files:
    """What an audit reads, with the lowest relevant rating, and the runs' values that a naive evaluation prints."""

    train: pd.DataFrame
    test: pd.DataFrame
    runs: Lists
    means: dict[str, float]
    liked: float
    validation: pd.DataFrame | None = None

    def audited(self) -> LeakTable:
        """Look for leaks."""
        return search_leaks(*self._sets[:2], self.runs, self._sets[2], metric=METRIC, relevance=self.liked, alpha=LEVEL)

    def seen_by(self, look: Detector) -> list[Suspicion]:
        """Return what one detector says."""
        read = {"metric": METRIC, "relevance": self.liked, "scale": None, "rank_by": "score", "told": {}, "seed": 0}
        return list(look(Material.read(*self._sets[:2], self.runs, self._sets[2], **read)))

    @property
    def _sets(self) -> list[Any]:
        return [None if rows is None else _rows(rows) for rows in (self.train, self.test, self.validation)]


@dataclass(frozen=True)
class Board:
    """A sample of the users of a data set (or ``tiny``), and one of several random draws of everything on it."""

    name: str
    draw: int
    n_users: int = N_USERS
    _lacking: dict[str, tuple[Files, NDArray[np.int64]]] = field(default_factory=dict)

    def rng(self, *words: str | float) -> np.random.Generator:
        """Return the random draws of one purpose, which no other purpose changes."""
        return STREAM.child(self.name, self.draw, *words).generator()

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """Users and items numbered at random, each pair and history once; without time stamps, rows are in the order of time."""
        if self.name == "tiny":
            return _tiny()
        rows = _read(DATA[self.name])
        rows = rows[rows["user"].isin(some_users(rows, min(1, self.n_users / rows["user"].nunique()), self.rng("users")))]
        return rows.assign(user=np.unique(rows["user"], return_inverse=True)[1])

    @property
    def liked(self) -> float:
        """The lowest relevant rating."""
        return DATA[self.name].liked if self.name in DATA else 4

    def is_liked(self, rows: pd.DataFrame) -> NDArray[np.bool_]:
        """Return which ratings are relevant."""
        return rows["rating"].to_numpy() >= self.liked

    def split(self, ratings: pd.DataFrame, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Put a fifth of the ratings aside at random."""
        is_test = rng.random(len(ratings)) < 0.2
        return ratings[~is_test], ratings[is_test]

    @cached_property
    def clean(self) -> Files:
        """A random split, and the lists of all systems."""
        return fitted(self, *self.split(self.ratings, self.rng("split")))

    @cached_property
    def unfiltered(self) -> Files:
        """The same, with train items in all lists."""
        return fitted(self, self.clean.train, self.clean.test, hidden=self.clean.train[:0])

    @cached_property
    def newest(self) -> Files:
        """The newest fifth as the test set."""
        is_new = self.ratings["timestamp"] > self.ratings["timestamp"].quantile(0.8)
        return fitted(self, self.ratings[~is_new], self.ratings[is_new])

    @cached_property
    def sampled(self) -> Files:
        """Scores of one target and 99 other items for each user."""
        return _sampled(self)

    def stepped(self, share: float = 0.0) -> Files:
        """Score lists in steps of five items, in a random order within a step that differs with the ``share``."""
        rng, runs = self.rng("steps", share), {}
        for name, run in self.clean.runs.items():
            steps = run.assign(score=-(run.groupby("user").cumcount() // 5).astype(float))
            runs[name] = in_order(steps, pd.Series(rng.random(len(run)), index=run.index))
        return measured(Files(self.clean.train, self.clean.test, runs, {}, self.liked), ties="given")

    def lacking(self, role: str) -> tuple[Files, NDArray[np.int64]]:
        """Train without a tenth of the items, or of the users, with the names that it lacks."""
        if role not in self._lacking:
            train, test = self.clean.train, self.clean.test
            names = self.rng("lacking", role).permutation(np.unique(train[role]))
            cold = names[: len(names) // 10]
            self._lacking[role] = (fitted(self, train[~train[role].isin(cold)], test), cold)
        return self._lacking[role]

    @property
    def extent(self) -> tuple[int, int]:
        """Numbers of users and items, with room for duplicated users."""
        return 2 * (int(self.ratings["user"].max()) + 1), int(self.ratings["item"].max()) + 1


def fitted(
    board: Board,
    train: pd.DataFrame,
    test: pd.DataFrame,
    *,
    learned: pd.DataFrame | None = None,
    hidden: pd.DataFrame | None = None,
    added: NDArray[np.float64] | None = None,
) -> Files:
    """Fit every system on what is ``learned`` (train by default) and list the best items that are not ``hidden`` (in train)."""
    users = np.unique(test["user"])
    runs = {name: _best(scores, users) for name, scores in _scores(board, train, users, learned, hidden, added)}
    return measured(Files(train, test, runs, {}, board.liked))


def _scores(
    board: Board,
    train: pd.DataFrame,
    users: NDArray[np.int64],
    learned: pd.DataFrame | None,
    hidden: pd.DataFrame | None,
    added: NDArray[np.float64] | None,
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    seen, out = (train if learned is None else learned), (train if hidden is None else hidden)
    data, place = _interactions(board, seen), {user: at for at, user in enumerate(users.tolist())}
    rows = out[out["user"].isin(users)]
    for spec in SYSTEMS:
        rng = STREAM.child(spec).generator()
        scores = Recommender.build(spec).fit(data, rng).score(data, users.astype(np.int32)).astype(np.float64)
        known = np.isin(np.arange(scores.shape[1]), seen["item"])
        # A system lists no item that it has not seen, and gives users that it has not seen the popular ones.
        scores[:, ~known] = -np.inf
        # One that draws at random needs to know nobody.
        new = ~np.isin(users, seen["user"]) & (spec != "random")
        scores[new] = np.where(known, np.bincount(seen["item"], minlength=len(known)), -np.inf)
        scores = np.where(np.isnan(scores), -np.inf, scores)
        if added is not None:
            spread = np.array([own[np.isfinite(own)].std() if np.isfinite(own).any() else 0 for own in scores])
            scores = scores + spread[:, np.newaxis] * added
        scores[rows["user"].map(place).to_numpy(), rows["item"].to_numpy()] = -np.inf
        yield spec, scores


def _best(scores: NDArray[np.float64], users: NDArray[np.int64]) -> pd.DataFrame:
    """List the best items of every user, equal scores in random order, best first."""
    n, shuffled = min(LENGTH, scores.shape[1]), STREAM.generator().permutation(scores.shape[1])
    order = shuffled[np.argsort(-scores[:, shuffled], axis=1, kind="stable")[:, :n]]
    value = np.take_along_axis(scores, order, axis=1)
    frame = pd.DataFrame({"user": np.repeat(users, n), "item": order.ravel(), "score": value.ravel()})
    return frame[np.isfinite(frame["score"])]


def _sampled(board: Board) -> Files:
    """Draw a target and 99 other items for each user, with scores in steps of five and rows in random order."""
    train, test = board.clean.train, board.clean.test
    rng = board.rng("sampled")
    liked = test[board.is_liked(test)].sample(frac=1, random_state=int(rng.integers(2**31))).drop_duplicates("user")
    users = np.sort(liked["user"].to_numpy())
    own = {user: set(items) for user, items in board.ratings.groupby("user")["item"]}
    items = np.unique(train["item"])
    target = dict(zip(liked["user"].tolist(), liked["item"].tolist(), strict=True))
    pools = {}
    for user in users.tolist():
        others = [item for item in rng.permutation(items).tolist() if item not in own[user]]
        pools[user] = np.array([target[user], *others[: SAMPLED - 1]])
    runs = {}
    for name, scores in _scores(board, train, users, None, train[:0], None):
        parts = []
        for at, user in enumerate(users.tolist()):
            pool = rng.permutation(pools[user])
            values = np.nan_to_num(scores[at, pool], neginf=-1e9)
            # Equal scores, such as those of items that a system cannot score, fall into steps at random, not by rows.
            places = np.lexsort((rng.random(len(pool)), values)).argsort()
            parts.append(pd.DataFrame({"user": user, "item": pool, "score": (places // 5).astype(float)}))
        runs[name] = pd.concat(parts)
    return measured(Files(train, liked, runs, {}, board.liked), ties="given")


def in_order(run: pd.DataFrame, key: pd.Series) -> pd.DataFrame:
    """Order each user's rows by score, and rows with equal scores by a key."""
    return run.iloc[np.lexsort((key, -run["score"], run["user"]))]


def measured(files: Files, **cases: str) -> Files:
    """Measure all runs."""
    return replace(files, means={name: mean_of(files, run, **cases) for name, run in files.runs.items()})


def mean_of(files: Files, run: pd.DataFrame, **cases: Any) -> float:
    """Return the mean of a run on the test set of some files."""
    return values_of(files, run, **cases).means[METRIC]


def values_of(files: Files, run: pd.DataFrame, **cases: Any) -> Evaluation:
    """Evaluate a run on the test set of some files."""
    return evaluate(_triple(run), _triple(files.test, "rating"), [METRIC], relevance=files.liked, least_matched=0, **cases)


def some_users(rows: pd.DataFrame, share: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a share of the users, one at least."""
    users = np.unique(rows["user"])
    return rng.permutation(users)[: max(1, round(share * len(users)))]


def is_in(run: pd.DataFrame, pairs: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which rows of a run are among pairs."""
    ours, theirs = (rows["user"].to_numpy() * 10**9 + rows["item"].to_numpy() for rows in (run, pairs))
    return np.isin(ours, theirs)


def _triple(rows: pd.DataFrame, value: str = "score") -> tuple[NDArray[np.float64], ...]:
    return tuple(rows[name].to_numpy() for name in ("user", "item", value))


def _rows(rows: pd.DataFrame) -> object:
    triple = _triple(rows, "rating")
    return (triple, rows["timestamp"].to_numpy()) if "timestamp" in rows else triple


def _interactions(board: Board, rows: pd.DataFrame) -> Interactions:
    n_users, n_items = board.extent
    return Interactions(
        user=rows["user"].to_numpy(np.int32),
        item=rows["item"].to_numpy(np.int32),
        rating=rows["rating"].to_numpy(np.float64),
        timestamp=None,
        user_keys=np.arange(n_users),
        item_keys=np.arange(n_items),
        scale=Scale(0.5, 5, 0.5),
    )


@cache
def _read(data: DataSet) -> pd.DataFrame:
    file = Path(os.environ.get("RECSENS_DATA", "")) / data.path
    rows = pd.read_csv(file, sep=data.separator, header=data.header, engine="c").iloc[:, : len(data.columns)]
    rows.columns = data.columns
    rows = rows[rows["rating"] >= data.least].drop_duplicates(["user", "item"], ignore_index=True)
    rows = rows[rows["item"].map(rows["item"].value_counts()) >= data.least_rated]
    rows = rows if "timestamp" in rows else rows.assign(timestamp=np.arange(len(rows)))
    history = rows.sort_values(["item", "rating"]).groupby("user").agg({"item": tuple, "rating": tuple})
    rows = rows[~rows["user"].isin(history.index[history.duplicated(keep="first")])]
    return rows.assign(**{role: _numbered(rows[role]) for role in ("user", "item")})


def _numbered(names: pd.Series) -> NDArray[np.int64]:
    """Number names at random: the publishers' numbers follow popularity, so that their order would truly favour relevant items."""
    known, code = np.unique(names, return_inverse=True)
    return STREAM.child("names", str(names.name)).generator().permutation(len(known))[code]


def _tiny() -> pd.DataFrame:
    data = crowd(n_users=60, n_items=40, share=0.4)
    rows = pd.DataFrame({"user": data.user, "item": data.item, "rating": data.rating}).astype({"user": int, "item": int})
    return rows.assign(timestamp=np.arange(len(rows)))
