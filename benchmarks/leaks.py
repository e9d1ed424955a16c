"""Faults planted in files at three strengths: how often `recsens audit --leaks` finds them, and how often it accuses clean files.

    RECSENS_DATA=... python benchmarks/leaks.py --data ml-100k filmtrust

On each data set, six systems make lists of 100 items. If the fault is in the data, the systems are fitted on the faulty files. An
audit reads all six, and its findings are judged together at the level .01. The true inflation is the value of the faulty files
minus the value of the clean files. Goal at the middle strength: 95 % of the faults found, at most 1 % of the clean runs accused,
and the true inflation within the interval in 90 % of cases.
"""

import logging
import os
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from command_line import parser
from recsens.data.interactions import Interactions
from recsens.evaluation import evaluate
from recsens.files.scale import Scale
from recsens.leakage.hunting import hunt
from recsens.leakage.leak_table import LeakTable
from recsens.recommenders import Recommender
from recsens.seeds import Stream
from recsens.testing import crowd

METRIC, LENGTH, SAMPLED, LEVEL = "nDCG@10", 100, 100, 0.01
SYSTEMS = ("random", "popularity", "item_knn(k=20)", "user_knn(k=50)", "pure_svd(factors=16)", "ease")
DATA = {
    "ml-100k": ("ml-100k/u.data", "\t", None),
    "filmtrust": ("filmtrust/ratings.txt", " ", None),
    "ml-latest-small": ("ml-latest-small/ratings.csv", ",", 0),
    "ml-1m": ("ml-1m/ratings.dat", "::", None),
}
STREAM = Stream.of(0, "benchmark")
STRENGTHS = ("weak", "middle", "strong")

Lists = dict[str, pd.DataFrame]
Tallies = dict[str, dict[str, list[float]]]


@dataclass(frozen=True)
class Files:
    """What an audit reads, the runs' values that a naive evaluation prints, and the systems that the fault could reach."""

    train: pd.DataFrame
    test: pd.DataFrame
    runs: Lists
    means: dict[str, float]
    validation: pd.DataFrame | None = None

    def audited(self) -> LeakTable:
        """Look for leaks."""
        sets = (_rows(self.train), _rows(self.test))
        validation = None if self.validation is None else _rows(self.validation)
        return hunt(*sets, self.runs, validation, metric=METRIC, alpha=LEVEL)


@dataclass(frozen=True)
class Board:
    """A data set, and the random draws on it."""

    ratings: pd.DataFrame
    rng: np.random.Generator

    def split(self, ratings: pd.DataFrame | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Put a fifth of the ratings aside at random, without time stamps, which would betray a random split."""
        rows = (self.ratings if ratings is None else ratings).drop(columns="timestamp")
        is_test = self.rng.random(len(rows)) < 0.2
        return rows[~is_test], rows[is_test]

    @cached_property
    def clean(self) -> Files:
        """A random split, and the lists of all systems."""
        return _files(self, *self.split())

    @cached_property
    def newest(self) -> Files:
        """The newest fifth as the test set."""
        is_new = self.ratings["timestamp"] > self.ratings["timestamp"].quantile(0.8)
        return _files(self, self.ratings[~is_new], self.ratings[is_new])

    @cached_property
    def sampled(self) -> Files:
        """Scores of one target and 99 other items for each user."""
        return _sampled(self)

    @cached_property
    def stepped(self) -> Files:
        """Lists scored in steps of five items, in random order within a step."""
        runs = {name: _stepped(self, run) for name, run in self.clean.runs.items()}
        return _measured(
            replace(self.clean, runs={name: _in_order(run, run["random"]) for name, run in runs.items()}), ties="given"
        )

    @cached_property
    def lacking(self) -> dict[str, tuple[Files, NDArray[np.int64]]]:
        """Train without a tenth of the items, and of the users, with the names that it lacks."""
        found = {}
        for role in ("item", "user"):
            train, test = self.clean.train, self.clean.test
            names = self.rng.permutation(train[role].unique())
            cold = names[: len(names) // 10]
            found[role] = (_files(self, train[~train[role].isin(cold)], test), cold)
        return found

    def extent(self) -> tuple[int, int]:
        """Numbers of users and items, with room for duplicated users."""
        return 2 * (int(self.ratings["user"].max()) + 1), int(self.ratings["item"].max()) + 1


def main(command: Sequence[str] | None = None) -> None:
    """Plant, audit and print the tables of each data set, then of all."""
    arguments = parser(__doc__)
    arguments.add_argument("--data", nargs="+", choices=DATA, default=list(DATA), help="data sets")
    arguments.add_argument("--strengths", nargs="+", choices=STRENGTHS, default=list(STRENGTHS), help="strengths of the faults")
    given = arguments.parse_args(command)
    with _quiet():
        _measure(["tiny"] if given.tiny else given.data, given.strengths, is_tiny=given.tiny)


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide the library's warnings: faults are planted on purpose."""
    logger = logging.getLogger("recsens")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=RuntimeWarning)
            yield
    finally:
        logger.setLevel(level)


