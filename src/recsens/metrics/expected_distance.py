"""Expected distances as a user browses a list: of its items to each other, and to what the user knows.

EILD: Expected intra-list distance.
EPD: Expected profile distance.
"""

import numpy as np
from pydantic import Field
from scipy.sparse import csr_array

from recsens.metrics import Catalogue, Floats, Judged, ListMetric, Lists, share
from recsens.metrics._browsed_lists import (
    DISCOUNT_OF_RANK,
    RELEVANCE_OF_ITEM,
    BrowsingDiscount,
    Relevance,
    discounts,
    ignored_with,
    relevances,
)


class _ExpectedDistance(ListMetric):
    by: str = Field("raters", min_length=1, description="what items may share: raters, or words in a column of the table of items")
    discount: BrowsingDiscount = Field("log2", description=DISCOUNT_OF_RANK)
    relevance: Relevance = Field("none", description=RELEVANCE_OF_ITEM)

    @property
    def item_columns(self) -> tuple[str, ...]:
        """The column of words, unless items are compared by their raters."""
        return () if self.by == "raters" else (self.by,)

    @property
    def ignored(self) -> frozenset[str]:
        """Relevance too, unless g depends on its threshold."""
        return super().ignored | ignored_with(self.relevance)

    def _members(self, catalogue: Catalogue) -> csr_array:
        return (catalogue.by_item() if self.by == "raters" else catalogue.words(self.by)).astype(np.float64)

    def _distances(self, own: csr_array, others: csr_array) -> Floats:
        """Return the distance of each item of one kind to each of another, given their members, shape (n_own, n_others)."""
        common = (own @ others.T).toarray()
        a, b = np.diff(own.indptr)[:, np.newaxis], np.diff(others.indptr)
        return 1.0 - share(common, np.sqrt(a * b) if self.by == "raters" else a + b - common)


class EILD(_ExpectedDistance):
    """EILD@n = Σ_{k<=n} D(k) g(i_k) d_k / Σ_{k<=n} D(k), d_k = Σ_{l != k} D(l|k) g(i_l) d(i_k, i_l) / Σ_{l != k} D(l|k) g(i_l).

    i_k is the item at rank k, and l runs over the first n ranks, too. D(l|k) = D(max(1, l - k)) discounts by the distance in rank
    from k on. d = 1 - sim is the distance of `ILD`: by raters, one minus the cosine of train columns, and otherwise one minus the
    share of common words. With ``relevance``, only items that the user likes count, each beside the others that the user likes. d_k
    is 0 if no other item counts. Range [0, 1]; 0 for a list with fewer than two items. Without discount and relevance, EILD is ILD.
    RankSys, the library of the paper's authors, computes the same sums.
    """

    label = "EILD"
    source = "Vargas & Castells (2011), section 5, rank and relevance-aware intra-list distance"

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the distances of pairs, user by user."""
        members, liked = self._members(lists.catalogue), relevances(lists, judged, self.relevance)
        deepest = int(lists.shown(cutoffs).max(initial=0))
        place = np.arange(deepest)
        weight = discounts(place + 1, self.discount)
        reached = discounts(np.maximum(place - place[:, np.newaxis], 1), self.discount)
        np.fill_diagonal(reached, 0.0)
        values = np.zeros((lists.n_users, len(cutoffs)))
        for user, length in enumerate(np.minimum(lists.lengths, deepest)):
            own = slice(lists.starts[user], lists.starts[user] + length)
            items = members[lists.item[own]]
            beside = reached[:length, :length] * liked[own]
            masses, sums = (np.cumsum(each, axis=1) for each in (beside, beside * self._distances(items, items)))
            for column, n in enumerate(np.minimum(cutoffs, length)):
                if n > 0:
                    distance = share(sums[:n, n - 1], masses[:n, n - 1])
                    values[user, column] = (weight[:n] * liked[own][:n] * distance).sum() / weight[:n].sum()
        return values


class EPD(_ExpectedDistance):
    """EPD@n = Σ_{k<=n} D(k) g(i_k) d(i_k, u) / Σ_{k<=n} D(k): how far list items are from those that user u rated in train.

    i_k is the item at rank k, and d(i, u) the mean distance of item i to the user's train items, where the distance of two items is
    that of `EILD`. With ``relevance``, list items that the user does not like count 0. Train items all count the same, whereas the
    paper weights each by the chance that the user likes it; RankSys, the library of its authors, does as we do. For a user without
    train ratings, d(i, u) is 1, but 0 in RankSys. Range [0, 1]; 0 for an empty list.
    """

    label = "EPD"
    source = "Vargas & Castells (2011), section 5, distance-based novelty of a user profile, with equal weights in the profile"

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the distances to the user's train items, user by user."""
        members, profiles = self._members(lists.catalogue), lists.catalogue.by_item().T.tocsr()
        worth = np.ones(len(lists.item))
        shown = lists.shown(cutoffs).max(axis=1, initial=0)
        for row, user in enumerate(lists.users):
            known = profiles.indices[profiles.indptr[user] : profiles.indptr[user + 1]]
            own = slice(lists.starts[row], lists.starts[row] + shown[row])
            if len(known):
                worth[own] = self._distances(members[lists.item[own]], members[known]).mean(axis=1)
        worth *= relevances(lists, judged, self.relevance)
        return lists.weighted_means(worth, discounts(lists.ranks, self.discount), cutoffs)
