"""Gini index of the recommended items."""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Ints, Judged, ListMetric, Lists


class Gini(ListMetric):
    """G@n = Σ_j (2j - |I| - 1) p_(j) / (|I| - 1), where p_(1) <= ... <= p_(|I|) are the items' shares of all lists, cut at n.

    All items of the filtered data set count, even if they are never recommended. ``form=population`` divides by |I| and stays below
    1; the default reaches 1 if a single item is recommended to all users. Some libraries and papers use the same name for 1 - G,
    which is higher if recommendations are more even. There is one value for all users. Range [0, 1]; 0 if all items are recommended
    equally often, or if no item is recommended.
    """

    label = "Gini"
    source = "Shani & Gunawardana (2011); as RankSys computes it, which reports 1 - G"
    unit = "pooled"
    higher_is_better = False
    ignores = frozenset({"relevance"})

    form: Literal["sample", "population"] = Field(
        "sample", description="divide by the number of items minus one (sample), or by their number (population)"
    )

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the items' shares by their rank."""
        return np.array([[self._gini(lists.counts(n)) for n in cutoffs]])

    def _gini(self, counts: Ints) -> float:
        n, total = len(counts), counts.sum()
        divisor = n - 1 if self.form == "sample" else n
        if total == 0 or divisor == 0:
            return 0.0
        # Compute in integers until the division; the value then does not depend on the order of the sum.
        return float(((2 * np.arange(1, n + 1) - n - 1) * np.sort(counts)).sum() / (divisor * total))
