"""The expected value of a metric if only a sample of the candidates were ranked."""

from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from recsens.files.scale import Scale
from recsens.metrics import Floats, Judged, MeasuredAt, Metric, PlaceValues, fill_expected
from recsens.plugins import component
from recsens.plugins.specs import Spec

_PROBED = (1, 10)
"""Cut-offs at which the inner metric is tried when the component is built."""


class Sampled(Metric):
    """Sampled@n = (1 / |R_u|) Σ_{i in R_u} E[g(1 + H_i)]: the expected value if each relevant item is ranked among a sample.

    g(k) is the value of the metric ``of``, cut at n, for a ranking with a single judged item, which is relevant and at place k. No
    sample is drawn. Of the N targets of u that are not relevant, a_i are ranked above i. A sample contains ``negatives`` of these N
    targets, of which H_i are above i: H_i ~ Hypergeometric(N, a_i, negatives) or, with replacement, H_i ~ Binomial(negatives, a_i /
    N). Without replacement, all N are sampled if N is at most ``negatives``. Targets that are not ranked may be sampled but are
    never above i; if i is not ranked, it is a miss. Ties are broken as in the ranking. Sampled is the expected mean over each
    user's rankings under ``one_r(n=..)``; in the design with ``one_r`` and in the analysis ``dial``, by contrast, every rating has
    the same weight. In a condensed view, only judged targets count. If the targets are not known, the ranked items are used. Range:
    the range of the metric; 0 without relevant items or without a list.
    """

    label: ClassVar[str] = "Sampled"
    is_monotone: ClassVar[bool] = True
    reads_below: ClassVar[bool] = True
    source: ClassVar[str] = "Krichene & Rendle (2020), On sampled metrics for item recommendation; 1R: Cremonesi et al. (2010)"

    of: Annotated[Spec, *component("metric")] = Field(
        Spec("nDCG"), description="the metric, which depends on nothing but the place of one relevant item: P, R, RR, AP, nDCG, ..."
    )
    negatives: int = Field(100, ge=1, le=100_000, description="number of sampled targets that are not relevant")
    replacement: bool = Field(False, description="whether a target can be drawn twice")

    @model_validator(mode="after")
    def _check(self) -> Self:
        metric = Metric.build(self.of)
        if metric.unit != "user":
            raise ValueError(f"'{self.of}' has one value for all users; name a metric with a value per user, such as nDCG")
        PlaceValues.of([MeasuredAt(metric, cutoff) for cutoff in _PROBED], 2, np.array([np.nan]), Scale(), Scale().relevance)
        return self

    @property
    def has_range_by_ties(self) -> bool:
        """Whether the inner metric has a range by ties."""
        return Metric.build(self.of).has_range_by_ties

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum over the possible numbers of sampled targets above each relevant item; equal places are computed once."""
        rows = np.flatnonzero(judged.is_relevant)
        user, position, pool = judged.user[rows], judged.position[rows], judged.rivals[judged.user[rows]]
        ranked = np.flatnonzero(position > 0)
        above = position[ranked] - 1 - judged.relevant_above[rows[ranked]]
        most = int(above.max(initial=0)) + 1
        distinct, place = np.unique(pool[ranked] * most + above, return_inverse=True)
        pools, places = np.divmod(distinct, most)
        metric = Metric.build(self.of)
        ratings, level = np.unique(judged.rating[rows], return_inverse=True, equal_nan=True)
        depth = 1 + min(self.negatives, int(pools.max(initial=0))) if not self.replacement else 1 + self.negatives
        values = PlaceValues.of([MeasuredAt(metric, cutoff) for cutoff in cutoffs], depth, ratings, judged.scale, judged.relevance)
        expected = np.empty((len(distinct), values.at.shape[1]))
        fill_expected(places, pools, self.negatives, self.replacement, values.at, expected)
        of_ratings = np.tile(values.missed, (len(rows), 1))
        of_ratings[ranked] = expected[place]
        found = np.empty((judged.n_users, len(cutoffs)))
        for nth in range(len(cutoffs)):
            own = of_ratings[np.arange(len(rows)), values.column[nth][level]]
            found[:, nth] = np.bincount(user, weights=own, minlength=judged.n_users) / np.maximum(judged.n_relevant, 1)
        return found
