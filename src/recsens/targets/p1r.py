"""P1R: one ranking for each relevant test rating, among items about as popular."""

from __future__ import annotations

from pydantic import Field

from recsens.targets._fields import Drawn, Items, Non, Size, Weighted
from recsens.targets._one_relevant import OneRelevant
from recsens.targets._selection import Selection


class P1R(OneRelevant):
    """T_u^r = {i_r} + N_u^r with N_u^r from the popularity percentile of i_r; the percentiles' values count the same.

    All items are cut into m percentiles of equally many by their train ratings. A percentile without a relevant test rating is
    left out of the mean. Refused where n is more than what some percentile leaves for some user, where there are fewer items than
    percentiles, and where no test rating is relevant.
    """

    source = "Bellogín (2012), section 4.6.1, 'P1R'"

    m: int = Field(10, ge=1, description="number of popularity percentiles")
    n: Size = None
    items: Items = "all"
    negatives: Non = "not_relevant"
    draw: Drawn = "per_user"
    sampling: Weighted = "uniform"

    @property
    def selection(self) -> Selection:
        """As the parameters say."""
        return Selection(self.items, self.n, self.negatives, self.draw, self.sampling, self.m)
