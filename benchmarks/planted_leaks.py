"""Faults to plant, each at three strengths or more, and clean files of several kinds."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from leaking_files import METRIC, Board, Files, fitted, in_order, is_in, mean_of, measured, some_users, values_of

STRENGTHS = ("weak", "middle", "strong")

CLEAN: dict[str, Callable[[Board], Files]] = {
    "random split": lambda board: board.clean,
    "newest as test": lambda board: board.newest,
    "sampled candidates": lambda board: board.sampled,
    "equal scores": lambda board: board.stepped(),
    "items missing": lambda board: board.lacking("item")[0],
    "users missing": lambda board: board.lacking("user")[0],
}
"""Files without a fault."""


def shared_pairs(board: Board, share: float) -> tuple[Files, Files]:
    """Give train some test pairs, too, which the lists do not leave out."""
    train, test = board.clean.train, board.clean.test
    leaked = pd.concat([train, test[board.rng("shared", share).random(len(test)) < share]])
    return board.clean, fitted(board, leaked, test, hidden=train)


def train_items(board: Board, share: float) -> tuple[Files, Files]:
    """Leave no train item out of the lists of some users."""
    clean, unfiltered = board.clean, board.unfiltered
    chosen = some_users(clean.test, share, board.rng("train items", share))
    runs = {
        name: pd.concat([run[~run["user"].isin(chosen)], unfiltered.runs[name][unfiltered.runs[name]["user"].isin(chosen)]])
        for name, run in clean.runs.items()
    }
    return clean, measured(replace(clean, runs=runs))


def unknown_items(board: Board, share: float) -> tuple[Files, Files]:
    """Take a tenth of the items out of train, of which the systems have seen some all the same."""
    return _unknown(board, "item", share)


def unknown_users(board: Board, share: float) -> tuple[Files, Files]:
    """Take a tenth of the users out of train, of whom the systems have seen some all the same."""
    return _unknown(board, "user", share)


def _unknown(board: Board, role: str, share: float) -> tuple[Files, Files]:
    clean, cold = board.lacking(role)
    whole = board.clean.train
    seen = whole[~whole[role].isin(cold[max(1, round(share * len(cold))) :])]
    return clean, fitted(board, clean.train, clean.test, learned=seen, hidden=seen)


def future(board: Board, share: float) -> tuple[Files, Files]:
    """Move ratings older than train's newest into a test set that is otherwise newer."""
    train, test = board.newest.train, board.newest.test
    moved = board.rng("future", share).random(len(train)) < share * len(test) / len(train)
    return board.newest, fitted(board, train[~moved], pd.concat([test, train[moved]]))


def late_rows(board: Board, share: float) -> tuple[Files, Files]:
    """Leave ratings of the newest fifth in train, as a wrong time zone does; these pairs are in no test set."""
    train, test = board.newest.train, board.newest.test
    moved = board.rng("late", share).random(len(test)) < share
    clean = fitted(board, train, test[~moved])
    return clean, fitted(board, pd.concat([train, test[moved]]), test[~moved])


def by_user(board: Board, share: float) -> tuple[Files, Files]:
    """Put each user's newest ratings aside, whenever they were; without the fault, a point in time divides train and test."""
    rows = board.ratings.sort_values(["user", "timestamp"])
    left = rows.groupby("user").cumcount(ascending=False)
    is_test = (left < np.maximum(1, share * rows.groupby("user")["user"].transform("size"))).to_numpy()
    train, test = rows[~is_test], rows[is_test]
    times = np.unique(rows["timestamp"])
    n_early = np.searchsorted(np.sort(test["timestamp"]), times)
    n_late = len(train) - np.searchsorted(np.sort(train["timestamp"]), times, side="right")
    cut = times[np.argmin(n_early + n_late)]
    return fitted(board, train[train["timestamp"] <= cut], test[test["timestamp"] >= cut]), fitted(board, train, test)


def fitted_on_test_pairs(board: Board, clean: Files, share: float) -> tuple[Files, Files]:
    """Fit the systems on a share of the test pairs, too, which neither the train file nor the lists betray."""
    train, test = clean.train, clean.test
    leaked = test[board.rng("fitted", share).random(len(test)) < share]
    return clean, fitted(board, train, test, learned=pd.concat([train, leaked]), hidden=train)


