"""Spearman's rank correlation."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.metrics._base import Ignorable, Metric, TakesCutoff
from recsens.metrics._judged import Judged
from recsens.metrics._kernels import rank_correlations
from recsens.metrics._preferences import (
    TIES_MEANING,
    UNDEFINED_MEANING,
    Ties,
    Undefined,
    every_cutoff,
    levels,
    worth_of,
)


class Spearman(Metric):
    """ρ = the correlation of the ranks of a user's ranked test items in the ranking and by rating; ties share their mean rank.

    The same under both views; relevance plays no part. Range [-1, 1]. A user without two different ratings, or without a list,
    scores 0 (``undefined=neutral``) or is not averaged (``skip``).
    """

    label: ClassVar[str] = "Spearman"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "Spearman (1904); Kendall (1945) for ties"
    compares_judged: ClassVar[bool] = True
    values_range: ClassVar[str] = "[-1, 1]"
    takes_cutoff: ClassVar[TakesCutoff] = "never"
    ignores: ClassVar[frozenset[Ignorable]] = frozenset({"relevance", "view"})

    ties: Ties = Field("broken", description=TIES_MEANING)
    undefined: Undefined = Field("neutral", description=UNDEFINED_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Correlate mid-ranks."""
        correlations = np.empty(judged.n_users)
        rank_correlations(worth_of(judged), levels(judged, self.ties), judged.order_starts, correlations)
        return every_cutoff(correlations, cutoffs, self.undefined, 0)
