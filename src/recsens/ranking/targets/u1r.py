"""U1R: one ranking per relevant test rating, on a test set with the same number of ratings per item."""

from typing import ClassVar

from recsens.ranking.targets._fields import Drawn, Non, Short, Size, Weighted
from recsens.ranking.targets._ranking_per_rating import OneRelevant
from recsens.ranking.targets._selection import Selection


class U1R(OneRelevant):
    """``one_r`` with items=test (TI), for a ``uniform`` split: all non-relevant targets have the same number of test ratings.

    ``n`` counts only non-relevant items. If fewer than n items are left for a user, all of them are targets; with ``short=refuse``,
    such data are refused. Data are always refused if, for some user, no item is left, or if no test rating is relevant.
    """

    source = "Bellogín (2012), section 4.6.2, 'U1R'"
    made_for: ClassVar[str] = "uniform"

    n: Size = None
    negatives: Non = "not_relevant"
    draw: Drawn = "per_user"
    sampling: Weighted = "uniform"
    short: Short = "take_all"

    @property
    def selection(self) -> Selection:
        """Only items with a test rating are candidates (TI); all other choices are the parameters."""
        return Selection("test", self.n, self.negatives, self.draw, self.sampling, short=self.short)
