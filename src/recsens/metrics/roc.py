"""Areas under ROC curves: of each user, of users who get one item after another, or of all pairs together.

AUC: Area under the ROC curve.
LAUC: Limited area under the ROC curve.
CROC: Area under the customer ROC curve.
GROC: Area under the global ROC curve.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.errors import DesignError
from recsens.metrics import Area, Floats, Ints, Judged, Metric, at_every, capped, share
from recsens.metrics._kernels import count_pairs
from recsens.metrics._preferences import TIES_MEANING, UNDEFINED_MEANING, Ties, Undefined, every_cutoff, levels

CHANCE = np.array([[0.0, 0.0], [1.0, 1.0]])
"""The curve of a random order."""


def corners(misses: NDArray[Any], hits: NDArray[Any]) -> Floats:
    """Return the corners of a curve that goes up with each hit and right with each miss, shape (n_steps + 1, 2).

    A step up is a share of all hits, and a step to the right is a share of all misses; neither total may be 0.
    """
    steps = np.column_stack([misses, hits])
    walked = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    return np.asarray(walked / walked[-1])


def mean_curve(start: Floats, end: Floats, rise: Floats, n_curves: int) -> Floats:
    """Average ``n_curves`` curves vertically, given the pieces of all curves; the result has shape (n, 2).

    Piece k rises by ``rise[k]`` between ``start[k]`` and ``end[k]``; if the two are equal, the piece is a jump.
    """
    if n_curves == 0:
        return np.empty((0, 2))
    is_jump = start == end
    slope = np.divide(rise, end - start, out=np.zeros_like(rise), where=~is_jump)
    x, index = np.unique(np.concatenate([start, end, [0.0, 1.0]]), return_inverse=True)
    first, last = index[: len(rise)], index[len(rise) : 2 * len(rise)]
    jump = np.bincount(first[is_jump], weights=rise[is_jump], minlength=len(x))
    steepness = np.cumsum(np.bincount(first, weights=slope, minlength=len(x)) - np.bincount(last, weights=slope, minlength=len(x)))
    climbed = np.concatenate([[0.0], np.cumsum(steepness[:-1] * np.diff(x))])
    after = climbed + np.cumsum(jump)
    # The heights just before and just after the jump at each x.
    heights = capped(np.column_stack([after - jump, after]).ravel() / n_curves, 1.0)
    both = np.column_stack([np.repeat(x, 2), heights])
    is_corner = np.ones(len(both), dtype=bool)
    is_corner[1::2] = jump > 0
    return np.asarray(both[is_corner])


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
        return every_cutoff(share(above + tied / 2, above + below + tied, np.nan), cutoffs, self.undefined, 0.5)

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


class LAUC(Metric):
    """LAUC@n = [Σ_{hits k<=n} (N - m_k) + (R - h)(N - m) / 2] / (R N): the AUC if items below n are in random order.

    There are R relevant items and N other items, judged or not. m_k of the others are above a hit at k; the first n items are h
    hits and m others. A straight line joins the curve of the first n items to (1, 1). All ranked items count, and also unranked
    judged items, as if they were below n; a condensed ranking contains only judged items. If a list was cut, only the items that
    remain are known. Range [0, 1]; 1/2 for an empty list. A user without relevant items, or without other items, scores 1/2
    (``undefined=neutral``) or is not averaged (``skip``).
    """

    label = "LAUC"
    is_monotone = True
    source = "Schröder, Thiele & Lehner (2011), limited AUC"
    takes_cutoff = "optionally"
    reads_below = True

    undefined: Undefined = Field("neutral", description=UNDEFINED_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """For each hit, count the other items below, and half of the items in unknown order."""
        ranked = np.bincount(judged.user[judged.position > 0], minlength=judged.n_users)
        n_relevant = judged.n_relevant[:, np.newaxis]
        n_others = (judged.listed + judged.n_judged - ranked)[:, np.newaxis] - n_relevant
        hits = judged.hits(cutoffs)
        others_above = judged.sum_hits(lambda rows: judged.others_above[rows], cutoffs)
        misses = judged.shown(cutoffs) - hits
        in_order: Floats = hits * n_others - others_above + (n_relevant - hits) * (n_others - misses) / 2
        return share(in_order, n_relevant * n_others, 0.5 if self.undefined == "neutral" else np.nan)


class CROC(Area):
    """CROC: the area below the curve (Σ_u FP_u / Σ_u |N_u|, Σ_u TP_u / Σ_u |R_u|) as every user gets L = 0, 1, ... judged items.

    Users get their judged items in the order of the ranking; R_u of these are relevant, and N_u are not. TP_u of the first L are
    relevant, and FP_u are not. The value is the same for full and condensed rankings. Unranked items follow in random order. Users
    with few items drop out as L grows, so the area of even a perfect ranking may be below 1; ``form=normalised`` divides by the
    area of a perfect ranking. There is one value for all users. Range [0, 1]; 1/2, as for a random order, if none or all of the
    judged items are relevant.
    """

    label = "CROC"
    source = "Schein et al. (2002; 2005)"
    unit = "pooled"
    takes_cutoff = "never"
    ignores = frozenset({"view"})

    form: Literal["normalised", "area"] = Field(
        "normalised", description="whether to divide by the area of a perfect ranking (normalised), or not (area)"
    )

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Add up the area below the curve, item by item."""
        if _is_one_sided(judged):
            return at_every(cutoffs, np.array([0.5]))
        shown = np.bincount(_ranks(judged.n_judged))
        area = _area_below(_hits_by_rank(judged), shown)
        if self.form == "normalised":
            area /= _area_below(np.bincount(_ranks(judged.n_relevant), minlength=len(shown)).astype(np.float64), shown)
        return at_every(cutoffs, capped(np.array([area]), 1.0))

    def points(self, judged: Judged) -> Floats:
        """Return the curve that arises as every user gets one item after another; the area below it is CROC with ``form=area``."""
        if _is_one_sided(judged):
            return CHANCE
        hits = _hits_by_rank(judged)
        return corners(np.bincount(_ranks(judged.n_judged)) - hits, hits)


