"""From scores and judgements to judged positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.evaluation import _kernels
from recsens.evaluation._settings import Ties
from recsens.pairs import Names, Rows

T = TypeVar("T", bound=np.generic)

_TIES: dict[Ties, int] = {
    "item": _kernels.BY_NAME,
    "given": _kernels.AS_GIVEN,
    "pessimistic": _kernels.PESSIMISTIC,
    "optimistic": _kernels.OPTIMISTIC,
    "refuse": _kernels.REFUSED,
}


@dataclass(frozen=True)
class Judgements:
    """Ratings of the test set, user by user.

    Attributes
    ----------
    users, items
        Names; users in the order of the file.
    starts
        First row of each user, shape (n_users + 1,).
    item, rating
        Shape (n,).
    """

    users: list[str]
    items: list[str]
    starts: NDArray[np.int64]
    item: NDArray[np.int32]
    rating: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Rows) -> Judgements:
        """Bring rows together by user.

        Raises
        ------
        DataError
            If a pair occurs twice.
        """
        order, starts = _by_user(rows.user)
        first, second = _kernels.first_repeat(order, starts, frozen(rows.item.code), len(rows.item.names))
        if first >= 0:
            raise rows.repeated(int(first), int(second))
        item, rating = (rows.item.code, rows.value) if len(order) == 0 else (rows.item.code[order], rows.value[order])
        return cls(rows.user.names, rows.item.names, starts, item, rating)

    @property
    def n_users(self) -> int:
        """Users with a judged item, relevant or not."""
        return len(self.users)

    @cached_property
    def user(self) -> NDArray[np.int32]:
        """User of each row, shape (n,)."""
        return np.repeat(np.arange(self.n_users, dtype=np.int32), np.diff(self.starts))


@dataclass(frozen=True)
class Positions:
    """Where the judged items stand in a run; rows as in the judgements.

    Attributes
    ----------
    position
        1-based, 0 where an item is not ranked, shape (n,).
    score
        NaN where an item is not ranked, shape (n,).
    listed
        Length of each user's list, shape (n_users,).
    n_strangers
        Users of the run without judgements.
    """

    position: NDArray[np.int64]
    score: NDArray[np.float64]
    listed: NDArray[np.int64]
    n_strangers: int


def positions(run: Rows, judgements: Judgements, ties: Ties, *, in_single_precision: bool) -> Positions:
    """Rank each user's items by falling score and look the judged ones up.

    Raises
    ------
    DataError
        If a pair occurs twice, no user is in both, or items of different worth tie where that is refused.
    """
    order, starts = _by_user(run.user)
    judged_by = _found_in(judgements.users, run.user.names)
    if (judged_by < 0).all():
        raise DataError(
            f"no user of the run is judged: the run has '{run.user.names[0]}', the judgements '{judgements.users[0]}', and so on",
            where=run.place(0),
            remedy="names are text, so '007' is not '7': write both files alike",
        )
    score = run.value.astype(np.float32).astype(np.float64) if in_single_precision else run.value
    n = len(judgements.rating)
    found = Positions(
        position=np.zeros(n, dtype=np.int64),
        score=np.full(n, np.nan),
        listed=np.zeros(judgements.n_users, dtype=np.int64),
        n_strangers=int(np.count_nonzero(judged_by < 0)),
    )
    first, second, refused = _kernels.place(
        *(order, starts, frozen(run.item.code), frozen(score), judged_by),
        *(_found_in(run.item.names, judgements.items), _name_rank(run.item.names)),
        *(judgements.starts, frozen(judgements.item), frozen(judgements.rating), _TIES[ties]),
        *(found.listed, found.position, found.score),
    )
    if first >= 0:
        raise run.repeated(int(first), int(second))
    if refused >= 0:
        raise DataError(
            f"user '{judgements.users[refused]}' has one score for items of different worth, so that their order is chance",
            where=run.place(0).rpartition(":")[0] or None,
            remedy="choose an order with ties: item, given, pessimistic or optimistic",
        )
    return found


def _by_user(user: Names) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return row numbers user by user, none if the rows stand so already, and the first place of each user."""
    code, n_users = user.code, len(user.names)
    # Names are coded in order of appearance: where users stand together, codes never fall.
    if (code[1:] >= code[:-1]).all():
        return np.empty(0, dtype=np.int64), np.searchsorted(code, np.arange(n_users + 1))
    starts = np.concatenate([[0], np.cumsum(np.bincount(code, minlength=n_users))]).astype(np.int64)
    rows = np.empty(len(code), dtype=np.int64)
    _kernels.rows_by_group(code, starts, rows)
    return rows, starts


def _found_in(known: Sequence[str], names: Sequence[str]) -> NDArray[np.int64]:
    """Return where each name stands among known ones, -1 where it does not, shape (len(names),)."""
    code_of = dict(zip(known, range(len(known)), strict=True))
    return np.fromiter(map(code_of.get, names, repeat(-1)), dtype=np.int64, count=len(names))


def _name_rank(names: list[str]) -> NDArray[np.int32]:
    # By code point, which is the order of UTF-8 bytes, too.
    rank = np.empty(len(names), dtype=np.int32)
    rank[sorted(range(len(names)), key=names.__getitem__, reverse=True)] = np.arange(len(names), dtype=np.int32)
    return rank


def frozen(values: NDArray[T]) -> NDArray[T]:
    """Return a view that cannot be written through: kernels are compiled for such arrays alone, whoever they come from."""
    view = values.view()
    view.flags.writeable = False
    return view
