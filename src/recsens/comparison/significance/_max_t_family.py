"""One null hypothesis for many analyses: the two systems could be swapped for any user, in all analyses at once."""

from recsens.arrays import Floats
from recsens.comparison.significance._base import Family
from recsens.seeds import Stream

SAMPLES = 10_000
"""Number of sign patterns to draw; if there are at most this many patterns, all are enumerated."""


def max_t_family(deltas: Floats, stream: Stream, *, alpha: float, samples: int = SAMPLES) -> Family:
    """Test all analyses of one pair of systems. Each user gets one random sign, shared by all analyses.

    The hypothesis is that the two systems are exchangeable for every user; exchanging them changes the sign of the user's
    difference in all analyses at once. Let t_d = m_d / (s_d / √n_d) over the n_d users whom analysis d counts, and let t_bd be the
    same statistic under sign pattern b. Analyses are sorted by descending |t|, and the j-th has p = (1 + #{b: max_{k ≥ j} |t_bk| ≥
    |t_j|}) / (1 + B), but at least the p of the previous analysis (step-down max-T). The same patterns give two-sided p-values for
    the median t, and for the lead in wins, which is the number of analyses that the first system wins minus the number that the
    second wins. If analyses are few or similar, one system often wins all of them by chance, so a large lead alone cannot have a
    small p. Therefore a pattern with the same lead counts only if the leading system's sum of t is at least the observed sum. Let n
    be the number of users for whom the systems differ in some analysis. If there are at most ``samples`` patterns, all 2^n patterns
    are enumerated, and p is the share of patterns that are at least as extreme as the observed one.

    Parameters
    ----------
    deltas
        Each user's difference in each analysis, above zero if the first system is better, NaN if the analysis does not count the
        user; shape (n_users, n_analyses). Differences may be weighted, w δ.
    stream
        Source of the signs; the sign of user u in pattern b depends only on the stream, b and u.
    alpha
        Threshold of a win.
    samples
        Number of patterns drawn, B.

    References
    ----------
    Westfall & Young (1993), Resampling-based multiple testing, algorithm 2.8. Girardi et al. (2024), Post-selection inference in
    multiverse analysis, arXiv 2210.02794, for the shared signs.
    """
    from recsens.comparison.significance._signs import together  # noqa: PLC0415 - numba is slow to import

    return together(deltas, stream, alpha=alpha, samples=samples)
