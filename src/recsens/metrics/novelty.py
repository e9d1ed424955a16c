"""Novelty of recommended items: items with fewer raters, or with words that are new to the user.

EPC: Expected popularity complement.
EFD: Expected free discovery.
MSI: Mean self-information.
MIUF: Mean inverse user frequency.
Surprisal: Normalised self-information of a list of n.
KLNovelty: Kullback-Leibler divergence between the words that a user knows with and without a list.
EILD: Expected intra-list distance.
EPD: Expected profile distance.
"""

from abc import abstractmethod
from typing import Literal

import numpy as np
from pydantic import Field
from scipy.sparse import csr_array

from recsens.metrics import Catalogue, Floats, Ints, Judged, ListMetric, Lists, share
from recsens.metrics._gains import gains, ignored_by

BrowsingDiscount = Literal["none", "log2"]
DISCOUNT_OF_RANK = "D(k): 1 (none), or 1 / log2(k + 1) (log2)"

Relevance = Literal["none", "binary", "exp", "linear", "chapelle"]
RELEVANCE_OF_ITEM = (
    "g(i), the chance that the user chooses item i: 1 (none); or, for a test rating r on a scale lo..hi, 1 if relevant (binary), "
    "(2^(r-lo)-1)/(2^(hi-lo)-1) (exp), r/hi (linear), (2^(r-lo)-1)/2^(hi-lo) (chapelle), and 0 without a rating"
)


def ignored_with(relevance: Relevance) -> frozenset[str]:
    """Return the decisions that never change a metric: relevance, unless g depends on its threshold."""
    return frozenset({"relevance"}) if relevance == "none" else frozenset(ignored_by(relevance))


def discounts(ranks: Ints, discount: BrowsingDiscount) -> Floats:
    """Return D at ranks, counted from 1."""
    return np.ones(ranks.shape) if discount == "none" else 1.0 / np.log2(ranks + 1.0)


def relevances(lists: Lists, judged: Judged, relevance: Relevance) -> Floats:
    """Return g of each listed item, in the order of ``lists.item``."""
    if relevance == "none":
        return np.ones(len(lists.item))
    found = np.zeros(len(lists.item))
    rows = np.flatnonzero((judged.position > 0) & (judged.position <= lists.lengths[judged.user]))
    found[lists.starts[judged.user[rows]] + judged.position[rows] - 1] = gains(judged, relevance)[rows]
    return found


def _inverse_user_frequency(catalogue: Catalogue) -> Floats:
    """Return log2(|U| / |U_i|) for each item, shape (n_items,); log2 |U| for an unrated item.

    U are the users with a train rating.
    """
    return np.asarray(np.log2(max(catalogue.n_active, 1) / np.maximum(catalogue.raters, 1)))


def _self_information(raters: Ints, out_of: int) -> Floats:
    """Return log2(n / n_i) for each item, shape (n_items,).

    An unrated item gets the value of the rarest item; all values are 0 if nothing is rated.
    """
    rarest = raters[raters > 0].min(initial=max(out_of, 1))
    return np.asarray(np.log2(max(out_of, 1) / np.maximum(raters, rarest)))


class _ExpectedNovelty(ListMetric):
    """The novelty of items, weighted by the chance that the user reaches and chooses them."""

    discount: BrowsingDiscount = Field("none", description=DISCOUNT_OF_RANK)
    relevance: Relevance = Field("none", description=RELEVANCE_OF_ITEM)

    @property
    def ignored(self) -> frozenset[str]:
        """Relevance too, unless g depends on its threshold."""
        return super().ignored | ignored_with(self.relevance)

    @abstractmethod
    def _novelty(self, catalogue: Catalogue) -> Floats:
        """Return the novelty of each item, shape (n_items,)."""

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the novelty of the listed items."""
        worth = self._novelty(lists.catalogue)[lists.item] * relevances(lists, judged, self.relevance)
        return lists.weighted_means(worth, discounts(lists.ranks, self.discount), cutoffs)


class EPC(_ExpectedNovelty):
    """EPC@n = Σ_{k<=n} D(k) g(i) (1 - |U_i| / |U|) / Σ_{k<=n} D(k), where U_i are the users who rated item i at rank k in train.

    U are the users with a train rating. An item without train ratings has novelty 1. A list shorter than n is averaged over its own
    length. Range [0, 1]; 0 for an empty list. With ``relevance``, items that the user does not like count 0.
    """

    label = "EPC"
    source = "Vargas & Castells (2011); by default without rank and relevance"

    def _novelty(self, catalogue: Catalogue) -> Floats:
        return np.asarray(1.0 - catalogue.raters / max(catalogue.n_active, 1))


class EFD(_ExpectedNovelty):
    """EFD@n = Σ_{k<=n} D(k) g(i) log2(Σ_j |U_j| / |U_i|) / Σ_{k<=n} D(k), where U_i are the train raters of item i at rank k.

    By default, EFD is `MSI` with shares of ratings in place of shares of users. An item without train ratings is treated like the
    rarest item with ratings. With ``relevance``, items that the user does not like count 0. Range [0, log2 of the number of train
    ratings]; 0 for an empty list.
    """

    label = "EFD"
    source = "Vargas & Castells (2011); by default without rank and relevance, 'FD' of RankSys"
    values_range = "[0, ∞)"

    def _novelty(self, catalogue: Catalogue) -> Floats:
        return _self_information(catalogue.raters, int(catalogue.raters.sum()))


class MSI(ListMetric):
    """MSI@n = (1/|L^n|) Σ_{i in L^n} log2(|U| / |U_i|), where U_i are the users who rated item i in train.

    U are the users with a train rating. An item without train ratings is treated like the rarest rated item. Range [0, log2 |U|]; 0
    for an empty list.
    """

    label = "MSI"
    source = "Zhou et al. (2010), 'surprisal'"
    values_range = "[0, ∞)"
    ignores = frozenset({"relevance"})

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the information of each item."""
        return lists.means(_self_information(lists.catalogue.raters, lists.catalogue.n_active), cutoffs)


