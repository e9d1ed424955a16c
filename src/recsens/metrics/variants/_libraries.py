"""Metrics as other libraries and programs define them; the source of each names its library."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field
from scipy import special

from recsens.errors import DesignError
from recsens.metrics import DISCOUNT_MEANING, WHOLE, Discount, Floats, Ints, Judged, Metric, at_every, capped, discount_at, share
from recsens.metrics.variants import _kernels
from recsens.plugins.specs import Spec


class MeanPrecision(Metric):
    """MeanP@n = (1 / n) Σ_{k<=n} P@k: precision averaged over all positions, hits or not.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label = "MeanP"
    is_monotone = True
    source = "Elliot's MAP"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum 1/k + ... + 1/n over the hits at positions k, and divide by n."""
        columns = [
            judged.sum_hits(lambda rows, n=n: (special.digamma(n + 1) - special.digamma(judged.position[rows])) / n, (n,))  # type: ignore[misc]
            for n in cutoffs
        ]
        return capped(np.concatenate(columns, axis=1), 1.0)


class CappedRecall(Metric):
    """CappedR@n = |L^n ∩ R_u| / min(n, |R_u|), so a perfect list of n scores 1.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label = "CappedR"
    is_monotone = True
    source = "LensKit's Recall, RecTools' Precision with r_precision, trec_eval's relative_P"
    takes_cutoff = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the hits by the most that a list of n items could contain."""
        return share(judged.hits(cutoffs), np.minimum(judged.n_relevant[:, np.newaxis], np.asarray(cutoffs)))


class ShownAP(Metric):
    """ShownAP@n = Σ_{hits k <= n} P@k / min(|R_u|, n, |L|), so a short list without a miss scores 1.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label = "ShownAP"
    is_monotone = True
    source = "LensKit's AveragePrecision"
    takes_cutoff = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the precision at each hit and divide by the number of possible hits."""
        return share(judged.sum_precision(cutoffs), np.minimum(judged.shown(cutoffs), judged.n_relevant[:, np.newaxis]))


class SteppedAP(Metric):
    """SteppedAP = (1 / |R_u|) Σ_{hits} P@e, where e is the last position with the hit's score: equal scores form one step.

    It is the area below the steps of a precision-recall curve that has one point for each score. If all tied items are relevant,
    their order does not matter; otherwise, the order within the tie affects the value. Range [0, 1]; 0 without relevant items or
    without a list. Positions without scores are refused.
    """

    label = "SteppedAP"
    is_monotone = True
    source = "scikit-learn's average_precision_score"
    takes_cutoff = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Give every hit the precision at the last item with the same score.

        Raises DesignError if scores are unknown.
        """
        if judged.score is None:
            raise DesignError("SteppedAP needs scores, but they are unknown here", allowed="AP")
        hits = judged.order[judged.is_relevant[judged.order]]
        user, score = judged.user[hits], judged.score[hits]
        ends = np.append((user[1:] != user[:-1]) | (score[1:] != score[:-1]), True)[: len(hits)]
        last = hits[np.flatnonzero(ends)[np.cumsum(ends) - ends]]
        precision = np.zeros(len(judged.user))
        precision[hits] = (judged.relevant_above[last] + 1) / judged.position[last]
        return share(judged.sum_hits(lambda rows: precision[rows], (WHOLE,) * len(cutoffs)), judged.n_relevant[:, np.newaxis])


