"""AR: all relevant test items in one ranking per user."""

from recsens.plugins.prose import several
from recsens.ranking.targets._fields import Items, Non, Short, Size, Weighted
from recsens.ranking.targets._ranking_per_user import AllRelevant
from recsens.ranking.targets._selection import Selection


class AR(AllRelevant):
    """T_u = C - R_train(u): all candidates that the user has not rated in train are ranked (called AI-AR-AN in the source).

    With ``n``, T_u consists of those candidates that are relevant test items, plus a sample of n other items. With
    ``negatives=unrated``, the user's disliked test items are not targets. If fewer than n other items are left for a user, all of
    them are targets; with ``short=refuse``, such data are refused.
    """

    source = "Bellogín (2012), section 4.3.1, table 4.2; the default: Cañamares, Castells & Moffat (2020), section 3.4"
    also_called = ("all", "all_items", "all_unrated", "full")

    items: Items = "all"
    n: Size = None
    negatives: Non = "not_relevant"
    sampling: Weighted = "uniform"
    short: Short = "take_all"

    def prose_title(self) -> str:
        """Name the targets in a few words."""
        if self == type(self)(n=self.n):
            return "all items" if self.n is None else f"relevant items among {several(self.n, 'other')}"
        return ""

    @property
    def selection(self) -> Selection:
        """The selection described by the parameters."""
        return Selection(self.items, self.n, self.negatives, sampling=self.sampling, short=self.short)
