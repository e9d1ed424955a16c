"""Normalised discounted cumulative gain."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.metrics._base import Metric
from recsens.metrics._gains import GAIN_MEANING, Gain, gains
from recsens.metrics._judged import Judged
from recsens.metrics._kernels import ideal_sums


class NDCG(Metric):
    """nDCG@n = DCG@n / IDCG@n with DCG@n = Σ_{k<=n} g(k) / log2(k + 1).

    The ideal ranking holds all of the user's judged items, best gain first, ranked or not by the system; ``ideal=cut`` cuts it at
    n, too, so that a perfect list of n scores 1. Range [0, 1]; 0 where no judged item has a gain.
    """

    label: ClassVar[str] = "nDCG"
    source: ClassVar[str] = "Järvelin & Kekäläinen (2002); Cañamares, Castells & Moffat (2020), section 3.6"

    gain: Gain = Field("binary", description=GAIN_MEANING)
    ideal: Literal["cut", "uncut"] = Field("cut", description="whether the ideal ranking ends at the cut-off")
    discount: Literal["log2"] = Field("log2", description="1 / log2(k + 1) at position k")

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Divide discounted gains by those of the ideal ranking."""
        value = gains(judged, self.gain)
        achieved = judged.sums(value, cutoffs, _log2_discount)
        ideal = _ideal(judged, value, cutoffs if self.ideal == "cut" else (int(judged.n_judged.max(initial=1)),))
        values = np.zeros_like(achieved)
        np.divide(achieved, ideal, out=values, where=ideal > 0)
        return values


def _log2_discount(position: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(1.0 / np.log2(position + 1.0))


def _ideal(judged: Judged, value: NDArray[np.float64], cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
    sums = np.empty((judged.n_users, len(cutoffs)))
    starts = np.searchsorted(judged.user, np.arange(judged.n_users + 1))
    deepest = int(judged.n_judged.max(initial=0))
    ideal_sums(value, starts, _log2_discount(np.arange(1, deepest + 1)), np.asarray(cutoffs), sums)
    return sums
