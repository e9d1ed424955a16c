"""Area under the customer ROC curve."""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import Area, Floats, Ints, Judged, at_every, capped
from recsens.metrics._area_under_curve import CHANCE, corners


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
        area = _area(_hits(judged), shown)
        if self.form == "normalised":
            area /= _area(np.bincount(_ranks(judged.n_relevant), minlength=len(shown)).astype(np.float64), shown)
        return at_every(cutoffs, capped(np.array([area]), 1.0))

    def points(self, judged: Judged) -> Floats:
        """Return the curve that arises as every user gets one item after another; the area below it is CROC with ``form=area``."""
        if _is_one_sided(judged):
            return CHANCE
        hits = _hits(judged)
        return corners(np.bincount(_ranks(judged.n_judged)) - hits, hits)


def _is_one_sided(judged: Judged) -> bool:
    return int(judged.n_relevant.sum()) in {0, int(judged.n_judged.sum())}


def _ranks(numbers: Ints) -> Ints:
    """Concatenate 0, 1, ..., n - 1 for each number n."""
    ends = np.cumsum(numbers)
    return np.asarray(np.arange(ends[-1]) - np.repeat(ends - numbers, numbers))


def _hits(judged: Judged) -> Floats:
    """For each rank, count the users with a relevant item; where no item is ranked, count the relevant share of unranked items."""
    n_ranked = np.diff(judged.order_starts)
    user = judged.user[judged.order]
    rank = np.arange(len(user)) - judged.order_starts[user]
    is_relevant = judged.is_relevant[judged.order]
    n_left = judged.n_judged - n_ranked
    left = judged.n_relevant - np.bincount(user[is_relevant], minlength=judged.n_users)
    n_ranks = int(judged.n_judged.max(initial=0))
    ranked = np.bincount(rank[is_relevant], minlength=n_ranks).astype(np.float64)
    share = np.divide(left, n_left, out=np.zeros(judged.n_users), where=n_left > 0)
    return ranked + np.bincount(_ranks(n_left) + np.repeat(n_ranked, n_left), weights=np.repeat(share, n_left), minlength=n_ranks)


def _area(hits: Floats, shown: Ints) -> float:
    """Sum the trapezia below the curve; at each rank, ``hits`` of the ``shown`` items are relevant."""
    misses, before = shown - hits, np.cumsum(hits) - hits
    return float((misses * (before + hits / 2.0)).sum() / (hits.sum() * misses.sum()))