def _is_one_sided(judged: Judged) -> bool:
    return int(judged.n_relevant.sum()) in {0, int(judged.n_judged.sum())}


def _ranks(numbers: Ints) -> Ints:
    """Concatenate 0, 1, ..., n - 1 for each number n."""
    ends = np.cumsum(numbers)
    return np.asarray(np.arange(ends[-1]) - np.repeat(ends - numbers, numbers))


def _hits_by_rank(judged: Judged) -> Floats:
    """For each rank, count the users with a relevant item; where no item is ranked, count the relevant share of unranked items."""
    n_ranked = np.diff(judged.order_starts)
    user = judged.user[judged.order]
    rank = np.arange(len(user)) - judged.order_starts[user]
    is_relevant = judged.is_relevant[judged.order]
    n_left = judged.n_judged - n_ranked
    left = judged.n_relevant - np.bincount(user[is_relevant], minlength=judged.n_users)
    n_ranks = int(judged.n_judged.max(initial=0))
    ranked = np.bincount(rank[is_relevant], minlength=n_ranks).astype(np.float64)
    shares = share(left, n_left)
    return ranked + np.bincount(_ranks(n_left) + np.repeat(n_ranked, n_left), weights=np.repeat(shares, n_left), minlength=n_ranks)


def _area_below(hits: Floats, shown: Ints) -> float:
    """Sum the trapezia below the curve; at each rank, ``hits`` of the ``shown`` items are relevant."""
    misses, before = shown - hits, np.cumsum(hits) - hits
    return float((misses * (before + hits / 2.0)).sum() / (hits.sum() * misses.sum()))


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
        relevant, others = _counts_by_score(judged)
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
        relevant, others = _counts_by_score(judged)
        return corners(others[::-1], relevant[::-1]) if relevant.any() and others.any() else CHANCE


def _counts_by_score(judged: Judged) -> tuple[Ints, Ints]:
    """Count the relevant pairs and the other pairs at each score, in ascending order of scores."""
    if judged.score is None:
        raise DesignError("GROC orders all pairs by score, but scores are not known here", allowed="AUC, CROC")
    rows = np.flatnonzero(~np.isnan(judged.score))
    _, level = np.unique(judged.score[rows], return_inverse=True)
    relevant = np.bincount(level[judged.is_relevant[rows]], minlength=int(level.max(initial=-1)) + 1)
    return relevant, np.bincount(level, minlength=len(relevant)) - relevant
