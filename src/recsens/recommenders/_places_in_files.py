"""Judged ranks used as scores: numbers that rank a user's targets with every judged item at its place in the file."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Bools, Floats, Ints
from recsens.data.interactions import Interactions
from recsens.errors import DataError
from recsens.recommenders import Arrays, Matching
from recsens.recommenders._score_file_match import Counts
from recsens.recommenders._score_file_names import names_of, refuse_strangers
from recsens.score_files import JudgedRanks

_STARTS, _ITEMS, _ABOVE, _EQUAL, _CANDIDATES = (f"places_{name}" for name in ("starts", "items", "above", "equal", "candidates"))

_KEPT = 100
"""Number of unknown names that a model keeps."""


def are_places(learned: Arrays) -> bool:
    """Whether the arrays of a model are judged ranks."""
    return _CANDIDATES in learned


def places_learnt(ranks: JudgedRanks, train: Interactions, path: Path) -> dict[str, NDArray[Any]]:
    """Return judged ranks in a train set's numbering, and how well the file matches the train set.

    Raises DataError if the file names no user or no item of the train set.
    """
    user_ids, item_ids = names_of(train, path)
    of_users, of_items = (_codes(ids, names) for ids, names in ((user_ids, ranks.users), (item_ids, ranks.items)))
    refuse_strangers(path, {"user": (user_ids, ranks.users, of_users), "item": (item_ids, ranks.items, of_items)})
    user, item = of_users[ranks.user], of_items[ranks.item]
    known = np.flatnonzero((user >= 0) & (item >= 0))
    known = known[np.lexsort((item[known], user[known]))]
    candidates = np.zeros(train.n_users, dtype=np.int64)
    candidates[of_users[of_users >= 0]] = ranks.candidates[of_users >= 0]
    counts = Counts(
        file_users=len(ranks.users),
        unknown_users=int((of_users < 0).sum()),
        file_items=len(ranks.items),
        unknown_items=int((of_items < 0).sum()),
        file_scores=len(user),
        unknown_scores=len(user) - len(known),
        items=train.n_items,
        items_without=train.n_items - len(np.unique(item[known])),
    )
    strangers = tuple(ranks.users[code] for code in np.flatnonzero(of_users < 0)[:_KEPT].tolist())
    return {
        _STARTS: np.searchsorted(user[known], np.arange(train.n_users + 1)),
        _ITEMS: item[known].astype(np.int32),
        _ABOVE: ranks.above[known],
        _EQUAL: ranks.equal[known],
        _CANDIDATES: candidates,
        **Matching(counts, candidates > 0, strangers).arrays,
    }


def placed(learned: Arrays, train: Interactions, users: Ints, targets: Bools, source: str) -> Floats:
    """Return numbers that rank the targets of some users, with each judged item at its place in the file.

    As many targets are ranked as the file has candidates for the user. The file does not name the candidates that are not judged,
    so other targets take their places, in ascending order of index. An item with n candidates above it has the number -n, and so do
    items with the same score. NaN means that a target is not ranked.

    Raises DataError if a user has more candidates in the file than targets.

    Parameters
    ----------
    learned
        The result of `places_learnt`.
    train
        The train set.
    users
        Users to rank.
    targets
        The targets of each of these users, shape (len(users), n_items).
    source
        The file, for messages.
    """
    numbers = np.full(targets.shape, np.nan)
    n_candidates, n_targets = learned[_CANDIDATES][users], targets.sum(axis=1)
    beyond = np.flatnonzero(n_candidates > n_targets)
    if len(beyond):
        row = beyond[0]
        raise DataError(
            f"user '{_name(train, users[row])}' has {n_candidates[row]:,} candidates, but only {n_targets[row]:,} targets",
            where=source,
            allowed="candidates that are items of the data set and not in the user's train or validation set",
            remedy="rank without these, or name all items in the train set",
        )
    for row, user in enumerate(users.tolist()):
        own = slice(learned[_STARTS][user], learned[_STARTS][user + 1])
        items, above, equal = (learned[name][own] for name in (_ITEMS, _ABOVE, _EQUAL))
        numbers[row] = _of_user(items, above, equal, int(n_candidates[row]), targets[row])
    return numbers


def _of_user(items: Ints, above: Ints, equal: Ints, n_candidates: int, is_target: Bools) -> Floats:
    places = -np.arange(n_candidates, dtype=np.float64)
    for first, others in {*zip(above.tolist(), equal.tolist(), strict=True)}:
        places[first : first + others + 1] = -first
    numbers = np.full(len(is_target), np.nan)
    is_named = is_target[items]
    numbers[items[is_named]] = -above[is_named]
    # Each named item takes one of the places of its group.
    taken = np.sort(above[is_named])
    taken = taken + np.arange(len(taken)) - np.searchsorted(taken, taken)
    left = np.delete(places, taken)
    others = np.flatnonzero(is_target & np.isnan(numbers))
    numbers[others[: len(left)]] = left
    return numbers + 0.0  # no -0


def _codes(ids: NDArray[np.object_], names: Any) -> Ints:
    code_of = {str(name): code for code, name in enumerate(ids)}
    return np.array([code_of.get(name, -1) for name in names], dtype=np.int64)


def _name(train: Interactions, user: int) -> str:
    return str(user if train.user_ids is None else train.user_ids[user])
