"""Binary preference."""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Ints, Judged, Metric, share


class Bpref(Metric):
    """bpref@n = (1 / |R_u|) Σ_{hits k <= n} (1 - min(n_k, B) / B): fewer judged non-relevant items above relevant ones are better.

    n_k is the number of judged non-relevant items above position k. Unjudged items are skipped; full and condensed rankings
    therefore differ only in the items that a cut-off reaches. The bound B is min(|N_u|, |R_u|), where N_u are the user's judged
    non-relevant items, ranked or not (``min``, trec_eval since version 8); |R_u| (``relevant``, as first published); or |R_u| + 10
    (``relevant10``, which is bpref-10). A hit with n_k = 0 counts as 1, even if N_u = ∅. Range [0, 1]; 0 without relevant items or
    without a list. Without a cut-off, bpref reads the whole ranking, as trec_eval does.
    """

    label = "Bpref"
    is_monotone = True
    source = "Valcarce et al. (2018), eq. 6 (min); Buckley & Voorhees (2004) (relevant, relevant10)"
    compares_judged = True
    takes_cutoff = "optionally"

    bound: Literal["min", "relevant", "relevant10"] = Field(
        "min", description="B: min(|N_u|, |R_u|) (min), |R_u| (relevant) or |R_u| + 10 (relevant10)"
    )

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the preferences that each hit satisfies, and divide by the number of relevant items."""
        bounds = self._bounds(judged)

        def kept(rows: Ints) -> Floats:
            bound = bounds[judged.user[rows]]
            above = judged.judged_above[rows] - judged.relevant_above[rows]
            return 1 - share(np.minimum(above, bound).astype(np.float64), bound)

        return share(judged.sum_hits(kept, cutoffs), judged.n_relevant[:, np.newaxis])

    def _bounds(self, judged: Judged) -> Ints:
        bounds: Ints = judged.n_relevant + (10 if self.bound == "relevant10" else 0)
        if self.bound == "min":
            np.minimum(bounds, judged.n_judged - judged.n_relevant, out=bounds)
        return bounds