class MIUF(ListMetric):
    """MIUF@n = (1/|L^n|) Σ_{i in L^n} log2(|U| / max(|U_i|, 1)), where U_i are the users who rated item i in train.

    U are the users with a train rating. An item without train ratings is treated as if one user had rated it. `MSI` differs only in
    that it treats such an item like the rarest rated item. Range [0, log2 |U|]; 0 for an empty list.
    """

    label = "MIUF"
    source = "Zhou et al. (2010), 'surprisal'; RecTools' MeanInvUserFreq"
    ignores = frozenset({"relevance"})
    values_range = "[0, ∞)"

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the information of each item."""
        return lists.means(_inverse_user_frequency(lists.catalogue), cutoffs)


class Surprisal(ListMetric):
    """Surprisal@n = (1/n) Σ_{i in L^n} log2(|U| / max(|U_i|, 1)) / log2 |U|, where U_i are the users who rated item i in train.

    U are the users with a train rating. An item that at most one user rated has surprisal 1. For a list of n items, Surprisal is
    `MIUF` divided by its maximum; the divisor is n even if the list is shorter. Range [0, 1]; 0 for an empty list, and if only one
    user has train ratings.
    """

    label = "Surprisal"
    source = "Zhou et al. (2010); normalised as RePlay's Surprisal"
    ignores = frozenset({"relevance"})

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average over n ranks; an empty rank counts as 0."""
        most = np.log2(max(lists.catalogue.n_active, 2))
        return np.asarray(lists.means(_inverse_user_frequency(lists.catalogue) / most, cutoffs) * lists.shown(cutoffs) / cutoffs)


_BLOCK = 1 << 22
"""Number of pairs of a user and a word in memory at a time; they take 32 MiB."""

Counts = Floats


class KLNovelty(ListMetric):
    """KLN@n = Σ_w p_uL(w) log2(p_uL(w) / p_u(w)): how much the first n items change the distribution of words that a user knows.

    ``by`` is a column of the data set's table of items, such as genres, with a word or a list of words for each item; w runs over
    the W words of this column. p_u(w) = (c_uw + prior) / (Σ_v c_uv + prior W), where c_uw is the number of the user's train items
    with the word w; in p_uL, the first n items of the list are counted too. Range [0, ∞), in bits; 0 for an empty list, and for a
    list of items without words. A column that the data set does not have is refused.
    """

    label = "KLNovelty"
    source = (
        "Filippone & Sanguinetti (2010): the divergence between a distribution estimated with and without what is new; "
        "Bellogín (2012), section 3.2.3"
    )
    values_range = "[0, ∞)"
    ignores = frozenset({"relevance"})

    by: str = Field("genres", min_length=1, description="column of the table of items that holds their words")
    prior: float = Field(1.0, gt=0, allow_inf_nan=False, description="count that every word has before any item is seen")

    @property
    def item_columns(self) -> tuple[str, ...]:
        """The column of words."""
        return (self.by,)

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Compare each user's distributions of words with and without the list, one block of users at a time."""
        catalogue = lists.catalogue
        words = catalogue.words(self.by).astype(np.float64)
        profiles = catalogue.by_item().T.tocsr()[lists.users].astype(np.float64)
        values = np.empty((lists.n_users, len(cutoffs)))
        listed = [_listed_items(lists, n) for n in cutoffs]
        step = max(1, _BLOCK // words.shape[1])
        for first in range(0, lists.n_users, step):
            block = slice(first, first + step)
            known = (profiles[block] @ words).toarray()
            before = self._word_shares(known)
            for column, items in enumerate(listed):
                after = self._word_shares(known + (items[block] @ words).toarray())
                # Rounding may make a divergence of zero negative.
                values[block, column] = np.maximum((after * np.log2(after / before)).sum(axis=1), 0.0)
        return values

    def _word_shares(self, counts: Counts) -> Counts:
        smoothed = counts + self.prior
        return np.asarray(smoothed / smoothed.sum(axis=1, keepdims=True))


def _listed_items(lists: Lists, n: int) -> csr_array:
    """Return a matrix with 1 for the first n items of each list, shape (n_users, n_items)."""
    kept = lists.ranks <= n
    user = np.repeat(np.arange(lists.n_users), lists.lengths)[kept]
    return csr_array((np.ones(len(user)), (user, lists.item[kept])), shape=(lists.n_users, lists.catalogue.n_items))


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
