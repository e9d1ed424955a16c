"""Area under the global ROC curve."""

import numpy as np

from recsens.errors import DesignError
from recsens.metrics import Area, Floats, Ints, Judged, at_every, capped
from recsens.metrics._area_under_curve import CHANCE, corners


class GROC(Area):
    """GROC = P(s+ > s-) + P(s+ = s-) / 2 for the scores s+ of a relevant pair and s- of a judged non-relevant pair, of any users.

    GROC is the area under a single ROC curve over all pairs in the test set, ordered by score; lists of different users may
    therefore have different lengths. Scores must be comparable across users; the scores of many recommenders are not. Pairs without
    a score are left out. There is one value for all users. Range [0, 1]; 1/2, as for random scores, if all pairs or no pairs are
    relevant.
    """

    label = "GROC"
    is_monotone = True
    source = "Schein et al. (2002; 2005)"
    unit = "pooled"
    takes_cutoff = "never"
    compares_users = True
    ignores = frozenset({"view"})

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """For every score, count its relevant pairs times the other pairs with a lower score; equal scores count half.

        Raises
        ------
        DesignError
            If scores are unknown.
        """
        relevant, others = _by_score(judged)
        # Twice the count stays an integer until the division; floats could hold more than 2^53 pairs.
        twice = (relevant.astype(np.float64) * (2 * np.cumsum(others) - others)).sum()
        pairs = float(relevant.sum()) * float(others.sum())
        return at_every(cutoffs, capped(np.array([twice / (2.0 * pairs) if pairs > 0 else 0.5]), 1.0))

    def points(self, judged: Judged) -> Floats:
        """Return the curve of the share of relevant pairs against the share of other pairs.

        Pairs are admitted by descending score.

        Raises
        ------
        DesignError
            If scores are unknown.
        """
        relevant, others = _by_score(judged)
        return corners(others[::-1], relevant[::-1]) if relevant.any() and others.any() else CHANCE


def _by_score(judged: Judged) -> tuple[Ints, Ints]:
    """Count the relevant pairs and the other pairs at each score, in ascending order of scores."""
    if judged.score is None:
        raise DesignError("GROC orders all pairs by score, but scores are not known here", allowed="AUC, CROC")
    rows = np.flatnonzero(~np.isnan(judged.score))
    _, level = np.unique(judged.score[rows], return_inverse=True)
    relevant = np.bincount(level[judged.is_relevant[rows]], minlength=int(level.max(initial=-1)) + 1)
    return relevant, np.bincount(level, minlength=len(relevant)) - relevant
