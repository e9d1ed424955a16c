"""1R: one ranking per relevant test rating."""

from recsens.ranking.targets._fields import Drawn, Items, Non, Short, Size, Weighted
from recsens.ranking.targets._ranking_per_rating import OneRelevant
from recsens.ranking.targets._selection import Selection


class OneR(OneRelevant):
    """T_u^r = {i_r} + N_u^r for each relevant test rating r: the rated item, and all or n of the non-relevant candidates.

    A rated item that is not a candidate has no ranking, and counts as a miss. If fewer than n items are left for a user, all of
    them are targets; with ``short=refuse``, such data are refused. Data are always refused if, for some user, no item is left, or
    if no test rating is relevant.
    """

    source = "Bellogín (2012), sections 4.3.1 and 4.3.2, equation 4.1"

    items: Items = "all"
    n: Size = None
    negatives: Non = "not_relevant"
    draw: Drawn = "per_user"
    sampling: Weighted = "uniform"
    short: Short = "take_all"

    @property
    def selection(self) -> Selection:
        """The selection described by the parameters."""
        return Selection(self.items, self.n, self.negatives, self.draw, self.sampling, short=self.short)
