"""Coverage (decision C4): the share of rankings that a system can fill, and how users without a ranking affect averages."""

from collections.abc import Mapping
from dataclasses import dataclass

from recsens.arrays import Bools, Ints
from recsens.vocabulary import Coverage


@dataclass(frozen=True)
class Cover:
    """How many rankings each user should get in one fold, and how many of them a system covers; arrays of shape (n_users,), int64.

    Attributes
    ----------
    rankings
        Number of rankings with targets: 1 for a user with targets under the view, otherwise 0. Under 1R, the number of the user's
        relevant test ratings.
    covered
        Number of these rankings that a system covers. A system covers a ranking if it ranks any item there or, under 1R, if it
        ranks the rated item.
    filled
        By depth d, the number of filled ranks among the first d: the sum of min(d, length) over the user's rankings.
    targets, scored
        Number of the user's target items, and of those that the system itself scores; None if this is not known.
    """

    rankings: Ints
    covered: Ints
    filled: Mapping[int, Ints]
    targets: Ints | None = None
    scored: Ints | None = None

    def of_items(self, averaged: Bools) -> float:
        """Return the share of the averaged users' target items that the system itself scores; NaN if it is not known."""
        if self.targets is None or self.scored is None:
            return float("nan")
        return _ratio(self.scored[averaged].sum(), self.targets[averaged].sum())

    def share(self, averaged: Bools) -> float:
        """Return the covered share of the averaged users' rankings, in [0, 1]; NaN if there is nothing to cover.

        With one ranking per user, this is user coverage: the share of users with targets who get a ranking. Under 1R, it is the
        share of relevant ratings that are ranked.
        """
        return _ratio(self.covered[averaged].sum(), self.rankings[averaged].sum())

    def at(self, averaged: Bools, depth: int) -> float:
        """Return the filled share of the first d ranks in the averaged users' rankings, in [0, 1]; NaN as for `share`.

        Coverage@d = Σ_L min(d, |L|) / (d n) over the n rankings L with targets: one per user or, under 1R, one per relevant rating.
        With one ranking per user, Coverage@1 is user coverage.

        References
        ----------
        Cañamares, Castells & Moffat (2020), section 3.9.
        """
        return _ratio(self.filled[depth][averaged].sum(), depth * self.rankings[averaged].sum())


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")


def counted(admitted: Bools, listed: Ints, coverage: Coverage) -> Bools:
    """Return which users enter the average: every admitted user (full), or only admitted users with a recommendation (reduced).

    A full average includes users without a recommendation, whose measures are zero; a reduced average leaves these users out.
    """
    return admitted if coverage == "full" else admitted & (listed > 0)


def identity_gap(full: float, reduced: float, coverage: float) -> float:
    """Return |m_full - coverage · m_reduced| between full and reduced averages, where coverage is the share of covered users.

    The share is of all averaged users, including users without targets. The distance is zero, except for rounding, if averages are
    arithmetic means, every user counts equally and uncovered users score zero. If no user is covered, the reduced average is NaN
    and counts as zero. If no user is averaged, the result is NaN.

    References
    ----------
    Cañamares, Castells & Moffat (2020), section 3.9, who print the identity with the two averages exchanged, m_reduced = coverage ·
    m_full. This cannot be right: a full average, in which uncovered users count as zero, cannot be above the reduced average.
    """
    return abs(full - (0.0 if coverage == 0 else coverage * reduced))
