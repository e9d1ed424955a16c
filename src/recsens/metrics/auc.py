"""Area under the ROC curve."""

import numpy as np
from pydantic import Field

from recsens.metrics import Area, Floats, Judged
from recsens.metrics._area_under_curve import mean_curve
from recsens.metrics._kernels import count_pairs
from recsens.metrics._preferences import TIES_MEANING, UNDEFINED_MEANING, Ties, Undefined, every_cutoff, levels, ratio


class AUC(Area):
    """AUC = P(L puts i above j) + P(i and j tied) / 2 for a relevant item i and a judged non-relevant item j, both ranked.

    The value is the same for full and condensed rankings. Unranked items do not form pairs. Range [0, 1]. A user without a list, or
    without a pair i, j, scores 1/2 (``undefined=neutral``) or is not averaged (``skip``).
    """

    label = "AUC"
    is_monotone = True
    source = "Hanley & McNeil (1982); by user, Rendle et al. (2009)"
    compares_judged = True
    takes_cutoff = "never"
    ignores = frozenset({"view"})

    ties: Ties = Field("broken", description=TIES_MEANING)
    undefined: Undefined = Field("neutral", description=UNDEFINED_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count the pairs in the right order, and half of the tied pairs."""
        counts = np.empty((judged.n_users, 4))
        is_relevant = judged.is_relevant[judged.order].astype(np.float64)
        count_pairs(is_relevant, levels(judged, self.ties), judged.order_starts, counts)
        above, below, _, tied = counts.T
        return every_cutoff(ratio(above + tied / 2, above + below + tied), cutoffs, self.undefined, 0.5)

    def points(self, judged: Judged) -> Floats:
        """Average the users' ROC curves vertically; the area below is then the mean AUC. Tied items make a slope.

        A user without a pair has the curve of a random order, or no curve (``undefined=skip``).
        """
        user, is_relevant = judged.user[judged.order], judged.is_relevant[judged.order]
        n_relevant, n_others = (np.bincount(user[side], minlength=judged.n_users) for side in (is_relevant, ~is_relevant))
        is_defined = (n_relevant > 0) & (n_others > 0)
        # Tied items form one step. Each level belongs to one user, and levels ascend.
        _, first, group = np.unique(levels(judged, self.ties), return_index=True, return_inverse=True)
        others = np.bincount(group[~is_relevant], minlength=len(first))
        hits = np.bincount(group[is_relevant], minlength=len(first))
        own = user[first]
        before = np.cumsum(others) - others
        start = before - before[np.searchsorted(own, own)]
        kept = is_defined[own]
        own, others, hits, start = own[kept], others[kept], hits[kept], start[kept]
        chance = np.ones(0 if self.undefined == "skip" else int(np.count_nonzero(~is_defined)))
        return mean_curve(
            np.concatenate([start / n_others[own], 0 * chance]),
            np.concatenate([(start + others) / n_others[own], chance]),
            np.concatenate([hits / n_relevant[own], chance]),
            int(np.count_nonzero(is_defined)) + len(chance),
        )