def chosen_by_test(files: Files, users: NDArray[np.int64]) -> tuple[Files, float]:
    """Validate by the test set of n of N users; the gain is the best run's value there, minus its value for all other users.

    The gain is multiplied by √(1 - n/N), so that it varies as much as if there were infinitely many other users.
    """
    some, others = (
        replace(
            files,
            test=files.test[files.test["user"].isin(users) == is_in],
            runs={name: run[run["user"].isin(users) == is_in] for name, run in files.runs.items()},
        )
        for is_in in (True, False)
    )
    here, elsewhere = measured(some).means, measured(others).means
    best = max(here, key=lambda name: here[name])
    share = some.test["user"].nunique() / files.test["user"].nunique()
    return replace(some, validation=some.test), (here[best] - elsewhere[best]) * np.sqrt(1 - share)


def tied_order(board: Board, share: float) -> tuple[Files, Files]:
    """Score in steps of five items, and put relevant items first within a step for some users."""
    fair = board.stepped(share)
    chosen, judged = some_users(fair.test, share, board.rng("tied", share)), fair.test[board.is_liked(fair.test)]
    runs = {}
    for name, run in fair.runs.items():
        is_lifted = is_in(run, judged) & run["user"].isin(chosen).to_numpy()
        runs[name] = in_order(run, pd.Series(np.arange(len(run)) - len(run) * is_lifted, index=run.index))
    return fair, measured(replace(fair, runs=runs), ties="given")


def target_first(board: Board, share: float) -> tuple[Files, Files]:
    """Score a target and 99 sampled items in steps, with the target in the first row for some users, other rows in random order."""
    rng = board.rng("target rows", share)
    shuffled = {name: run.iloc[rng.permutation(len(run))] for name, run in board.sampled.runs.items()}
    clean = measured(replace(board.sampled, runs=shuffled), ties="given")
    chosen = some_users(clean.test, share, board.rng("target", share))
    runs = {}
    for name, run in clean.runs.items():
        is_first = is_in(run, clean.test) & run["user"].isin(chosen).to_numpy()
        runs[name] = run.iloc[np.lexsort((np.arange(len(run)), ~is_first, run["user"]))]
    return clean, measured(replace(clean, runs=runs), ties="given")


def repeated_candidates(board: Board, share: float) -> tuple[Files, Files]:
    """Draw some sampled candidates again; a naive program gives each repetition a place, by rows where scores are equal.

    A repetition is in a random row among those of its user, as the other candidates are.
    """
    clean = board.sampled
    rng = board.rng("repeated", share)
    runs, values = {}, {}
    for name, run in clean.runs.items():
        others = run[~is_in(run, clean.test)]
        again = others[rng.random(len(others)) < share]
        users, first, n = np.unique(run["user"], return_index=True, return_counts=True)
        user = np.searchsorted(users, again["user"])
        place = np.concatenate([np.arange(len(run)), first[user] + n[user] * rng.random(len(again)) - 0.5])
        anywhere = np.argsort(place, kind="stable")
        runs[name] = pd.concat([run, again]).iloc[anywhere]
        told_apart = again.assign(item=again["item"] + 10**6 * (1 + np.arange(len(again))))
        values[name] = mean_of(clean, pd.concat([run, told_apart]).iloc[anywhere], ties="given")
    return clean, replace(clean, runs=runs, means=values)


def popularity(board: Board, share: float) -> tuple[Files, Files]:
    """Add the popularity in test to the scores, in standard deviations of a user's scores, in place of that in train."""
    train, test = board.clean.train, board.clean.test
    in_train, in_test = (np.bincount(rows["item"], minlength=board.extent[1]) for rows in (train, test))
    honest, leaked = (share * np.log1p(counts) for counts in (in_train * len(test) / len(train), in_test))
    return fitted(board, train, test, added=honest), fitted(board, train, test, added=leaked)


def missing_users(board: Board, share: float) -> tuple[Files, Files]:
    """Leave out the users for whom a system does worst; the naive mean is over users with a list."""
    clean = board.clean
    rng = board.rng("missing", share)
    runs, values = {}, {}
    for name, run in clean.runs.items():
        each = values_of(clean, run).frame[METRIC]
        order = each.to_numpy() + 1e-9 * rng.random(len(each))
        left_out = each.index[np.argsort(order)[: int(share * len(each))]].astype(int)
        runs[name] = run[~run["user"].isin(left_out)]
        values[name] = mean_of(clean, runs[name], no_list="skip")
    return clean, replace(clean, runs=runs, means=values)


