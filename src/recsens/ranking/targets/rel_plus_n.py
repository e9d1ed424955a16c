"""RelPlusN: one ranking per relevant test rating, among sampled items that the user has not rated."""

from pydantic import Field

from recsens.plugins.prose import several
from recsens.ranking.targets._fields import Short
from recsens.ranking.targets._ranking_per_rating import OneRelevant
from recsens.ranking.targets._selection import Selection


class RelPlusN(OneRelevant):
    """T_u^r = {i_r} + n items that the user has rated neither in train nor in test, sampled anew for each relevant test rating.

    If a user has fewer than n unrated items, all of them are targets; with ``short=refuse``, such data are refused. Data are always
    refused if some user has rated every item, or if no test rating is relevant.
    """

    source = "Cremonesi, Koren & Turrin (2010), section 2; 'RelPlusN' in Said & Bellogín (2014)"
    also_called = ("one_plus_random", "rel_plus_random")

    n: int = Field(1000, ge=1, description="number of sampled items, not counting the relevant one")
    short: Short = "take_all"

    def prose_title(self) -> str:
        """Name the targets in a few words."""
        return f"each relevant item among {several(self.n, 'unrated item')}" if self.short == "take_all" else ""

    def prose(self) -> str:
        """Name the number."""
        return (
            f"For every relevant test rating, we ranked its item together with {several(self.n, 'item')} that the user has rated "
            "neither in training nor in test, drawn with equal probability and afresh for each "
            f"rating{self.prose_shortage}."
        )

    @property
    def selection(self) -> Selection:
        """All items are candidates (AI), but only unrated items are drawn, with a new sample for each rating."""
        return Selection("all", self.n, "unrated", "per_rating", short=self.short)
