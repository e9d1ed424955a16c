"""How much of a run the judgements know, and how much of the judgements the run."""

from collections.abc import Sequence
from dataclasses import dataclass

from recsens.errors import DataError
from recsens.files.spellings import difference, examples

LEAST_MATCHED = 0.8
"""Share of users that a run and judgements must share by default, of those of either."""


@dataclass(frozen=True)
class Matched:
    """What a run and judgements have in common.

    Attributes
    ----------
    items, judged_items
        Names of the items of the run, and of the judgements.
    n_users, n_judged_users
        Users of the run, and of the judgements.
    n_judged_pairs
        Judged pairs of user and item.
    n_shared_items, n_shared_pairs
        Items of both, and judged pairs that the run ranks.
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
        """Items of the run that are judged for no user."""
        return len(self.items) - self.n_shared_items

    @property
    def n_unlisted_items(self) -> int:
        """Items of the judgements that are in no list."""
        return len(self.judged_items) - self.n_shared_items

    @property
    def n_unlisted_pairs(self) -> int:
        """Judged pairs that the run does not rank."""
        return self.n_judged_pairs - self.n_shared_pairs

    @property
    def n_shared_users(self) -> int:
        """Users of both."""
        return self.n_users - len(self.strangers)

    @property
    def counts(self) -> dict[str, int]:
        """Every count, by what it counts."""
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
        """Say which items and judged pairs either side lacks; empty if neither lacks any."""
        told = (
            (self.n_foreign_items, len(self.items), "items of the run are judged for no user"),
            (self.n_unlisted_items, len(self.judged_items), "judged items are in no list"),
            (self.n_unlisted_pairs, self.n_judged_pairs, "judged pairs are not ranked"),
        )
        return "; ".join(f"{n:,} of {total:,} {what}" for n, total, what in told if n)

    def check(self, least: float, *, where: str) -> None:
        """Refuse a run that hardly matches.

        Raises
        ------
        DataError
            If users of both files are a smaller share than ``least`` of the users of each, or if no item is in both and ``least``
            is not 0.
        """
        # One file may cover fewer users than the other; names that are spelt differently are missing from both.
        if self.n_shared_users < least * min(self.n_users, self.n_judged_users):
            raise DataError(
                f"the run and the judgements hardly match: of {self.n_users:,} users of the run and {self.n_judged_users:,} of the "
                f"judgements, both have {self.n_shared_users:,}",
                where=where,
                allowed=f"{100 * least:g} % of the users of the run, or of the judgements, in the other file",
                remedy=_advice(
                    "users", self.strangers, self.unlisted, f"say less than {least:g}: --least-matched, least_matched=..."
                ),
            )
        if least > 0 and self.n_shared_items == 0:
            raise DataError(
                f"no item of the run is judged for any user: of {len(self.items):,} items of the run and "
                f"{len(self.judged_items):,} of the judgements, they share none",
                where=where,
                remedy=_advice("items", self.items, self.judged_items, "--least-matched 0, least_matched=0"),
            )


def _advice(what: str, ours: Sequence[str], theirs: Sequence[str], otherwise: str) -> str:
    why = difference(ours, theirs)
    return (
        f"write {what} alike in both files: only the run has {examples(ours)}, only the judgements have {examples(theirs)}"
        f"{f'; {why}' if why else ''}; to measure the run all the same, {otherwise}"
    )
