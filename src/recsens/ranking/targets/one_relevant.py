"""One ranking per relevant test rating (1R), in which it is the only relevant item.

one_r: 1R: one ranking per relevant test rating.
p1r: P1R: one ranking per relevant test rating, among items of similar popularity.
u1r: U1R: one ranking per relevant test rating, on a test set with the same number of ratings per item.
rel_plus_n: RelPlusN: one ranking per relevant test rating, among sampled items that the user has not rated.
"""

from functools import partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.plugins.prose import several
from recsens.ranking.targets._base import ByRating, Samples
from recsens.ranking.targets._kernels import draw_for_ratings
from recsens.ranking.targets._rows import UserRatings
from recsens.ranking.targets._selection import Drawn, Items, Non, Selecting, Selection, Short, Size, Weighted
from recsens.seeds import Stream


class OneRelevant(Selecting):
    """T_u^r = {i_r} + N_u^r for each relevant test rating r of a user u.

    i_r is the item of r, and N_u^r are non-relevant items.
    """

    unit: ClassVar[Literal["user", "rating"]] = "rating"

    def prose(self) -> str:
        """Name the candidates, the sample, and the percentiles, if there are any."""
        chosen = self.selection
        within = f" in the same popularity percentile (of {chosen.m})" if chosen.m > 1 else ""
        others = f"all {self.prose_candidates}{within} {self.prose_negatives}"
        if chosen.n is not None:
            fresh = "afresh for each rating" if chosen.draw == "per_rating" else "once for all rankings of a user"
            others = f"{self.prose_sample(within)}; they were drawn {fresh}"
        miss = " A rating whose item has no training rating is a miss." if chosen.items == "train" else ""
        weight = (
            f" Every percentile with a relevant test rating has the same weight in the mean; all {chosen.m} have the same number "
            "of items."
        )
        return f"For every relevant test rating, we ranked its item together with {others}.{miss}{weight if chosen.m > 1 else ''}"

    @property
    def shares_others(self) -> bool:
        """Whether rankings share their sample; false if each rating has a separate sample."""
        return self.selection.n is None or self.selection.draw == "per_user"

    @property
    def uses_test(self) -> bool:
        """Always true, because each ranking belongs to a test rating."""
        return True

    @property
    def uses_relevance(self) -> bool:
        """Always true, because only relevant ratings have rankings."""
        return True

    @property
    def n_groups(self) -> int:
        """Number of popularity percentiles."""
        return self.selection.m

    @property
    def mean_difference(self) -> str:
        """The mean over rankings; each rating has one ranking, and popularity percentiles have equal weight."""
        per_rating = "the mean difference per rating"
        return per_rating if self.selection.m == 1 else f"the mean over percentiles of {per_rating}"

    def check(self, train: Interactions, test: Interactions, relevance: float) -> None:
        """Refuse data without relevant test ratings, or with too few items to draw from for some relevant test rating.

        At least one item must be left besides the relevant item; with short=refuse, at least n items must be left.
        """
        chosen = self.selection
        chosen.check_candidates(train, test)
        relevant = UserRatings.of_all(test).relevant(relevance)
        if len(relevant.row) == 0:
            raise DesignError(
                f"no test rating is relevant (at least {relevance:g}), so '{self.spec}' has nothing to rank",
                remedy="lower 'relevance', or take a split that puts relevant ratings into the test set",
            )
        left = self._n_left(relevant, train, test, relevance)
        needed = chosen.needed or 1
        short = len(np.unique(relevant.row[left < needed]))
        within = ", or fewer percentiles m" if chosen.m > 1 else ""
        chosen.check_left(left, short, needed, f"lower n{within}, or filter users with very many ratings")

    def samples(self, train: Interactions, test: Interactions, relevance: float) -> Samples | None:
        """Return the sample size of each relevant test rating."""
        n = self.selection.n
        if n is None:
            return None
        relevant = UserRatings.of_all(test).relevant(relevance)
        return Samples(n, relevant.row, self._n_left(relevant, train, test, relevance))

    def _n_left(self, relevant: UserRatings, train: Interactions, test: Interactions, relevance: float) -> NDArray[np.int64]:
        """Count the items to draw from for each relevant test rating, shape (n_ratings,)."""
        chosen = self.selection
        of = chosen.strata(train, test).of
        return np.asarray(chosen.left(train, test, relevance)[relevant.row, of[relevant.item]])

    def mask(
        self, train: Interactions, test: Interactions, users: NDArray[np.int64], relevance: float, stream: Stream
    ) -> NDArray[np.bool_]:
        """Return the items from which non-relevant targets are drawn."""
        chosen = self.selection
        pool = chosen.not_in_train(train, test, users) & (chosen.strata(train, test).weights > 0)
        apart = chosen.judged_apart(UserRatings.of(test, users), relevance)
        pool[apart.row, apart.item] = False
        return np.asarray(pool)

    def by_rating(
        self, train: Interactions, test: Interactions, users: NDArray[np.int64], relevance: float, stream: Stream
    ) -> ByRating:
        """Return the targets of each relevant test rating: its item, and n other items (all of them if n is None or too high)."""
        chosen = self.selection
        strata = chosen.strata(train, test)
        pool = self.mask(train, test, users, relevance, stream)
        relevant = UserRatings.of(test, users).relevant(relevance)
        indptr = relevant.indptr(len(users))
        keys = {"user_keys": train.user_keys[users], "item_keys": train.item_keys}
        fresh = chosen.draw == "per_rating"
        draw = None
        if chosen.n is not None:
            draw = partial(
                draw_for_ratings, pool, strata, chosen.n, indptr=indptr, items=relevant.item, fresh=fresh, stream=stream, **keys
            )
        return ByRating(
            pool=pool,
            indptr=indptr,
            items=relevant.item,
            rating=relevant.rating,
            is_candidate=chosen.candidates(train, test)[relevant.item],
            strata=strata,
            n=chosen.n,
            draw=draw,
        )


