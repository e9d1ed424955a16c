"""All relevant test items of a user in one ranking (AR), alone or on a uniform test set.

ar: AR: all relevant test items in one ranking per user.
uar: UAR: all relevant test items in one ranking per user, on a test set with the same number of ratings per item.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.plugins.prose import several
from recsens.ranking.targets._base import Samples
from recsens.ranking.targets._kernels import draw_for_users
from recsens.ranking.targets._rows import UserRatings
from recsens.ranking.targets._selection import Items, Non, Selecting, Selection, Short, Size, Weighted
from recsens.seeds import Stream


class AllRelevant(Selecting):
    """T_u = N_u + PR_test(u), both restricted to C - R_train(u).

    N_u are non-relevant items, PR_test(u) are u's relevant test items, C are the candidates, and R_train(u) are u's train items.
    """

    def prose(self) -> str:
        """Name the candidates and the sample."""
        chosen = self.selection
        what = self.prose_candidates
        if chosen.n is not None:
            relevant = "the relevant test items" + (" with a training rating by any user" if chosen.items == "train" else "")
            return f"For every user, we ranked {relevant} together with {self.prose_sample()}."
        but = "; the user's test items that are not relevant were left out" if chosen.negatives == "unrated" else ""
        if chosen.items == "all":
            return f"For every user, we ranked all items that the user had not rated in the training set{but}."
        return f"For every user, we ranked all {what}, except those that the user had rated in the training set{but}."

    @property
    def uses_test(self) -> bool:
        """Whether the choice depends on the test set.

        It does not if the candidates do not depend on it, and all candidates outside the user's train set are targets.
        """
        return self.selection.items == "test" or self.uses_relevance

    @property
    def uses_relevance(self) -> bool:
        """Whether the choice depends on relevance: drawn items must not be relevant, and relevant items are added."""
        return self.selection.n is not None or self.selection.negatives == "unrated"

    def check(self, train: Interactions, test: Interactions, relevance: float) -> None:
        """Refuse an empty set of candidates and, with short=refuse, an n for which some user has too few items left."""
        chosen = self.selection
        chosen.check_candidates(train, test)
        if (needed := chosen.needed) is not None:
            left = chosen.left(train, test, relevance)[:, 0]
            advice = "lower n, take n=null, or filter users with very many ratings"
            chosen.check_left(left, int((left < needed).sum()), needed, advice)

    def samples(self, train: Interactions, test: Interactions, relevance: float) -> Samples | None:
        """Return the sample size of each user."""
        n = self.selection.n
        if n is None:
            return None
        return Samples(n, np.arange(train.n_users), self.selection.left(train, test, relevance)[:, 0])

    def mask(
        self, train: Interactions, test: Interactions, users: NDArray[np.int64], relevance: float, stream: Stream
    ) -> NDArray[np.bool_]:
        """Take all candidates, or the relevant candidates and a sample of the others (all others if there are too few)."""
        chosen = self.selection
        pool = chosen.not_in_train(train, test, users)
        if not self.uses_relevance:
            return pool
        judged = UserRatings.of(test, users)
        relevant, apart = judged.relevant(relevance), chosen.judged_apart(judged, relevance)
        mask = np.zeros_like(pool)
        mask[relevant.row, relevant.item] = pool[relevant.row, relevant.item]
        pool[apart.row, apart.item] = False
        if chosen.n is None:
            return np.asarray(mask | pool)
        strata = chosen.strata(train, test)
        keys = {"user_keys": train.user_keys[users], "item_keys": train.item_keys}
        drawn = draw_for_users(pool, strata, chosen.n, stream=stream, **keys)
        row, slot = np.nonzero(drawn >= 0)
        mask[row, drawn[row, slot]] = True
        return mask


class AR(AllRelevant):
    """T_u = C - R_train(u): all candidates that the user has not rated in train are ranked (called AI-AR-AN in the source).

    With ``n``, T_u consists of those candidates that are relevant test items, plus a sample of n other items. With
    ``negatives=unrated``, the user's disliked test items are not targets. If fewer than n other items are left for a user, all of
    them are targets; with ``short=refuse``, such data are refused.
    """

    label = "ar"
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


class UAR(AllRelevant):
    """``ar`` with items=test (TI), for a ``uniform`` split: all items in T_u have the same number of test ratings.

    ``n`` counts only non-relevant items. If fewer than n items are left for a user, all of them are targets; with ``short=refuse``,
    such data are refused.
    """

    label = "uar"
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
