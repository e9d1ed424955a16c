"""Kullback-Leibler divergence between the words that a user knows with and without a list."""

import numpy as np
from pydantic import Field
from scipy.sparse import csr_array

from recsens.metrics import Floats, Judged, ListMetric, Lists
from recsens.metrics._similarities import words_by_item

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
        words = words_by_item(catalogue.columns[self.by], self.by).astype(np.float64)
        profiles = catalogue.by_item().T.tocsr()[lists.users].astype(np.float64)
        values = np.empty((lists.n_users, len(cutoffs)))
        listed = [_listed(lists, n) for n in cutoffs]
        step = max(1, _BLOCK // words.shape[1])
        for first in range(0, lists.n_users, step):
            block = slice(first, first + step)
            known = (profiles[block] @ words).toarray()
            for column, items in enumerate(listed):
                values[block, column] = self._divergence(known, (items[block] @ words).toarray())
        return values

    def _divergence(self, known: Counts, added: Counts) -> Floats:
        before, after = self._shares(known), self._shares(known + added)
        # Rounding may make a divergence of zero negative.
        return np.asarray(np.maximum((after * np.log2(after / before)).sum(axis=1), 0.0))

    def _shares(self, counts: Counts) -> Counts:
        smoothed = counts + self.prior
        return np.asarray(smoothed / smoothed.sum(axis=1, keepdims=True))


def _listed(lists: Lists, n: int) -> csr_array:
    """Return a matrix with 1 for the first n items of each list, shape (n_users, n_items)."""
    rank = np.arange(len(lists.item)) - np.repeat(lists.starts[:-1], lists.lengths)
    kept = rank < n
    user = np.repeat(np.arange(lists.n_users), lists.lengths)[kept]
    return csr_array((np.ones(len(user)), (user, lists.item[kept])), shape=(lists.n_users, lists.catalogue.n_items))
