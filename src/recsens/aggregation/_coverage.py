"""C4: what a system leaves uncovered, and what that does to an average."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsens.vocabulary import Coverage


def coverage_at(listed: NDArray[np.int64], depth: int) -> float:
    """Share of the places of lists of length d that a system fills.

    Coverage@d = Σ_u min(d, |R_u|) / (d |U|), in [0, 1]; Coverage@1 is the user coverage.

    Parameters
    ----------
    listed
        Length of each user's recommendation |R_u|, shape (n_users,), over the users averaged.
    depth
        d >= 1.

    Returns
    -------
    float
        NaN for no user.

    References
    ----------
    Cañamares, Castells & Moffat (2020), section 3.9.
    """
    return float(np.minimum(listed, depth).mean() / depth) if len(listed) else float("nan")


def counted(admitted: NDArray[np.bool_], listed: NDArray[np.int64], coverage: Coverage) -> NDArray[np.bool_]:
    """Say which users enter the average: all admitted ones (full), or those with a recommendation among them (reduced).

    A full average counts an uncovered user's measures as they are, zero; a reduced one leaves the user out.
    """
    return admitted if coverage == "full" else admitted & (listed > 0)


def identity_gap(full: float, reduced: float, coverage: float) -> float:
    """How far a full average is from user coverage times the reduced one, |m_full - coverage · m_reduced|.

    Zero, but for rounding, where averages are arithmetic means, every user counts the same and uncovered users measure zero.
    Where nobody is covered the reduced average is NaN, and its share zero. NaN where nobody is averaged.

    References
    ----------
    Cañamares, Castells & Moffat (2020), section 3.9, who print the identity inverted, m_reduced = coverage · m_full: a full
    average, in which uncovered users count as zero, cannot be above the reduced one.
    """
    return abs(full - (0.0 if coverage == 0 else coverage * reduced))
