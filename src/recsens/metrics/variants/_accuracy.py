"""Accuracy of rankings as other libraries define it."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy import special

from recsens.errors import DesignError
from recsens.metrics import DISCOUNT_MEANING, WHOLE, Discount, Ignorable, Judged, Metric, TakesCutoff, capped, discount_at, share


class MeanPrecision(Metric):
    """MeanP@n = (1 / n) Σ_{k<=n} P@k: precision averaged over all positions, hits or not.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label: ClassVar[str] = "MeanP"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "Elliot's MAP"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
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

    label: ClassVar[str] = "CappedR"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "LensKit's Recall, RecTools' Precision with r_precision, trec_eval's relative_P"
    takes_cutoff: ClassVar[TakesCutoff] = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Divide the hits by the most that a list of n items could contain."""
        return share(judged.hits(cutoffs), np.minimum(judged.n_relevant[:, np.newaxis], np.asarray(cutoffs)))


class ShownAP(Metric):
    """ShownAP@n = Σ_{hits k <= n} P@k / min(|R_u|, n, |L|), so a short list without a miss scores 1.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label: ClassVar[str] = "ShownAP"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "LensKit's AveragePrecision"
    takes_cutoff: ClassVar[TakesCutoff] = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Sum the precision at each hit and divide by the number of possible hits."""
        shown = np.minimum(judged.listed[:, np.newaxis], np.asarray(cutoffs))
        precision = judged.sum_hits(lambda rows: (judged.relevant_above[rows] + 1) / judged.position[rows], cutoffs)
        return share(precision, np.minimum(shown, judged.n_relevant[:, np.newaxis]))


class SteppedAP(Metric):
    """SteppedAP = (1 / |R_u|) Σ_{hits} P@e, where e is the last position with the hit's score: equal scores form one step.

    It is the area below the steps of a precision-recall curve that has one point for each score. If all tied items are relevant,
    their order does not matter; otherwise, the order within the tie affects the value. Range [0, 1]; 0 without relevant items or
    without a list. Positions without scores are refused.
    """

    label: ClassVar[str] = "SteppedAP"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "scikit-learn's average_precision_score"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
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

    label: ClassVar[str] = "ratingDCG"
    source: ClassVar[str] = "LensKit's DCG(gain=rating)"
    takes_cutoff: ClassVar[TakesCutoff] = "optionally"
    values_range: ClassVar[str] = "[0, ∞)"
    ignores: ClassVar[frozenset[Ignorable]] = frozenset({"relevance"})

    discount: Discount = Field("jk2", description=DISCOUNT_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Sum discounted ratings."""
        return judged.sums(np.nan_to_num(judged.rating, nan=1.0), cutoffs, discount_at(self.discount))


class NDCGOfFull(Metric):
    """nDCGOfFull@n = Σ_{hits k <= n} D(k) / Σ_{k<=n} D(k) with D(k) = 1 / log2(k + 1): the ideal list has n hits even if |R_u| < n.

    Range [0, 1], below 1 if |R_u| < n; 0 without relevant items or without a list.
    """

    label: ClassVar[str] = "nDCGOfFull"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "RecTools' NDCG"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Divide the discounted hits by those of a list that has only hits."""
        discounted = judged.sum_hits(lambda rows: 1 / np.log2(judged.position[rows] + 1.0), cutoffs)
        return capped(discounted / [np.sum(1 / np.log2(np.arange(2, n + 2))) for n in cutoffs], 1.0)


class APByCutoff(Metric):
    """APByCutoff@n = (1 / n) Σ_{hits k <= n} P@k: if there are fewer than n relevant items, no list scores 1.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label: ClassVar[str] = "APByCutoff"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "RecTools' MAP with divide_by_k"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Sum the precision at each hit and divide by the cut-off."""
        return judged.sum_hits(lambda rows: (judged.relevant_above[rows] + 1) / judged.position[rows], cutoffs) / cutoffs


class PartialAUC(Metric):
    """pAUC@n = Σ_{hits} max(n - m, 0) / (n |R_u|), where m counts the misses above a hit: the area under ROC over n misses.

    Every item that is not relevant is a miss, judged or not; the cut-off counts misses instead of positions. If a list has fewer
    than n misses, missing relevant items come after all of them. Range [0, 1]; 0 without relevant items or without a list.
    """

    label: ClassVar[str] = "pAUC"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "RecTools' PartialAUC, insufficient_handling=ignore"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """For each hit, count how many of the first n misses are below it."""
        return _area(judged, [(n, judged.n_relevant.max(initial=0)) for n in cutoffs])


class PAP(Metric):
    """pAp@n = Σ_{first n hits} max(n - m, 0) / (n min(n, |R_u|)), m misses above a hit: area under ROC over n misses and n hits.

    Like `PartialAUC`, but at most n relevant items count. Range [0, 1]; 0 without relevant items or without a list.
    """

    label: ClassVar[str] = "pAp"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "Budhiraja et al. (2020), as RecTools' PAP, insufficient_handling=ignore"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """For each of the first n hits, count how many of the first n misses are below it."""
        return _area(judged, [(n, n) for n in cutoffs])


def _area(judged: Judged, bounds: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """Return the area under ROC over the first misses and the first relevant items; ``bounds`` gives their numbers by column."""

    def columns() -> Iterator[NDArray[np.float64]]:
        misses = judged.position - 1 - judged.relevant_above
        for n_misses, n_hits in bounds:
            below = np.maximum(n_misses - misses, 0) * (judged.relevant_above < n_hits)
            area = judged.sum_hits(lambda rows, below=below: below[rows].astype(np.float64), (WHOLE,))  # type: ignore[misc]
            yield share(area, n_misses * np.minimum(judged.n_relevant, n_hits)[:, np.newaxis])

    return np.concatenate(list(columns()), axis=1)
