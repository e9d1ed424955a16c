"""Precision at a level of recall, or at a multiple of the number of relevant items."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.metrics import WHOLE, Judged, Metric, TakesCutoff, at_every, share
from recsens.metrics.variants._kernels import maxima_from_here

TENTHS = tuple(tenth / 10 for tenth in range(11))
"""Levels of recall of a precision-recall curve."""


def _least(multiple: float, n_relevant: NDArray[np.int64]) -> NDArray[np.int64]:
    # Up to version 9, trec_eval rounds up fractions from .1 on; version 10 rounds to the nearest.
    return np.asarray(np.floor(multiple * n_relevant + 0.9), dtype=np.int64)


def _interpolated(judged: Judged, levels: tuple[float, ...]) -> NDArray[np.float64]:
    """Return each user's highest precision at or beyond each level of recall, shape (n_users, n_levels)."""
    hits = judged.order[judged.is_relevant[judged.order]]
    starts = np.searchsorted(judged.user[hits], np.arange(judged.n_users + 1))
    best = (judged.relevant_above[hits] + 1) / judged.position[hits]
    maxima_from_here(best, starts)
    precision = np.zeros((judged.n_users, len(levels)))
    for column, level in enumerate(levels):
        # Recall 0 is reached before the first hit, so all hits count for the best precision.
        nth = np.maximum(_least(level, judged.n_relevant), 1)
        reaches = nth <= np.diff(starts)
        precision[reaches, column] = best[(starts[:-1] + nth - 1)[reaches]]
    return precision


class InterpolatedPrecision(Metric):
    """iP(ρ) = max_{k: |L^k ∩ R_u| >= m} P@k with m = ⌊ρ |R_u| + 0.9⌋: the best precision at recall ρ or beyond.

    Range [0, 1]; 0 if the list does not reach the recall, if there are no relevant items, or if there is no list.
    """

    label: ClassVar[str] = "InterpolatedP"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "trec_eval's iprec_at_recall, to version 9"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    recall: float = Field(0.5, ge=0, le=1, description="share of the relevant items that must be reached")

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Find the best precision at or below the hit that reaches the recall."""
        return at_every(cutoffs, _interpolated(judged, (self.recall,))[:, 0])


class ElevenPoints(Metric):
    """ElevenP = (1 / 11) Σ_{ρ = 0, .1, ..., 1} iP(ρ), interpolated precision averaged over eleven levels of recall.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label: ClassVar[str] = "ElevenP"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "trec_eval's 11pt_avg, to version 9"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Average the interpolated precision over the levels of recall."""
        return at_every(cutoffs, _interpolated(judged, TENTHS).mean(axis=1))


class PrecisionAtMultiple(Metric):
    """RprecMult(x) = |L^m ∩ R_u| / m with m = ⌊x |R_u| + 0.9⌋: precision at a multiple of the number of relevant items.

    ``x=1`` is Rprec. The divisor is m even if the list is shorter. Range [0, 1]; 0 without relevant items or without a list.
    """

    label: ClassVar[str] = "RprecMult"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "trec_eval's Rprec_mult"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    x: float = Field(1.0, gt=0, description="the multiple of the number of relevant items")

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Count relevant items down to each user's depth."""
        depth = _least(self.x, judged.n_relevant)
        reaches = depth[judged.user]
        hits = judged.sum_hits(lambda rows: (judged.position[rows] <= reaches[rows]).astype(np.float64), (WHOLE,) * len(cutoffs))
        return share(hits, depth[:, np.newaxis])