class RatingDCG(Metric):
    """ratingDCG@n = Σ_{k<=n} r(k) D(k) with the ratings r of judged items as gains, not divided by the DCG of an ideal list.

    Unjudged items have a gain of 0. If the data have no ratings, judged items have a gain of 1. Range [0, ∞); 0 if there is no
    judged item in the list.
    """

    label = "ratingDCG"
    source = "LensKit's DCG(gain=rating)"
    takes_cutoff = "optionally"
    values_range = "[0, ∞)"
    ignores = frozenset({"relevance"})

    discount: Discount = Field("jk2", description=DISCOUNT_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum discounted ratings."""
        return judged.sums(np.nan_to_num(judged.rating, nan=1.0), cutoffs, discount_at(self.discount))


class NDCGOfFull(Metric):
    """nDCGOfFull@n = Σ_{hits k <= n} D(k) / Σ_{k<=n} D(k) with D(k) = 1 / log2(k + 1): the ideal list has n hits even if |R_u| < n.

    Range [0, 1], below 1 if |R_u| < n; 0 without relevant items or without a list.
    """

    label = "nDCGOfFull"
    is_monotone = True
    source = "RecTools' NDCG"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the discounted hits by those of a list that has only hits."""
        discounted = judged.sum_hits(lambda rows: 1 / np.log2(judged.position[rows] + 1.0), cutoffs)
        return capped(discounted / [np.sum(1 / np.log2(np.arange(2, n + 2))) for n in cutoffs], 1.0)


class APByCutoff(Metric):
    """APByCutoff@n = (1 / n) Σ_{hits k <= n} P@k: if there are fewer than n relevant items, no list scores 1.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label = "APByCutoff"
    is_monotone = True
    source = "RecTools' MAP with divide_by_k"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the precision at each hit and divide by the cut-off."""
        return judged.sum_precision(cutoffs) / cutoffs


class PartialAUC(Metric):
    """pAUC@n = Σ_{hits} max(n - m, 0) / (n |R_u|), where m counts the misses above a hit: the area under ROC over n misses.

    Every item that is not relevant is a miss, judged or not; the cut-off counts misses instead of positions. If a list has fewer
    than n misses, missing relevant items come after all of them. Range [0, 1]; 0 without relevant items or without a list.
    """

    label = "pAUC"
    is_monotone = True
    source = "RecTools' PartialAUC, insufficient_handling=ignore"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """For each hit, count how many of the first n misses are below it."""
        return _partial_area(judged, [(n, judged.n_relevant.max(initial=0)) for n in cutoffs])


class PAP(Metric):
    """pAp@n = Σ_{first n hits} max(n - m, 0) / (n min(n, |R_u|)), m misses above a hit: area under ROC over n misses and n hits.

    Like `PartialAUC`, but at most n relevant items count. Range [0, 1]; 0 without relevant items or without a list.
    """

    label = "pAp"
    is_monotone = True
    source = "Budhiraja et al. (2020), as RecTools' PAP, insufficient_handling=ignore"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """For each of the first n hits, count how many of the first n misses are below it."""
        return _partial_area(judged, [(n, n) for n in cutoffs])


def _partial_area(judged: Judged, bounds: Sequence[tuple[int, int]]) -> Floats:
    """Return the area under ROC over the first misses and the first relevant items; ``bounds`` gives their numbers by column."""
    columns = []
    for n_misses, n_hits in bounds:
        below = np.maximum(n_misses - judged.others_above, 0) * (judged.relevant_above < n_hits)
        columns.append(
            share(
                judged.sums(below * judged.is_relevant, (WHOLE,)), n_misses * np.minimum(judged.n_relevant, n_hits)[:, np.newaxis]
            )
        )
    return np.concatenate(columns, axis=1)


class NCRR(Metric):
    """NCRR@n = Σ_{hits k <= n} 1/k / Σ_{k <= min(n, |R_u|, |L|)} 1/k: the hits' reciprocal ranks as a share of the best sum.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label = "NCRR"
    is_monotone = True
    source = "Cornac's NCRR"
    takes_cutoff = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the hits' reciprocal ranks by those of a list that begins with as many hits as possible."""
        found = judged.sum_hits(lambda rows: 1 / judged.position[rows], cutoffs)
        most = np.minimum(np.minimum(judged.n_relevant, judged.listed)[:, np.newaxis], np.asarray(cutoffs))
        harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, most.max(initial=0) + 1))])
        return capped(share(found, harmonic[most]), 1.0)


class TopAUC(Metric):
    """TopAUC@n = P(i above j) for a relevant item i and another item j among the first n items; items below n do not count.

    Range [0, 1]; 0 if none of the first n items is a hit, and 1 if all are hits. A single hit at the first position scores 1,
    whatever the number of relevant items.
    """

    label = "TopAUC"
    source = "RePlay's RocAuc"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count the correctly ordered pairs of a hit and a miss in the top."""
        hits = judged.hits(cutoffs)
        misses = judged.shown(cutoffs) - hits
        in_order = hits * misses - judged.sum_hits(lambda rows: judged.others_above[rows], cutoffs)
        return np.where((hits > 0) & (misses == 0), 1.0, share(in_order, hits * misses))


def _share_of_sums(hits: Floats, most: Ints) -> Floats:
    """Divide all users' hits together by the most that they could have, shape (1, n_cutoffs); NaN if that is 0."""
    hits, most = hits.sum(axis=0, keepdims=True), most.sum(axis=0, keepdims=True)
    return share(hits, most, np.nan)


class PooledRecall(Metric):
    """PooledR@n = Σ_u |L_u^n ∩ R_u| / Σ_u |R_u|: one value, in which users with more relevant items weigh more.

    Range [0, 1]; NaN without relevant items.
    """

    label = "PooledR"
    is_monotone = True
    source = "Cremonesi, Koren & Turrin (2010), whose recall counts all test items together"
    unit = "pooled"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide all users' hits by all their relevant items."""
        return _share_of_sums(judged.hits(cutoffs), judged.n_relevant[:, np.newaxis])


