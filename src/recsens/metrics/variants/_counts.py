"""Counts of items shown, relevant or missed: sizes, not measures of quality."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.metrics import WHOLE, Judged, Metric, TakesCutoff, at_every


class _Count(Metric):
    """An integer for each user."""

    takes_cutoff: ClassVar[TakesCutoff] = "never"
    is_descriptive: ClassVar[bool] = True
    is_monotone: ClassVar[bool] = True
    values_range: ClassVar[str] = "[0, ∞)"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Repeat the count for every cut-off."""
        return at_every(cutoffs, self.count(judged).astype(np.float64))

    @abstractmethod
    def count(self, judged: Judged) -> NDArray[np.int64] | NDArray[np.float64]:
        """Return each user's count, shape (n_users,)."""


class Counted(_Count):
    """Counted = 1 for every user, so the sum is the number of users."""

    label: ClassVar[str] = "Counted"
    source: ClassVar[str] = "trec_eval's num_q"

    def count(self, judged: Judged) -> NDArray[np.int64]:
        """Count the user as 1."""
        return np.ones(judged.n_users, dtype=np.int64)


class Shown(_Count):
    """Shown = |L|, the number of items in the list."""

    label: ClassVar[str] = "Shown"
    source: ClassVar[str] = "trec_eval's num_ret"

    def count(self, judged: Judged) -> NDArray[np.int64]:
        """Count the listed items."""
        return judged.listed


class RelevantItems(_Count):
    """RelevantItems = |R_u|, listed or not."""

    label: ClassVar[str] = "RelevantItems"
    source: ClassVar[str] = "trec_eval's num_rel"

    def count(self, judged: Judged) -> NDArray[np.int64]:
        """Count the relevant items."""
        return judged.n_relevant


class RelevantShown(_Count):
    """RelevantShown = |L ∩ R_u|."""

    label: ClassVar[str] = "RelevantShown"
    source: ClassVar[str] = "trec_eval's num_rel_ret"

    def count(self, judged: Judged) -> NDArray[np.float64]:
        """Count hits."""
        return _hits(judged)


class MissesShown(_Count):
    """MissesShown = |L ∩ N_u|, where N_u are the judged items, rated 0 or above, that are not relevant."""

    label: ClassVar[str] = "MissesShown"
    source: ClassVar[str] = "trec_eval's num_nonrel_judged_ret"

    def count(self, judged: Judged) -> NDArray[np.float64]:
        """Count the judged items in the list that are not hits. A rating below 0 means that the item is not judged."""
        is_miss = ~judged.is_relevant & (judged.rating >= 0)
        return judged.sums(is_miss.astype(np.float64), (WHOLE,))[:, 0]


class Utility(_Count):
    """Utility = |L ∩ R_u| - |L minus R_u|: a hit is worth 1, any other listed item costs 1. Range (-∞, ∞)."""

    label: ClassVar[str] = "Utility"
    source: ClassVar[str] = "trec_eval's utility, with its parameters 1, -1, 0, 0"
    is_descriptive: ClassVar[bool] = False
    values_range: ClassVar[str] = "(-∞, ∞)"

    def count(self, judged: Judged) -> NDArray[np.float64]:
        """Subtract misses from hits."""
        return 2 * _hits(judged) - judged.listed


def _hits(judged: Judged) -> NDArray[np.float64]:
    return judged.hits((WHOLE,))[:, 0]