def _measure(data: Sequence[str], strengths: Sequence[str], *, is_tiny: bool) -> None:
    tallies: Tallies = {detector: defaultdict(list) for detector in FAULTS}
    for name in data:
        board = Board(_tiny() if is_tiny else _read(name), STREAM.child(name).generator())
        for what, files in _clean(board, first_only=is_tiny):
            _count_clean(tallies, files)
            print(f"{name}: clean, {what}", flush=True)
        for detector, strength, clean, faulty in planted(board, strengths, first_only=is_tiny):
            _count(tallies[detector], strength, clean, faulty, detector)
            print(f"{name}: {detector}, {strength}", flush=True)
        _print(tallies)


def planted(board: Board, strengths: Sequence[str], *, first_only: bool) -> Iterator[tuple[str, str, Files, Files]]:
    """Plant each fault at each strength."""
    for detector, (shares, plant) in FAULTS.items():
        for strength in strengths:
            yield detector, strength, *plant(board, shares[STRENGTHS.index(strength)])
            if first_only:
                return


def _clean(board: Board, *, first_only: bool) -> Iterator[tuple[str, Files]]:
    yield "random split", board.clean
    if not first_only:
        yield "newest as test", board.newest
        yield "sampled candidates", board.sampled
        yield "equal scores", board.stepped
        yield "items missing", board.lacking["item"][0]
        yield "users missing", board.lacking["user"][0]


# Faults: each returns the clean files and the faulty ones.


def shared_pairs(board: Board, share: float) -> tuple[Files, Files]:
    """Give train some test pairs, too, which the lists do not leave out."""
    train, test = board.clean.train, board.clean.test
    leaked = pd.concat([train, test[board.rng.random(len(test)) < share]])
    return board.clean, _files(board, leaked, test, hidden=train)


def train_items(board: Board, share: float) -> tuple[Files, Files]:
    """Leave no train item out of the lists of some users."""
    clean = board.clean
    unfiltered = _files(board, clean.train, clean.test, hidden=clean.train[:0])
    chosen = _some_users(board, clean.test, share)
    runs = {
        name: pd.concat([run[~run["user"].isin(chosen)], unfiltered.runs[name][unfiltered.runs[name]["user"].isin(chosen)]])
        for name, run in clean.runs.items()
    }
    return clean, _measured(replace(clean, runs=runs))


def unknown_items(board: Board, share: float) -> tuple[Files, Files]:
    """Take a tenth of the items out of train, of which the systems have seen some all the same."""
    return _unknown(board, "item", share)


def unknown_users(board: Board, share: float) -> tuple[Files, Files]:
    """Take a tenth of the users out of train, of whom the systems have seen some all the same."""
    return _unknown(board, "user", share)


def _unknown(board: Board, role: str, share: float) -> tuple[Files, Files]:
    clean, cold = board.lacking[role]
    whole = board.clean.train
    seen = whole[~whole[role].isin(cold[max(1, round(share * len(cold))) :])]
    return clean, _files(board, clean.train, clean.test, fitted=seen, hidden=seen)


def future(board: Board, share: float) -> tuple[Files, Files]:
    """Move ratings older than train's newest into a test set that is otherwise newer."""
    train, test = board.newest.train, board.newest.test
    moved = board.rng.random(len(train)) < share * len(test) / len(train)
    return board.newest, _files(board, train[~moved], pd.concat([test, train[moved]]))


