"""Bounds on 1R precision, derived from AR precision."""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Ints, Judged, Metric


class Bound1R(Metric):
    """Σ_u |L_u^d ∩ R_u| / (n Σ_u |R_u|), a bound on 1R's P@n: d = n for ``side=lower``, d = n + |R_u| - 1 for ``side=upper``.

    L_u ranks T_u = N_u ∪ R_u, all relevant test items of a user among the non-relevant items N_u. In 1R, each relevant item has its
    own ranking, where it is alone among the same N_u. Its position in L_u is its position in that ranking plus the number of the
    user's relevant items above it, which is at most |R_u| - 1. Therefore a hit in L_u^n is a hit of 1R, and a hit of 1R is in L_u^d
    with d = n + |R_u| - 1. (The proof in the thesis prints the second inequality with the sign reversed.) Under AR, L_u is the
    user's ranking. Under P1R, the bounds, like the values, are computed in each percentile and averaged over percentiles.

    The lemma requires the same N_u for all ratings of a user, so ``draw=per_rating`` is refused. Relevant items that are not ranked
    belong to R_u but are not hits. Range [0, 1]; 0 if no user has a relevant item.
    """

    label = "Bound1R"
    is_monotone = True
    source = "Bellogín (2012), lemma of section 4.3.4, eq. 4.2"
    unit = "pooled"
    pools_ratings = True
    is_descriptive = True

    side: Literal["lower", "upper"] = Field("lower", description="which of the two bounds")

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count the relevant items at or above each user's depth, and divide by all relevant items."""
        rows = np.flatnonzero(judged.is_relevant)
        position = judged.position[rows].copy()
        raters = judged.user[rows] if judged.rater is None else judged.rater[judged.user[rows]]
        _, user, n_relevant = np.unique(raters, return_inverse=True, return_counts=True)
        if judged.rater is not None:
            position = _positions_in_targets(user, position)
        is_ranked = position > 0
        further = n_relevant[user] - 1 if self.side == "upper" else np.zeros(len(rows), dtype=np.int64)
        depths = np.asarray(cutoffs, dtype=np.int64)
        hits = (is_ranked[:, np.newaxis] & ((position - further)[:, np.newaxis] <= depths)).sum(axis=0)
        return np.asarray(hits / (depths * max(len(rows), 1)), dtype=np.float64)[np.newaxis]


def _positions_in_targets(user: Ints, position: Ints) -> Ints:
    """Return positions in T_u, given positions in the 1R rankings, both of shape (n,); 0 stays 0."""
    order = np.lexsort((position, user))
    order = order[position[order] > 0]
    users = user[order]
    above = np.arange(len(order)) - np.searchsorted(users, users)
    joined = position.copy()
    joined[order] += above
    return joined
