"""UAR: all relevant test items, on a test set with equally many ratings per item."""

from typing import ClassVar

from recsens.ranking.targets._fields import Non, Short, Size, Weighted
from recsens.ranking.targets._ranking_per_user import AllRelevant
from recsens.ranking.targets._selection import Selection


class UAR(AllRelevant):
    """``ar`` with items=test (TI), for a ``uniform`` split: T_u within the items that have the same number of test ratings.

    ``n`` counts only non-relevant items. If fewer are left for a user, all of these are targets; with ``short=refuse``, the data
    are refused instead.
    """

    source = "Bellogín (2012), section 4.6.2, 'UAR'"
    made_for: ClassVar[str] = "uniform"

    n: Size = None
    negatives: Non = "not_relevant"
    sampling: Weighted = "uniform"
    short: Short = "take_all"

    @property
    def selection(self) -> Selection:
        """Items with a test rating (TI); otherwise as the parameters describe."""
        return Selection("test", self.n, self.negatives, sampling=self.sampling, short=self.short)
