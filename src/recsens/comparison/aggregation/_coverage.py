"""Coverage (decision C4): the share of rankings that a system can fill, and its effect on averages."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.vocabulary import Coverage


@dataclass(frozen=True)
class Cover:
    """How many rankings each user should get in one fold, and how many a system fills; arrays of shape (n_users,), int64.

    Attributes
    ----------
    rankings
        Number of rankings with targets: 1 for a user with targets under the view, else 0; under 1R one for each of the user's
        relevant test ratings.
    covered
        Number of these that a system covers: those that hold any item; under 1R those that hold the item of their rating.
    filled
        Number of ranks filled among the first d, by depth d: the sum of min(d, length) over the user's rankings.
    """

    rankings: NDArray[np.int64]
    covered: NDArray[np.int64]
    filled: Mapping[int, NDArray[np.int64]]

    def share(self, averaged: NDArray[np.bool_]) -> float:
        """Return the covered share of the averaged users' rankings, in [0, 1]; NaN if there is nothing to cover.

        This is the user coverage, over the users with something to cover; under 1R the share of relevant ratings ranked.
        """
        return _ratio(self.covered[averaged].sum(), self.rankings[averaged].sum())

    def at(self, averaged: NDArray[np.bool_], depth: int) -> float:
        """Return the filled share of the first d ranks in the averaged users' rankings, in [0, 1]; NaN as for `share`.

        Coverage@d = Σ_L min(d, |L|) / (d n) over the n rankings L with targets: one for each user, or under 1R one for each
        relevant rating. With one ranking for each user, Coverage@1 is the user coverage.

        References
        ----------
        Cañamares, Castells & Moffat (2020), section 3.9.
        """
        return _ratio(self.filled[depth][averaged].sum(), depth * self.rankings[averaged].sum())


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")


def counted(admitted: NDArray[np.bool_], listed: NDArray[np.int64], coverage: Coverage) -> NDArray[np.bool_]:
    """Return which users enter the average: every admitted user (full), or only admitted users with a recommendation (reduced).

    A full average counts an uncovered user's measures, which are zero; a reduced one leaves the user out.
    """
    return admitted if coverage == "full" else admitted & (listed > 0)


def identity_gap(full: float, reduced: float, coverage: float) -> float:
    """Return |m_full - coverage · m_reduced|: how far a full average is from the reduced average times the share of covered users.

    The share is over all averaged users, including users without anything to cover. The distance is zero, except for rounding, if
    averages are arithmetic means, every user counts equally and uncovered users score zero. If no user is covered, the reduced
    average is NaN and counts as zero. NaN if no user is averaged.

    References
    ----------
    Cañamares, Castells & Moffat (2020), section 3.9, who print the identity inverted, m_reduced = coverage · m_full: a full
    average, in which uncovered users count as zero, cannot be above the reduced one.
    """
    return abs(full - (0.0 if coverage == 0 else coverage * reduced))