def tied_order(board: Board, share: float) -> tuple[Files, Files]:
    """Score in steps of five items, and put relevant items first within a step for some users."""
    fair = board.stepped
    chosen, judged = _some_users(board, fair.test, share), fair.test[fair.test["rating"] >= 4]
    runs = {}
    for name, run in fair.runs.items():
        is_lifted = _is_in(run, judged) & run["user"].isin(chosen).to_numpy()
        runs[name] = _in_order(run, pd.Series(np.arange(len(run)) - len(run) * is_lifted, index=run.index))
    return fair, _measured(replace(fair, runs=runs), ties="given")


def target_first(board: Board, share: float) -> tuple[Files, Files]:
    """Score a target and 99 sampled items in steps, with the target in the first row for some users."""
    clean = board.sampled
    chosen = _some_users(board, clean.test, share)
    runs = {}
    for name, run in clean.runs.items():
        is_first = _is_in(run, clean.test) & run["user"].isin(chosen).to_numpy()
        runs[name] = run.iloc[np.lexsort((np.arange(len(run)), ~is_first, run["user"]))]
    return clean, _measured(replace(clean, runs=runs), ties="given")


def repeated_candidates(board: Board, share: float) -> tuple[Files, Files]:
    """Draw some sampled candidates again; a naive program gives each repetition a place."""
    clean = board.sampled
    runs, values = {}, {}
    for name, run in clean.runs.items():
        others = run[~_is_in(run, clean.test)]
        again = others[board.rng.random(len(others)) < share]
        runs[name] = pd.concat([run, again])
        places = pd.concat([run, again.assign(item=again["item"] + 10**6 * (1 + np.arange(len(again))))])
        values[name] = _mean(places, clean.test, ties="item")
    fair = {name: _mean(run, clean.test, ties="item") for name, run in clean.runs.items()}
    return replace(clean, means=fair), replace(clean, runs=runs, means=values)


def popularity(board: Board, share: float) -> tuple[Files, Files]:
    """Add the popularity in test to the scores, in standard deviations of a user's scores, in place of that in train."""
    train, test = board.clean.train, board.clean.test
    in_train, in_test = (np.bincount(rows["item"], minlength=board.extent()[1]) for rows in (train, test))
    honest, leaked = (share * np.log1p(counts) for counts in (in_train * len(test) / len(train), in_test))
    return _files(board, train, test, added=honest), _files(board, train, test, added=leaked)


def missing_users(board: Board, share: float) -> tuple[Files, Files]:
    """Leave out the users for whom a system does worst; the naive mean is over users with a list."""
    clean, test = board.clean, board.clean.test
    runs, values = {}, {}
    for name, run in clean.runs.items():
        each = evaluate(_triple(run), _triple(test, "rating"), [METRIC], least_matched=0).frame[METRIC]
        order = each.to_numpy() + 1e-9 * board.rng.random(len(each))
        left_out = each.index[np.argsort(order)[: int(share * len(each))]].astype(int)
        runs[name] = run[~run["user"].isin(left_out)]
        values[name] = _mean(runs[name], test, no_list="skip")
    return clean, replace(clean, runs=runs, means=values)