def duplicated_users(board: Board, share: float) -> tuple[Files, Files]:
    """Copy users with ten or more ratings under new names before the split."""
    counts, room = board.ratings["user"].value_counts(), board.extent[0] // 2
    rng = board.rng("duplicated", share)
    chosen = rng.permutation(np.sort(counts.index[counts >= 10]))[: max(1, int(share * len(counts)))]
    copies = board.ratings[board.ratings["user"].isin(chosen)]
    train, test = board.split(pd.concat([board.ratings, copies.assign(user=copies["user"] + room)]), rng)
    is_copy = train["user"] >= room, test["user"] >= room
    return fitted(board, train[~is_copy[0]], test[~is_copy[1]]), fitted(board, train, test)


def validation(board: Board, share: float) -> tuple[Files, Files]:
    """Exchange validation pairs for test pairs; the gain of a choice by them is true of other users, see `chosen_by_test`."""
    whole, test = board.clean.train, board.clean.test
    rng = board.rng("validation", share)
    is_own = rng.random(len(whole)) < 0.1
    own = whole[is_own]
    clean = replace(board.clean, train=whole[~is_own], validation=own)
    taken = test[rng.random(len(test)) < share * min(1, len(own) / len(test))]
    mixed = pd.concat([own[int(share * len(own)) :], taken])
    return clean, replace(clean, validation=mixed, means=dict.fromkeys(clean.means, np.nan))


LATE, BY_USER = "test older than train: late train rows", "test older than train: newest of each user"
VALIDATION = "validation equal to test"

FAULTS: dict[str, tuple[tuple[float, float, float], Callable[[Board, float], tuple[Files, Files]]]] = {
    "pairs in train and test": ((0.005, 0.02, 0.1), shared_pairs),
    "train items in lists": ((0.01, 0.1, 1.0), train_items),
    "items unknown to train": ((0.1, 0.3, 1.0), unknown_items),
    "users unknown to train": ((0.1, 0.3, 1.0), unknown_users),
    "test older than train": ((0.01, 0.1, 1.0), future),
    LATE: ((0.001, 0.01, 0.1), late_rows),
    BY_USER: ((0.0, 0.1, 0.3), by_user),
    "order of equal scores": ((0.03, 0.3, 1.0), tied_order),
    "target first among candidates": ((0.03, 0.3, 1.0), target_first),
    "candidates drawn with repetition": ((0.001, 0.01, 0.1), repeated_candidates),
    "knowledge of the test set": ((0.1, 0.3, 1.0), popularity),
    "test users without a list": ((0.02, 0.1, 0.3), missing_users),
    "duplicated users": ((0.005, 0.02, 0.1), duplicated_users),
    VALIDATION: ((0.01, 0.1, 1.0), validation),
}
"""Detector -> the three strengths of its fault (a share of users, pairs or rows; a weight), and how it is planted.

After a colon, the name says which of several faults of the detector it is.
"""

FURTHER: dict[str, tuple[float, ...]] = {
    "pairs in train and test": (0.02, 0.05, 0.1, 0.2),
    "train items in lists": (0.2, 0.5, 1.0),
    "items unknown to train": (0.3, 0.6, 0.8, 1.0),
    "users unknown to train": (0.3, 0.6, 0.8, 1.0),
    "test older than train": (0.03, 0.1, 0.3),
    BY_USER: (0.3,),
    "order of equal scores": (0.1, 0.3, 0.6, 1.0),
    "target first among candidates": (0.1, 0.3, 0.6, 1.0),
    "candidates drawn with repetition": (0.05, 0.1, 0.2, 0.3),
    "test users without a list": (0.1, 0.3),
    "duplicated users": (0.05, 0.1, 0.15, 0.2),
}
"""Fault -> the strengths in further draws, in which most sizes have an interval or a lower end."""

TRAINED, FITTED = "fitted on test pairs", (0.1, 0.3, 0.6, 1.0)
"""Shares of the test pairs on which models are fitted."""

FITTED_ON = {name: CLEAN[name] for name in ("random split", "items missing", "users missing")}
"""The files whose test pairs models are fitted on."""

CONTROLS = {"items unknown to train": ("random",), "users unknown to train": ("random",)}
"""Detector -> systems that the fault cannot reach: what learns nothing has learned nothing of what train lacks."""
