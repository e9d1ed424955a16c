"""Metrics for incomplete judgements, and how much of a ranking is judged.

Bpref: Binary preference.
infAP: Inferred average precision.
Unrated: Share of unrated items at the top.
JudgedDepth: Depth of the first judged items in the full ranking.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Ints, Judged, Metric, share

Denominator = Literal["relevant", "retrieved"]

_DENOMINATOR_MEANING = "|R_u| (relevant), or the hits among the first n (retrieved)"


class Bpref(Metric):
    """bpref@n = (1 / |R_u|) Σ_{hits k <= n} (1 - min(n_k, B) / B): fewer judged non-relevant items above relevant ones are better.

    n_k is the number of judged non-relevant items above position k. Unjudged items are skipped; full and condensed rankings
    therefore differ only in the items that a cut-off reaches. The bound B is min(|N_u|, |R_u|), where N_u are the user's judged
    non-relevant items, ranked or not (``min``, trec_eval since version 8); |R_u| (``relevant``, as first published); or |R_u| + 10
    (``relevant10``, which is bpref-10). A hit with n_k = 0 counts as 1, even if N_u = ∅. With ``denominator=retrieved``, the number
    of hits among the first n replaces |R_u| in 1 / |R_u| (the bound keeps it), so an additional hit may lower the value. Range [0,
    1]; 0 without relevant items or without a list. Without a cut-off, bpref reads the whole ranking, as trec_eval does.
    """

    label = "Bpref"
    is_monotone = True
    source = (
        "Valcarce et al. (2018), eq. 6 (min); Buckley & Voorhees (2004) (relevant, relevant10); Aftab & Ramampiaro (2022), eq. 5 "
        "(denominator=retrieved)"
    )
    compares_judged = True
    takes_cutoff = "optionally"

    bound: Literal["min", "relevant", "relevant10"] = Field(
        "min", description="B: min(|N_u|, |R_u|) (min), |R_u| (relevant) or |R_u| + 10 (relevant10)"
    )
    denominator: Denominator = Field("relevant", description=_DENOMINATOR_MEANING)

    @property
    def has_range_by_ties(self) -> bool:
        """Whether the metric has a range by ties: false if an additional hit may lower the value."""
        return self.denominator == "relevant"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the preferences that each hit satisfies, and divide by the number of relevant items."""
        bounds = judged.n_relevant + (10 if self.bound == "relevant10" else 0)
        if self.bound == "min":
            bounds = np.minimum(bounds, judged.n_judged - judged.n_relevant)

        def kept(rows: Ints) -> Floats:
            bound = bounds[judged.user[rows]]
            above = judged.judged_above[rows] - judged.relevant_above[rows]
            return 1 - share(np.minimum(above, bound), bound)

        return share(judged.sum_hits(kept, cutoffs), _divisor(self.denominator, judged, cutoffs))


class InfAP(Metric):
    """infAP@n = (1 / |R_u|) Σ_{hits k <= n} E[P@k] with E[P@k] = 1/k + ((k-1)/k) c (r + ε) / (r + q + 2ε).

    Of the k - 1 items above a hit, r are judged relevant and q are judged non-relevant. The precision among these r + q items is
    the estimate for unjudged items; c is the share of the k - 1 items that may be relevant. With ``pool=all``, every unjudged item
    may be relevant, so c = 1. With ``pool=judged``, an unjudged item may be relevant only if the judgements list it without judging
    it (in trec_eval, by a judgement below 0). There are m such items above the hit, so c = (r + q + m) / (k - 1). If every
    judgement is a rating, m = 0, and infAP equals AP except for ε = 10^-5. With ``pool=all``, a single hit far down, with nothing
    judged above it, counts as about 1/2. With ``denominator=retrieved``, the number of hits among the first n replaces |R_u|. Range
    [0, 1]; 0 without relevant items or without a list. Without a cut-off, infAP reads the whole ranking, as trec_eval does.
    """

    label = "infAP"
    source = (
        "Valcarce et al. (2018), eq. 7 and 8 (all); Yilmaz & Aslam (2006), as in trec_eval (judged); Aftab & Ramampiaro (2022), "
        "eq. 6 (denominator=retrieved)"
    )
    takes_cutoff = "optionally"

    pool: Literal["all", "judged"] = Field(
        "all",
        description="which unjudged items may be relevant: all, or those that the judgements list without judging them (judged)",
    )
    denominator: Denominator = Field("relevant", description=_DENOMINATOR_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the expected precision at each hit and divide by the number of relevant items."""
        unjudged = judged.unjudged_above

        def expected(rows: Ints) -> Floats:
            relevant, above, position = judged.relevant_above[rows], judged.judged_above[rows], judged.position[rows]
            pooled = position - 1 if self.pool == "all" else above + (0 if unjudged is None else unjudged[rows])
            return np.asarray((1 + pooled * (relevant + _EPSILON) / (above + 2 * _EPSILON)) / position)

        return share(judged.sum_hits(expected, cutoffs), _divisor(self.denominator, judged, cutoffs))


def _divisor(denominator: Denominator, judged: Judged, cutoffs: tuple[int, ...]) -> Floats | Ints:
    """Return what divides a sum over hits, shape (n_users, 1) or (n_users, n_cutoffs)."""
    return judged.n_relevant[:, np.newaxis] if denominator == "relevant" else judged.hits(cutoffs)


_EPSILON = 1e-5
"""ε, which avoids 0 / 0 if no item above a hit is judged; trec_eval has the same value."""


class Unrated(Metric):
    """Unrated@n = 1 - |judged items in L^n| / min(n, |L|): the share of shown items that are not judged.

    Range [0, 1]; 0 without a list, and always 0 under the condensed view.
    """

    label = "Unrated"
    is_monotone = True
    source = "Cañamares, Castells & Moffat (2020), Fig. 3"
    higher_is_better = False
    is_descriptive = True
    ignores = frozenset({"relevance"})

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Subtract the judged items above each cut-off from the items shown."""
        shown = judged.shown(cutoffs)
        rated = judged.sums(np.ones(len(judged.user)), cutoffs)
        return share(shown - rated, shown)


class JudgedDepth(Metric):
    """JudgedDepth@n = the position in the full ranking of the n-th item in the condensed ranking.

    Range [n, ∞); always n under the condensed view. A user with fewer than n ranked judged items is not averaged. Means at two
    cut-offs, or of two systems that rank different items, may therefore be over different users.
    """

    label = "JudgedDepth"
    is_monotone = True
    source = "Cañamares, Castells & Moffat (2020), Fig. 5"
    values_range = "[1, ∞)"
    higher_is_better = False
    is_descriptive = True
    ignores = frozenset({"relevance"})

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Look up each user's n-th ranked row."""
        n_ranked = np.diff(judged.order_starts)
        depths = np.full((judged.n_users, len(cutoffs)), np.nan)
        for column, cutoff in enumerate(cutoffs):
            users = np.flatnonzero(n_ranked >= cutoff)
            depths[users, column] = judged.position[judged.order[judged.order_starts[users] + cutoff - 1]]
        return depths
