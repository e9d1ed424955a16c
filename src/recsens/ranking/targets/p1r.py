"""P1R: one ranking per relevant test rating, among items of similar popularity."""

from pydantic import Field

from recsens.ranking.targets._fields import Drawn, Items, Non, Short, Size, Weighted
from recsens.ranking.targets._ranking_per_rating import OneRelevant
from recsens.ranking.targets._selection import Selection


class P1R(OneRelevant):
    """T_u^r = {i_r} + N_u^r, with N_u^r from the popularity percentile of i_r; all percentiles have the same weight.

    i_r is the item of the relevant test rating r, and N_u^r are all or n of the non-relevant candidates in its percentile. All
    items are ordered by their number of train ratings and divided into m percentiles of equal size. A percentile without a relevant
    test rating is left out of the mean. If a user has fewer than n items left in the percentile, all of them are targets; with
    ``short=refuse``, such data are refused. Data are always refused if some relevant test rating has no other item left, if there
    are fewer items than percentiles, or if no test rating is relevant.
    """

    source = "Bellogín (2012), section 4.6.1, 'P1R'"

    m: int = Field(10, ge=1, description="number of popularity percentiles")
    n: Size = None
    items: Items = "all"
    negatives: Non = "not_relevant"
    draw: Drawn = "per_user"
    sampling: Weighted = "uniform"
    short: Short = "take_all"

    @property
    def selection(self) -> Selection:
        """The selection described by the parameters."""
        return Selection(self.items, self.n, self.negatives, self.draw, self.sampling, self.m, self.short)
