"""1R: one ranking per relevant test rating, without other relevant items."""

from functools import partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.ranking.targets._by_rating import ByRating
from recsens.ranking.targets._draws import draw_for_ratings
from recsens.ranking.targets._rows import UserRatings
from recsens.ranking.targets._sample_sizes import Samples
from recsens.ranking.targets._selection import Selecting, relevant_of_all
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
        relevant = relevant_of_all(test, relevance)
        if len(relevant.row) == 0:
            raise DesignError(
                f"no test rating is relevant (at least {relevance:g}), so '{self.spec}' has nothing to rank",
                remedy="lower 'relevance', or take a split that puts relevant ratings into the test set",
            )
        left = self._left(relevant, train, test, relevance)
        needed = chosen.needed or 1
        short = len(np.unique(relevant.row[left < needed]))
        within = ", or fewer percentiles m" if chosen.m > 1 else ""
        chosen.check_left(left, short, needed, f"lower n{within}, or filter users with very many ratings")

    def samples(self, train: Interactions, test: Interactions, relevance: float) -> Samples | None:
        """Return the sample size of each relevant test rating."""
        n = self.selection.n
        if n is None:
            return None
        relevant = relevant_of_all(test, relevance)
        return Samples(n, relevant.row, self._left(relevant, train, test, relevance))

    def _left(self, relevant: UserRatings, train: Interactions, test: Interactions, relevance: float) -> NDArray[np.int64]:
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
