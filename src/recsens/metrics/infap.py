"""Inferred average precision."""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Ints, Judged, Metric, share


class InfAP(Metric):
    """infAP@n = (1 / |R_u|) Σ_{hits k <= n} E[P@k] with E[P@k] = 1/k + ((k-1)/k) c (r + ε) / (r + q + 2ε).

    Of the k - 1 items above a hit, r are judged relevant and q are judged non-relevant. The precision among these r + q items is
    the estimate for unjudged items; c is the share of the k - 1 items that may be relevant. With ``pool=all``, every unjudged item
    may be relevant, so c = 1. With ``pool=judged``, an unjudged item may be relevant only if the judgements list it without judging
    it (in trec_eval, by a judgement below 0). There are m such items above the hit, so c = (r + q + m) / (k - 1). If every
    judgement is a rating, m = 0, and infAP equals AP except for ε = 10^-5. With ``pool=all``, a single hit far down, with nothing
    judged above it, counts as about 1/2. Range [0, 1]; 0 without relevant items or without a list. Without a cut-off, infAP reads
    the whole ranking, as trec_eval does.
    """

    label = "infAP"
    source = "Valcarce et al. (2018), eq. 7 and 8 (all); Yilmaz & Aslam (2006), as in trec_eval (judged)"
    takes_cutoff = "optionally"

    pool: Literal["all", "judged"] = Field(
        "all",
        description="which unjudged items may be relevant: all, or those that the judgements list without judging them (judged)",
    )

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the expected precision at each hit and divide by the number of relevant items."""
        unjudged = judged.unjudged_above

        def expected(rows: Ints) -> Floats:
            relevant, above, position = judged.relevant_above[rows], judged.judged_above[rows], judged.position[rows]
            pooled = position - 1 if self.pool == "all" else above + (0 if unjudged is None else unjudged[rows])
            return np.asarray((1 + pooled * (relevant + _EPSILON) / (above + 2 * _EPSILON)) / position)

        return share(judged.sum_hits(expected, cutoffs), judged.n_relevant[:, np.newaxis])


_EPSILON = 1e-5
"""ε, which avoids 0 / 0 if no item above a hit is judged; trec_eval has the same value."""