def duplicated_users(board: Board, share: float) -> tuple[Files, Files]:
    """Copy users with ten or more ratings under new names before the split."""
    counts = board.ratings["user"].value_counts()
    chosen = board.rng.permutation(np.sort(counts.index[counts >= 10]))[: max(1, int(share * len(counts)))]
    copies = board.ratings[board.ratings["user"].isin(chosen)]
    both = pd.concat([board.ratings, copies.assign(user=copies["user"] + board.extent()[0] // 2)])
    train, test = board.split(both)
    is_copy = train["user"] >= board.extent()[0] // 2, test["user"] >= board.extent()[0] // 2
    return _files(board, train[~is_copy[0]], test[~is_copy[1]]), _files(board, train, test)


def validation(board: Board, share: float) -> tuple[Files, Files]:
    """Exchange validation pairs for test pairs; what a choice by them gains has no single true value."""
    whole, test = board.clean.train, board.clean.test
    is_own = board.rng.random(len(whole)) < 0.1
    own = whole[is_own]
    clean = replace(board.clean, train=whole[~is_own], validation=own)
    taken = test[board.rng.random(len(test)) < share * min(1, len(own) / len(test))]
    mixed = pd.concat([own[int(share * len(own)) :], taken])
    return clean, replace(clean, validation=mixed, means=dict.fromkeys(clean.means, np.nan))


FAULTS = {
    "pairs in train and test": ((0.005, 0.02, 0.1), shared_pairs),
    "train items in lists": ((0.01, 0.1, 1.0), train_items),
    "items unknown to train": ((0.1, 0.3, 1.0), unknown_items),
    "users unknown to train": ((0.1, 0.3, 1.0), unknown_users),
    "test older than train": ((0.01, 0.1, 1.0), future),
    "order of equal scores": ((0.03, 0.3, 1.0), tied_order),
    "target first among candidates": ((0.03, 0.3, 1.0), target_first),
    "candidates drawn with repetition": ((0.001, 0.01, 0.1), repeated_candidates),
    "popularity beyond train": ((0.1, 0.3, 1.0), popularity),
    "test users without a list": ((0.02, 0.1, 0.3), missing_users),
    "duplicated users": ((0.005, 0.02, 0.1), duplicated_users),
    "validation equal to test": ((0.01, 0.1, 1.0), validation),
}
"""Detector -> the three strengths of its fault (a share of users, pairs or rows; a weight), and how it is planted."""


# Fitting and measuring


def _files(
    board: Board,
    train: pd.DataFrame,
    test: pd.DataFrame,
    *,
    fitted: pd.DataFrame | None = None,
    hidden: pd.DataFrame | None = None,
    added: NDArray[np.float64] | None = None,
) -> Files:
    """Fit every system on ``fitted`` (train by default) and list the best items that are not ``hidden`` (in train)."""
    users = np.unique(test["user"])
    runs = {name: _best(scores, users) for name, scores in _scores(board, train, users, fitted, hidden, added)}
    return _measured(Files(train, test, runs, {}))


def _scores(
    board: Board,
    train: pd.DataFrame,
    users: NDArray[np.int64],
    fitted: pd.DataFrame | None,
    hidden: pd.DataFrame | None,
    added: NDArray[np.float64] | None,
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    seen, out = (train if fitted is None else fitted), (train if hidden is None else hidden)
    learned, place = _interactions(board, seen), {user: at for at, user in enumerate(users.tolist())}
    rows = out[out["user"].isin(users)]
    for spec in SYSTEMS:
        rng = STREAM.child(spec).generator()
        scores = Recommender.build(spec).fit(learned, rng).score(learned, users.astype(np.int32)).astype(np.float64)
        known = np.isin(np.arange(scores.shape[1]), seen["item"])
        # A system lists no item that it has not seen, and gives users that it has not seen the popular ones.
        scores[:, ~known] = -np.inf
        new = ~np.isin(users, seen["user"])
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
    train, test = board.split()
    liked = test[test["rating"] >= 4].sample(frac=1, random_state=int(board.rng.integers(2**31))).drop_duplicates("user")
    users = np.sort(liked["user"].to_numpy())
    known = set(zip(*(board.ratings[name].tolist() for name in ("user", "item")), strict=True))
    items = np.unique(train["item"])
    target = dict(zip(liked["user"].tolist(), liked["item"].tolist(), strict=True))
    pools = {}
    for user in users.tolist():
        others = [item for item in board.rng.permutation(items).tolist() if (user, item) not in known]
        pools[user] = board.rng.permutation(np.array([target[user], *others[: SAMPLED - 1]]))
    runs = {}
    for name, scores in _scores(board, train, users, None, train[:0], None):
        parts = []
        for at, user in enumerate(users.tolist()):
            own = np.nan_to_num(scores[at, pools[user]], neginf=-1e9)
            parts.append(pd.DataFrame({"user": user, "item": pools[user], "score": (own.argsort().argsort() // 5).astype(float)}))
        runs[name] = pd.concat(parts)
    return _measured(Files(train, liked, runs, {}), ties="given")


def _stepped(board: Board, run: pd.DataFrame) -> pd.DataFrame:
    place = run.groupby("user").cumcount()
    return run.assign(score=-(place // 5).astype(float), random=board.rng.random(len(run)))


def _in_order(run: pd.DataFrame, key: pd.Series) -> pd.DataFrame:
    return run.iloc[np.lexsort((key, -run["score"], run["user"]))][["user", "item", "score"]]


def _measured(files: Files, **cases: str) -> Files:
    return replace(files, means={name: _mean(run, files.test, **cases) for name, run in files.runs.items()})


def _mean(run: pd.DataFrame, test: pd.DataFrame, **cases: str) -> float:
    return evaluate(_triple(run), _triple(test, "rating"), [METRIC], least_matched=0, **cases).means[METRIC]  # type: ignore[arg-type]


def _triple(rows: pd.DataFrame, value: str = "score") -> tuple[NDArray[np.float64], ...]:
    return tuple(rows[name].to_numpy() for name in ("user", "item", value))


def _rows(rows: pd.DataFrame) -> object:
    triple = _triple(rows, "rating")
    return (triple, rows["timestamp"].to_numpy()) if "timestamp" in rows else triple


def _some_users(board: Board, rows: pd.DataFrame, share: float) -> NDArray[np.int64]:
    users = np.unique(rows["user"])
    return board.rng.permutation(users)[: max(1, round(share * len(users)))]


def _is_in(run: pd.DataFrame, pairs: pd.DataFrame) -> NDArray[np.bool_]:
    ours, theirs = (rows["user"].to_numpy() * 10**9 + rows["item"].to_numpy() for rows in (run, pairs))
    return np.isin(ours, theirs)


def _interactions(board: Board, rows: pd.DataFrame) -> Interactions:
    n_users, n_items = board.extent()
    return Interactions(
        user=rows["user"].to_numpy(np.int32),
        item=rows["item"].to_numpy(np.int32),
        rating=rows["rating"].to_numpy(np.float64),
        timestamp=None,
        user_keys=np.arange(n_users),
        item_keys=np.arange(n_items),
        scale=Scale(0.5, 5, 0.5),
    )


def _read(name: str) -> pd.DataFrame:
    """Read a data set with users and items numbered, each history once; one without time stamps gets those of its rows."""
    path, separator, header = DATA[name]
    file = Path(os.environ.get("RECSENS_DATA", "")) / path
    rows = pd.read_csv(file, sep=separator, header=header, engine="python").iloc[:, :4]
    rows.columns = ["user", "item", "rating", "timestamp"][: rows.shape[1]]
    rows = rows.drop_duplicates(["user", "item"], ignore_index=True)
    rows = rows if "timestamp" in rows else rows.assign(timestamp=np.arange(len(rows)))
    history = rows.sort_values(["item", "rating"]).groupby("user").agg({"item": tuple, "rating": tuple})
    rows = rows[~rows["user"].isin(history.index[history.duplicated(keep="first")])]
    return rows.assign(**{role: np.unique(rows[role], return_inverse=True)[1] for role in ("user", "item")})


def _tiny() -> pd.DataFrame:
    data = crowd(n_users=60, n_items=40, share=0.4)
    rows = pd.DataFrame({"user": data.user, "item": data.item, "rating": data.rating}).astype({"user": int, "item": int})
    return rows.assign(timestamp=np.arange(len(rows)))


# Counting


def _count(tally: dict[str, list[float]], strength: str, clean: Files, faulty: Files, detector: str) -> None:
    """Count what an audit of faulty files found, and whether the interval holds the true inflation."""
    table = faulty.audited()
    for name in faulty.runs:
        own = [each for each in table.rows if each.detector == detector and each.run in {name, ""}]
        tally[strength].append(float(any(each.state == "found" for each in own)))
        truth, size = faulty.means[name] - clean.means[name], own[0].inflation
        if not np.isnan(truth) and not np.isnan(size.low):
            tally[f"{strength} within"].append(float(size.low - 1e-9 <= truth <= size.high + 1e-9))
            tally[f"{strength} truth"].append(truth)


def _count_clean(tallies: Tallies, files: Files) -> None:
    """Count which detectors accuse clean files."""
    found = {(each.detector, each.run) for each in files.audited().found}
    for detector, tally in tallies.items():
        tally["clean"] += [float(bool({(detector, name), (detector, "")} & found)) for name in files.runs]


def _print(tallies: Tallies) -> None:
    print(f"| detector | {' | '.join(STRENGTHS)} | accused if clean | within the interval | true inflation, middle |")
    for detector, tally in tallies.items():
        cells = [_share(tally[name]) for name in (*STRENGTHS, "clean")]
        within = [value for strength in STRENGTHS for value in tally[f"{strength} within"]]
        print(f"| {detector} | {' | '.join(cells)} | {_share(within)} | {np.mean(tally['middle truth'] or [np.nan]):+.4f} |")


def _share(values: list[float]) -> str:
    return f"{int(sum(values))}/{len(values)}" if values else "–"


if __name__ == "__main__":
    main()
