"""Judged ranks used as scores: numbers that rank a user's targets and put every judged item at its place in the file."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Bools, Floats, Ints, places_in_groups
from recsens.data.interactions import Interactions
from recsens.errors import DataError
from recsens.files import Names, found_in
from recsens.recommenders import Arrays, Matching
from recsens.recommenders._score_file_match import names_of, refuse_strangers
from recsens.score_files import JudgedRanks

_STARTS, _ITEMS, _ABOVE, _EQUAL, _PLACES, _CANDIDATES = (
    f"places_{name}" for name in ("starts", "items", "above", "equal", "places", "candidates")
)


def has_places(learned: Arrays) -> bool:
    """Whether the arrays of a model contain judged ranks."""
    return _CANDIDATES in learned


def read_places(ranks: JudgedRanks, train: Interactions, path: Path) -> dict[str, NDArray[Any]]:
    """Return judged ranks, with users and items numbered as in the train set, and how well the file matches the train set.

    Raises DataError if the file names no user or no item of the train set.
    """
    user_ids, item_ids = names_of(train, path)
    user_of, item_of = found_in(map(str, user_ids), ranks.users), found_in(map(str, item_ids), ranks.items)
    refuse_strangers(path, {"user": (user_ids, ranks.users, user_of), "item": (item_ids, ranks.items, item_of)})
    user, item = user_of[ranks.user], item_of[ranks.item]
    known = np.flatnonzero((user >= 0) & (item >= 0))
    known = known[np.lexsort((item[known], user[known]))]
    candidates = ranks.candidates_of(found_in(ranks.users, map(str, user_ids)))
    matching = Matching.of(Names(list(ranks.users), ranks.user), Names(list(ranks.items), ranks.item), user_of, item_of, train)
    return {
        _STARTS: np.searchsorted(user[known], np.arange(train.n_users + 1)),
        _ITEMS: item[known].astype(np.int32),
        _ABOVE: ranks.above[known],
        _EQUAL: ranks.equal[known],
        _PLACES: (ranks.above + places_in_groups(ranks.group))[known],
        _CANDIDATES: candidates,
        **replace(matching, has_row=candidates > 0).arrays,
    }


def placed(learned: Arrays, train: Interactions, users: Ints, targets: Bools, source: str) -> Floats:
    """Return numbers that rank the targets of some users and put each judged item at its place in the file.

    As many targets are ranked as the file has candidates for the user. The file does not name candidates that are not judged; their
    places are filled with the user's other targets, in ascending order of index. The number of a target with n candidates above it
    is -n; targets with equal scores have equal numbers. NaN means that a target is not ranked.

    Raises DataError if a user has more candidates in the file than targets.

    Parameters
    ----------
    learned
        The result of `read_places`.
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
            remedy="leave out all other candidates, or make sure that the train set names every item",
        )
    for row, user in enumerate(users.tolist()):
        own = slice(learned[_STARTS][user], learned[_STARTS][user + 1])
        items, above, equal, places = (learned[name][own] for name in (_ITEMS, _ABOVE, _EQUAL, _PLACES))
        by_place = -np.arange(n_candidates[row], dtype=np.float64)
        for first, equals in {*zip(above.tolist(), equal.tolist(), strict=True)}:
            by_place[first : first + equals + 1] = -first
        is_named = targets[row, items]
        numbers[row, items[is_named]] = -above[is_named]
        left = np.delete(by_place, places[is_named])
        others = np.flatnonzero(targets[row] & np.isnan(numbers[row]))
        numbers[row, others[: len(left)]] = left
    return numbers + 0.0  # no -0


def _name(train: Interactions, user: int) -> str:
    return str(user if train.user_ids is None else train.user_ids[user])
