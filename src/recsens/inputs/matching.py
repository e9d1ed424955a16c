"""Users and items that a run and its judgements share, and users and items that only one of them contains."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.files.spellings import examples, spelling_difference, usual_spelling_difference

LEAST_MATCHED = 0.8
"""Default for the smallest share of the users of the run, or of the judgements, who must be in both."""


@dataclass(frozen=True)
class Matched:
    """The users and items that a run and its judgements have in common.

    Attributes
    ----------
    items, judged_items
        Names of the items of the run, and of the judgements.
    n_users, n_judged_users
        Number of users of the run, and of the judgements.
    n_judged_pairs
        Number of judged pairs of user and item.
    n_shared_items, n_shared_pairs
        Number of items in both, and of judged pairs that the run ranks.
    strangers, unlisted
        Users of the run without judgements, and users of the judgements without a list.
    """

    items: Sequence[str]
    judged_items: Sequence[str]
    n_users: int
    n_judged_users: int
    n_judged_pairs: int
    n_shared_items: int
    n_shared_pairs: int
    strangers: tuple[str, ...]
    unlisted: tuple[str, ...]

    @property
    def n_foreign_items(self) -> int:
        """Number of items of the run that are not judged for any user."""
        return len(self.items) - self.n_shared_items

    @property
    def n_unlisted_items(self) -> int:
        """Number of judged items that are in no list."""
        return len(self.judged_items) - self.n_shared_items

    @property
    def n_unlisted_pairs(self) -> int:
        """Number of judged pairs that the run does not rank."""
        return self.n_judged_pairs - self.n_shared_pairs

    @property
    def n_shared_users(self) -> int:
        """Number of users in both the run and the judgements."""
        return self.n_users - len(self.strangers)

    @property
    def counts(self) -> dict[str, int]:
        """Every count, by its name in output."""
        return {
            "n_run_users": self.n_users,
            "n_run_users_not_judged": len(self.strangers),
            "n_run_items": len(self.items),
            "n_run_items_not_judged": self.n_foreign_items,
            "n_judged_users": self.n_judged_users,
            "n_judged_users_without_list": len(self.unlisted),
            "n_judged_items": len(self.judged_items),
            "n_judged_items_not_ranked": self.n_unlisted_items,
            "n_judged_pairs": self.n_judged_pairs,
            "n_judged_pairs_not_ranked": self.n_unlisted_pairs,
        }

    @property
    def in_words(self) -> str:
        """Say how many items only the run or only the judgements have, and how many judged pairs are not ranked; empty if none."""
        told = (
            (self.n_foreign_items, len(self.items), "items of the run are not judged for any user"),
            (self.n_unlisted_items, len(self.judged_items), "judged items are in no list"),
            (self.n_unlisted_pairs, self.n_judged_pairs, "judged pairs are not ranked"),
        )
        return "; ".join(f"{n:,} of {total:,} {what}" for n, total, what in told if n)

    @cached_property
    def foreign_items(self) -> list[str]:
        """Items of the run that are not judged for any user."""
        known = set(self.judged_items)
        return [name for name in self.items if name not in known]

    @cached_property
    def unlisted_items(self) -> list[str]:
        """Judged items that are in no list."""
        known = set(self.items)
        return [name for name in self.judged_items if name not in known]

    @cached_property
    def spelling_of_items(self) -> str:
        """Name the spelling difference that explains most of the missing items; empty if no difference does."""
        return usual_spelling_difference(self.foreign_items, self.unlisted_items)

    @property
    def warning(self) -> str:
        """Say why the values may be misleading; empty if there is no reason to suspect it."""
        only = f"only the run has {examples(self.foreign_items)}, only the judgements have {examples(self.unlisted_items)}"
        if self.spelling_of_items:
            return (
                f"items seem to be spelt in two ways: {self.n_foreign_items:,} of {len(self.items):,} items of the run are not "
                f"judged for any user, and {self.n_unlisted_items:,} of {len(self.judged_items):,} judged items are in no list; "
                f"{only}; {self.spelling_of_items}"
            )
        if self.n_shared_items == 0:
            return f"no item of the run is judged, so metrics of hits, such as nDCG, are 0; {only}"
        return ""

    def check(self, least: float, *, where: str) -> None:
        """Refuse a run that hardly matches its judgements.

        Raises DataError if the share of users in both files is below ``least`` for each of the two files. Unless ``least`` is 0, it
        is also raised if no item is in both because most items are spelt differently.
        """
        # Compare with the smaller file, because one file may rightly have fewer users than the other.
        if self.n_shared_users < least * min(self.n_users, self.n_judged_users):
            raise DataError(
                f"the run and the judgements hardly match: the run has {self.n_users:,} users and the judgements "
                f"{self.n_judged_users:,}, but only {self.n_shared_users:,} are in both",
                where=where,
                allowed=f"{100 * least:g} % of the users of the run, or of the judgements, in the other file",
                remedy=_spelling_advice(
                    *("users", self.strangers, self.unlisted, spelling_difference(self.strangers, self.unlisted)),
                    f"set --least-matched, least_matched=... below {least:g}",
                ),
            )
        # Short lists from a large catalogue may rightly contain no judged item.
        if least > 0 and self.n_shared_items == 0 and self.spelling_of_items:
            raise DataError(
                f"no item of the run is judged for any user: the run has {len(self.items):,} items and the judgements "
                f"{len(self.judged_items):,}, but none are in both",
                where=where,
                remedy=_spelling_advice(
                    *("items", self.items, self.judged_items, self.spelling_of_items), "set --least-matched 0, least_matched=0"
                ),
            )


SCORES_RISE = "its scores rise from row to row: if they are ranks, order by rank or write 1/rank, because higher scores come first"
"""What to say of a run whose scores may be ranks."""


def scores_rise(user: NDArray[np.int32], score: NDArray[np.float64]) -> bool:
    """Whether the scores of every user rise from row to row, as ranks would."""
    steps = np.diff(score)[np.diff(user) == 0]
    return bool(len(steps)) and bool((steps > 0).all())


def _spelling_advice(what: str, ours: Sequence[str], theirs: Sequence[str], why: str, otherwise: str) -> str:
    return (
        f"write {what} the same way in both files: only the run has {examples(ours)}, only the judgements have {examples(theirs)}"
        f"{f'; {why}' if why else ''}; to measure the run anyway, {otherwise}"
    )