class F1OfMeans(Metric):
    """F1OfMeans@n = 2 P R / (P + R) of the mean precision P@n and the mean recall R@n, not the mean of the users' F1.

    Range [0, 1]; 0 if both means are 0, NaN without users.
    """

    label = "F1OfMeans"
    is_monotone = True
    source = "F1 as computed from printed means of precision and recall"
    unit = "pooled"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average precision and recall first."""
        if judged.n_users == 0:
            return np.full((1, len(cutoffs)), np.nan)
        hits = judged.hits(cutoffs)
        precision = (hits / np.asarray(cutoffs)).mean(axis=0, keepdims=True)
        recall = share(hits, judged.n_relevant[:, np.newaxis]).mean(axis=0, keepdims=True)
        return share(2 * precision * recall, precision + recall)


class PooledCappedRecall(Metric):
    """PooledCappedR@n = Σ_u |L_u^n ∩ R_u| / Σ_u min(n, |R_u|): one value, in which users with more relevant items weigh more.

    Range [0, 1]; NaN without relevant items.
    """

    label = "PooledCappedR"
    is_monotone = True
    source = "implicit's precision"
    unit = "pooled"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide all users' hits by the most that their lists of n could contain."""
        return _share_of_sums(judged.hits(cutoffs), np.minimum(judged.n_relevant[:, np.newaxis], np.asarray(cutoffs)))


class LAUCOfCatalogue(Metric):
    """LAUC@n = [Σ_{hits k<=n} (m - m_k) + (h + R) (N - m) / 2] / (R N), N = items - R: the AUC if items below n are unordered.

    There are R relevant items and N other items. m_k of the others are above a hit at k; the first n items contain h hits and m
    others; a list shorter than n is filled up with others. All items of the catalogue count, even the user's train items, which are
    among the others. Range [0, 1]; 0 without relevant items. Without a list, it is about 1/2 if n is far below the size of the
    catalogue.
    """

    label = "LAUCOfCatalogue"
    is_monotone = True
    source = "implicit's auc"

    items: int = Field(
        0,
        ge=0,
        description=(
            "number of items in the catalogue, which is the number of columns of the matrix; 0 counts those in the "
            "user's list and test set"
        ),
    )

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """For each hit, count the non-hits below it.

        Raises DesignError if more items are relevant to a user than the catalogue has.
        """
        n_relevant = judged.n_relevant[:, np.newaxis]
        ranked = np.diff(judged.order_starts)
        n_others = (self.items or (judged.listed + judged.n_judged - ranked)[:, np.newaxis]) - n_relevant
        if self.items and (n_others < 1).any():
            raise DesignError(
                f"a catalogue of {self.items:,} items is too small: {judged.n_relevant.max():,} items are relevant to one user",
                allowed="the number of all items, train items included",
            )
        hits = judged.hits(cutoffs)
        misses = np.asarray(cutoffs) - hits
        in_order = hits * misses - judged.sum_hits(lambda rows: judged.others_above[rows], cutoffs)
        return share(in_order + (hits + n_relevant) * (n_others - misses) / 2, n_relevant * n_others)


class MSE(Metric):
    """MSE = (1/|T|) Σ_{(u,i) in T} (r̂_ui - r_ui)² over the predicted test ratings T: the square of RMSE.

    There is one value for all users; it is NaN if there is no prediction. Range [0, ∞), in squared rating points.
    """

    label = "MSE"
    is_monotone = True
    higher_is_better = False
    source = "Surprise's mse"
    reads = "predictions"
    unit = "pooled"
    takes_cutoff = "never"
    values_range = "[0, ∞)"
    ignores = frozenset({"relevance", "view"})

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Square the RMSE."""
        return Metric.build(Spec("RMSE")).measure(judged, cutoffs) ** 2


class FCP(Metric):
    """FCP = c / (c + d): c is the mean number of concordant pairs over users who have any; d is the same for discordant pairs.

    A pair of a user's ranked test items with different ratings is concordant if the higher rated item has the higher score.
    Otherwise it is discordant, even if the scores are equal. A user without a concordant pair is left out of c, and a user without
    a discordant pair is left out of d; FCP is therefore not the share of concordant pairs. There is one value for all users. Range
    [0, 1]; NaN if no user has a pair with different ratings.
    """

    label = "FCP"
    source = "Koren & Sill (2013), section 5.2, as Surprise's fcp"
    unit = "pooled"
    takes_cutoff = "never"
    ignores = frozenset({"relevance", "view"})
    has_range_by_ties: ClassVar[bool] = True

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count each user's concordant and discordant pairs.

        Raises DesignError if scores are unknown.
        """
        if judged.score is None:
            raise DesignError("FCP compares scores, but they are unknown here", allowed="KendallTau, NDPM")
        counts = np.empty((judged.n_users, 2))
        rows = judged.order
        _kernels.count_rated_pairs(judged.rating[rows], judged.score[rows], judged.order_starts, counts)
        concordant, discordant = map(_mean_of_positive, counts.T)
        total = concordant + discordant
        return at_every(cutoffs, np.array([concordant / total if total > 0 else np.nan]))


def _mean_of_positive(values: Floats) -> float:
    positive = values[values > 0]
    return float(positive.mean()) if len(positive) else 0.0
