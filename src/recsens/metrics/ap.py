"""Average precision."""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import ByPlace, Floats, Ints, Judged, Metric, share


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