class OneR(OneRelevant):
    """T_u^r = {i_r} + N_u^r for each relevant test rating r: the rated item, and all or n of the non-relevant candidates.

    A rated item that is not a candidate has no ranking, and counts as a miss. If fewer than n items are left for a user, all of
    them are targets; with ``short=refuse``, such data are refused. Data are always refused if, for some user, no item is left, or
    if no test rating is relevant.
    """

    label = "one_r"
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


class P1R(OneRelevant):
    """T_u^r = {i_r} + N_u^r, with N_u^r from the popularity percentile of i_r; all percentiles have the same weight.

    i_r is the item of the relevant test rating r, and N_u^r are all or n of the non-relevant candidates in its percentile. All
    items are ordered by their number of train ratings and divided into m percentiles of equal size. A percentile without a relevant
    test rating is left out of the mean. If a user has fewer than n items left in the percentile, all of them are targets; with
    ``short=refuse``, such data are refused. Data are always refused if some relevant test rating has no other item left, if there
    are fewer items than percentiles, or if no test rating is relevant.
    """

    label = "p1r"
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


class U1R(OneRelevant):
    """``one_r`` with items=test (TI), for a ``uniform`` split: all non-relevant targets have the same number of test ratings.

    ``n`` counts only non-relevant items. If fewer than n items are left for a user, all of them are targets; with ``short=refuse``,
    such data are refused. Data are always refused if, for some user, no item is left, or if no test rating is relevant.
    """

    label = "u1r"
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


class RelPlusN(OneRelevant):
    """T_u^r = {i_r} + n items that the user has rated neither in train nor in test, sampled anew for each relevant test rating.

    If a user has fewer than n unrated items, all of them are targets; with ``short=refuse``, such data are refused. Data are always
    refused if some user has rated every item, or if no test rating is relevant.
    """

    label = "rel_plus_n"
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
