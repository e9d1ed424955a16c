"""AR: one ranking per user, with all relevant test items that are candidates."""

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.ranking.targets._draws import draw_for_users
from recsens.ranking.targets._rows import UserRatings
from recsens.ranking.targets._sample_sizes import Samples
from recsens.ranking.targets._selection import Selecting
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
