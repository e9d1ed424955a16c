"""Gini index of what is recommended."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.metrics._base import Ignorable, Unit
from recsens.metrics._judged import Judged
from recsens.metrics._list_metric import ListMetric
from recsens.metrics._lists import Lists


class Gini(ListMetric):
    """G@n = Σ_j (2j - |I| - 1) p_(j) / (|I| - 1), where p_(1) <= ... <= p_(|I|) are the shares of the items in all lists of n.

    All items of the data set as filtered count, those nobody is recommended too. ``form=population`` divides by |I| and stays below
    1, the default reaches it where one item is all that is recommended. Libraries and papers that print 1 - G, for which more is
    more even, call it by the same name. One value for all users. Range [0, 1], 0 where all items are recommended alike, as with
    nothing recommended.
    """

    label: ClassVar[str] = "Gini"
    source: ClassVar[str] = "Shani & Gunawardana (2011); as RankSys computes it, which reports 1 - G"
    unit: ClassVar[Unit] = "pooled"
    higher_is_better: ClassVar[bool] = False
    ignores: ClassVar[frozenset[Ignorable]] = frozenset({"relevance"})

    form: Literal["sample", "population"] = Field("sample", description="divide by the number of items less one (sample), or by it")

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Sum shares by rank."""
        return np.array([[self._gini(lists.counts(n)) for n in cutoffs]])

    def _gini(self, counts: NDArray[np.int64]) -> float:
        n, total = len(counts), counts.sum()
        divisor = n - 1 if self.form == "sample" else n
        if total == 0 or divisor == 0:
            return 0.0
        # Whole numbers until the end: the value does not depend on the order of a sum.
        return float(((2 * np.arange(1, n + 1) - n - 1) * np.sort(counts)).sum() / (divisor * total))
