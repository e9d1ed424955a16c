"""Agreement between an analysis and the analysis that counts as the truth, on the same pairs of systems."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from recsens.outcomes.winner import NOBODY


class TruthAgreement(NamedTuple):
    """One analysis compared with the truth on one data set or fold.

    Attributes
    ----------
    tau
        Kendall's tau-b between the two orders of systems; NaN if either order ties all systems.
    right, wrong, open
        Of the pairs that the truth decides, the shares that the analysis decides in the same way, in the opposite way, and not at
        all; NaN if the truth decides no pair.
    pairs, decided
        Number of pairs, and number of pairs that the truth decides.
    """

    tau: float
    right: float
    wrong: float
    open: float
    pairs: int
    decided: int


def scores(ahead: ArrayLike, winner: ArrayLike, true_ahead: ArrayLike, true_winner: ArrayLike) -> TruthAgreement:
    """Compare an analysis with the truth, pair by pair; arguments are `recsens.outcomes.winner.Side` numbers, shape (n_pairs,).

    The analysis and the truth put C of the n pairs in the same order, and D in opposite orders; the analysis ties T_a pairs, and
    the truth T_t. If the n pairs are all pairs of systems, tau-b = (C - D) / sqrt((n - T_a) (n - T_t)) (Kendall 1945).

    Parameters
    ----------
    ahead, true_ahead
        Which system of each pair has the better value.
    winner, true_winner
        Which system of each pair wins.
    """
    a, t, w, v = (np.asarray(each, dtype=np.int64) for each in (ahead, true_ahead, winner, true_winner))
    ordered = np.sqrt(float(np.count_nonzero(a)) * float(np.count_nonzero(t)))
    tau = float((a * t).sum() / ordered) if ordered > 0 else float("nan")
    decided = v != NOBODY
    n = int(decided.sum())
    if n == 0:
        return TruthAgreement(tau, float("nan"), float("nan"), float("nan"), len(a), 0)
    agrees = (w * v)[decided]
    return TruthAgreement(tau, float((agrees > 0).mean()), float((agrees < 0).mean()), float((agrees == 0).mean()), len(a), n)
