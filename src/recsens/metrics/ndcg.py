"""Normalised discounted cumulative gain."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.metrics._base import Metric
from recsens.metrics._gains import Gain, gains
from recsens.metrics._judged import Judged, sums_at


class NDCG(Metric):
    """nDCG@n = DCG@n / IDCG@n with DCG@n = Σ_{k<=n} g(k) / log2(k + 1).

    The ideal ranking holds all of the user's judged items, best gain first, ranked or not by the system; ``ideal=cut`` cuts it at
    n, too, so that a perfect list of n scores 1. Range [0, 1]; 0 where no judged item has a gain.
    """

    label: ClassVar[str] = "nDCG"
    source: ClassVar[str] = "Järvelin & Kekäläinen (2002); Cañamares, Castells & Moffat (2020), section 3.6"

    gain: Gain = Field("binary", description="what a rating is worth")
    ideal: Literal["cut", "uncut"] = Field("cut", description="whether the ideal ranking ends at the cut-off")
    discount: Literal["log2"] = Field("log2", description="1 / log2(k + 1) at position k")

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Divide discounted gains by those of the ideal ranking."""
        value = gains(judged, self.gain)
        achieved = judged.sums(value * _log2_discount(judged.position), cutoffs)
        ideal = _ideal(judged, value, cutoffs if self.ideal == "cut" else (int(judged.n_judged.max(initial=1)),))
        values = np.zeros_like(achieved)
        np.divide(achieved, ideal, out=values, where=ideal > 0)
        return values


def _log2_discount(position: NDArray[np.int64]) -> NDArray[np.float64]:
    # An unranked row has position 0; it is never summed, but must not divide by log2(1) = 0.
    return 1.0 / np.log2(np.maximum(position, 1) + 1.0)


def _ideal(judged: Judged, value: NDArray[np.float64], cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
    order = np.lexsort((-value, judged.user))
    user = judged.user[order]
    starts = np.searchsorted(user, np.arange(judged.n_users))
    rank = np.arange(1, len(user) + 1) - starts[user]
    return sums_at(user, rank, value[order] * _log2_discount(rank), judged.n_users, cutoffs)
