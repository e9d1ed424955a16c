"""UAR: all relevant test items in one ranking per user, on a test set with the same number of ratings per item."""

from typing import ClassVar

from recsens.ranking.targets._fields import Non, Short, Size, Weighted
from recsens.ranking.targets._ranking_per_user import AllRelevant
from recsens.ranking.targets._selection import Selection


class UAR(AllRelevant):
    """``ar`` with items=test (TI), for a ``uniform`` split: all items in T_u have the same number of test ratings.

    ``n`` counts only non-relevant items. If fewer than n items are left for a user, all of them are targets; with ``short=refuse``,
    such data are refused.
    """

    source = "Bellogín (2012), section 4.6.2, 'UAR'"
    made_for: ClassVar[str] = "uniform"

    n: Size = None
    negatives: Non = "not_relevant"
    sampling: Weighted = "uniform"
    short: Short = "take_all"

    @property
    def selection(self) -> Selection:
        """Only items with a test rating are candidates (TI); all other choices are the parameters."""
        return Selection("test", self.n, self.negatives, sampling=self.sampling, short=self.short)
