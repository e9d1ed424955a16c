"""Precision, recall, and other shares of relevant items among the first n, or of all relevant items.

P: Precision.
AP: Average precision.
R: Recall.
F1: Harmonic mean of precision and recall.
SetP: Precision of the items shown.
SetF: Weighted harmonic mean of recall and the precision of the items shown.
Rprec: R-precision.
Success: Success.
AntiP: Anti-precision.
Fallout: Fall-out.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import WHOLE, ByPlace, Floats, Ints, Judged, Metric, capped_share, share
from recsens.metrics._base import expected_sums


class P(Metric):
    """P@n = |L^n ∩ R_u| / n: the share of relevant items among the first n.

    Range [0, 1], at most min(n, |R_u|) / n. The divisor is n even if the list is shorter.
    """

    label = "P"
    is_monotone = True
    source = "Valcarce et al. (2018), eq. 1"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count relevant items above each cut-off and divide by the cut-off."""
        return judged.hits(cutoffs) / np.asarray(cutoffs, dtype=np.float64)

    def at_random(self, targets: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Return E[P@n] = |R_u ∩ T_u| / |T_u| · min(n, |T_u|) / n (Bellogín 2012, eqs. 4.4 and 4.5)."""
        return expected_sums(targets, targets.is_relevant.astype(np.float64), cutoffs) / np.asarray(cutoffs, dtype=np.float64)

    def by_place(self, judged: Judged, cutoff: int) -> ByPlace:
        """Weigh each place by one over the cut-off."""
        return ByPlace.of_hits("sum", np.full(cutoff, 1 / cutoff), judged)


class R(Metric):
    """R@n = |L^n ∩ R_u| / |R_u|: the share of the user's relevant items that are among the first n.

    All relevant items count, even if the system did not rank them. Range [0, 1], at most min(n, |R_u|) / |R_u|; 0 without relevant
    items or without a list. Without a cut-off, R is the recall of the whole ranking, which is trec_eval's ``set_recall``.
    """

    label = "R"
    is_monotone = True
    source = "Valcarce et al. (2018), eq. 2"
    takes_cutoff = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the hits by the number of relevant items."""
        return share(judged.hits(cutoffs), judged.n_relevant[:, np.newaxis])

    def at_random(self, targets: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Return E[R@n] = |R_u ∩ T_u| / |R_u| · min(n, |T_u|) / |T_u|."""
        return share(expected_sums(targets, targets.is_relevant.astype(np.float64), cutoffs), targets.n_relevant[:, np.newaxis])

    def by_place(self, judged: Judged, cutoff: int) -> ByPlace:
        """Divide by the number of relevant items, which unrated items do not change."""
        return ByPlace.of_hits("sum", np.ones(cutoff), judged, judged.n_relevant)


class F1(Metric):
    """F1@n = 2 P R / (P + R) = 2 |L^n ∩ R_u| / (n + |R_u|) with P = P@n and R = R@n.

    F1 is computed for each user, so the mean over users is not the F1 of mean precision and mean recall. Precision divides by n
    even if the list is shorter; in `SetF`, precision divides by the list's length. Range [0, 1]; 0 if precision and recall are 0.
    """

    label = "F1"
    is_monotone = True
    source = "van Rijsbergen (1979), chapter 7"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide twice the hits by the sum of the cut-off and the number of relevant items."""
        return 2 * judged.hits(cutoffs) / (np.asarray(cutoffs, dtype=np.float64) + judged.n_relevant[:, np.newaxis])

    def by_place(self, judged: Judged, cutoff: int) -> ByPlace:
        """Divide by the cut-off and the number of relevant items, which unrated items do not change."""
        return ByPlace.of_hits("sum", np.full(cutoff, 2.0), judged, cutoff + judged.n_relevant)


class SetP(Metric):
    """SetP@n = |L^n ∩ R_u| / min(n, |L|): the share of relevant items among the shown items, however short the list is.

    Range [0, 1]; 0 without a list. Without a cut-off, SetP is trec_eval's ``set_P`` of the whole ranking. By contrast, `P` divides
    by n.
    """

    label = "SetP"
    is_monotone = True
    source = "trec_eval's set_P"
    takes_cutoff = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the hits by the number of items shown."""
        return share(judged.hits(cutoffs), judged.shown(cutoffs))


class SetF(Metric):
    """SetF@n = (β + 1) P R / (β P + R) with P = SetP@n and R = R@n; β > 1 favours recall.

    SetF is computed for each user, and equals (β + 1) |L^n ∩ R_u| / (β |R_u| + min(n, |L|)). Range [0, 1]; 0 if P and R are 0.
    Without a cut-off, SetF is trec_eval's ``set_F`` with the parameter x = β.
    """

    label = "SetF"
    is_monotone = True
    source = "trec_eval's set_F"
    takes_cutoff = "optionally"

    beta: float = Field(1.0, ge=0, description="weight of recall relative to precision")

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the weighted hits by the weighted sum of the numbers of shown and relevant items."""
        return capped_share(
            (self.beta + 1) * judged.hits(cutoffs), self.beta * judged.n_relevant[:, np.newaxis] + judged.shown(cutoffs)
        )


class Rprec(Metric):
    """Rprec = |L^r ∩ R_u| / r with r = |R_u|: precision at a cut-off of r, the number of relevant items, where it equals recall.

    Range [0, 1]; 0 without relevant items or without a list. The divisor is r even if the list is shorter.
    """

    label = "Rprec"
    is_monotone = True
    source = "Buckley & Voorhees (2005), as trec_eval's Rprec"
    takes_cutoff = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count relevant items down to each user's own cut-off."""
        reaches = judged.n_relevant[judged.user]
        whole = (WHOLE,) * len(cutoffs)
        hits = judged.sum_hits(lambda rows: (judged.position[rows] <= reaches[rows]).astype(np.float64), whole)
        return share(hits, judged.n_relevant[:, np.newaxis])


class Success(Metric):
    """Success@n = 1 if any of the first n items is relevant, else 0.

    If one item per user is held out, Success is also called hit rate. For a user with a single relevant item, it equals recall. The
    values are 0 and 1; 0 without relevant items or without a list.
    """

    label = "Success"
    is_monotone = True
    source = "Bellogín (2012), section 3.2; trec_eval's success"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Check whether any relevant item is at or above each cut-off."""
        return (judged.hits(cutoffs) > 0).astype(np.float64)

    def by_place(self, judged: Judged, cutoff: int) -> ByPlace:
        """Stop at the first relevant item, wherever it is."""
        return ByPlace.of_hits("stop", np.ones(cutoff), judged)


class AntiP(Metric):
    """AntiP@n = |{i in L^n : i judged, not relevant}| / n: the share of the first n items judged not relevant; less is better.

    Unjudged items count neither in AntiP nor as hits in P, so P@n + AntiP@n is the share of judged items. The divisor is n even if
    the list is shorter. Range [0, 1]; without a list, it is 0, the best value. In data without ratings, no item is judged not
    relevant.
    """

    label = "AntiP"
    source = "Mena-Maldonado et al. (2020), anti-precision"
    higher_is_better = False

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count items judged not relevant above each cut-off and divide by the cut-off."""
        return judged.sums((~judged.is_relevant).astype(np.float64), cutoffs) / np.asarray(cutoffs, dtype=np.float64)

    def at_random(self, targets: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Return E[AntiP@n] = (share of targets judged not relevant) · min(n, |T_u|) / n."""
        misses = (~targets.is_relevant).astype(np.float64)
        return expected_sums(targets, misses, cutoffs) / np.asarray(cutoffs, dtype=np.float64)


class Fallout(Metric):
    """Fallout@n = |{i in L^n : i judged, not relevant}| / (|J_u| - |R_u|): the recall of non-relevant items; less is better.

    J_u are the user's judged items, ranked or not. Range [0, 1]; without a list, or without items judged not relevant, it is 0, the
    best value. In data without ratings, no item is judged not relevant.
    """

    label = "Fallout"
    source = "van Rijsbergen (1979), Information retrieval, chapter 7; of recommendations, Mena-Maldonado et al. (2020)"
    higher_is_better = False
    takes_cutoff = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the number of items judged not relevant above each cut-off by the number of all such items."""
        return share(judged.sums((~judged.is_relevant).astype(np.float64), cutoffs), _n_disliked(judged))

    def at_random(self, targets: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Return the expected number of items judged not relevant among the first n, divided by the number of all such items."""
        return share(expected_sums(targets, (~targets.is_relevant).astype(np.float64), cutoffs), _n_disliked(targets))


def _n_disliked(judged: Judged) -> Ints:
    return (judged.n_judged - judged.n_relevant)[:, np.newaxis]


class AP(Metric):
    """AP@n = (1 / D) Σ_{hits k <= n} P@k: the mean of precision at the positions of relevant items.

    With ``relevant``, D is |R_u|, so a relevant item below the cut-off counts as 0. With ``retrieved``, D is the number of hits
    among the first n, so an additional hit far down may lower AP. With ``min``, D is min(n, |R_u|), so the value of a perfect list
    of n is 1. With ``shown``, D is min(n, |L|), the number of items shown, so every item shown must be relevant for a value of 1.
    Range [0, 1]; 0 if D = 0. Without a cut-off, AP reads the whole ranking; ``relevant`` and ``min`` are then the same, and equal
    trec_eval's ``map``.
    """

    label = "AP"
    is_monotone = True
    source = (
        "Valcarce et al. (2018), eq. 3 (relevant); RankSys (min); 'The confusion over information retrieval metrics in Recommender "
        "Systems', section 4.3 (retrieved, shown)"
    )
    takes_cutoff = "optionally"

    denominator: Literal["relevant", "retrieved", "min", "shown"] = Field(
        "relevant", description="|R_u| (relevant), hits among the first n (retrieved), min(n, |R_u|) (min) or min(n, |L|) (shown)"
    )

    @property
    def has_range_by_ties(self) -> bool:
        """Whether the metric has a range by ties: false if an additional hit may lower the value."""
        return self.denominator != "retrieved"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the precision at each hit and divide."""
        return share(
            judged.sum_precision(cutoffs),
            judged.hits(cutoffs) if self.denominator == "retrieved" else self._divisor(judged, cutoffs),
        )

    def by_place(self, judged: Judged, cutoff: int) -> ByPlace | None:
        """Sum the precision at relevant items; None with ``retrieved``, where each relevant item changes the divisor."""
        if self.denominator == "retrieved":
            return None
        return ByPlace.of_hits("precision", 1.0 / np.arange(1, cutoff + 1), judged, self._divisor(judged, (cutoff,))[:, 0])

    def _divisor(self, judged: Judged, cutoffs: tuple[int, ...]) -> Ints:
        """Return D, unless it counts hits, shape (n_users, 1) or (n_users, n_cutoffs)."""
        if self.denominator == "shown":
            return judged.shown(cutoffs)
        relevant = judged.n_relevant[:, np.newaxis]
        return relevant if self.denominator == "relevant" else np.minimum(relevant, np.asarray(cutoffs, dtype=np.int64))
