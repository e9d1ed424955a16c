"""Diversity of recommendations: within a list, between users' lists, and over all lists.

ILD: Intra-list distance.
InterUserDistance: Distance between the lists of different users.
Gini: Gini index of the recommended items.
Entropy: Shannon entropy of the recommended items.
"""

from typing import Literal

import numpy as np
from pydantic import Field
from scipy import special
from scipy.sparse import csr_array

from recsens.arrays import read_only
from recsens.metrics import Catalogue, Floats, Ints, ItemCountMetric, Judged, ListMetric, Lists, share
from recsens.metrics._kernels import add_distances, count_shared

_BLOCK = 1 << 26
"""Number of counts of common members in memory at a time; they take 256 MiB."""


def _pair_distances(lists: Lists, members: csr_array, cutoffs: Ints, *, jaccard: bool) -> Floats:
    """Sum the distances of pairs in each list; a pair counts at the first cut-off that reaches both items, (n_users, n_cutoffs).

    Parameters
    ----------
    lists
        Users' lists.
    members
        Raters or words of each item, as a matrix of ones, shape (n_items, n_members).
    cutoffs
        The cut-offs, ascending.
    jaccard
        Whether to divide the number of common members by the size of the union instead of the geometric mean of both sizes.
    """
    listed = np.flatnonzero(lists.counts(int(cutoffs[-1])))
    code = np.full(lists.catalogue.n_items, -1, dtype=np.int64)
    code[listed] = np.arange(len(listed))
    items = members.T.tocsr()
    sizes = np.diff(members.indptr)[listed].astype(np.float64)
    sums = np.zeros((lists.n_users, len(cutoffs)))
    step = max(1, _BLOCK // max(len(listed), 1))
    for first in range(0, len(listed), step):
        rows = listed[first : first + step]
        shared = np.empty((len(rows), len(listed)), dtype=np.int32)
        count_shared(rows, members.indptr, members.indices, items.indptr, items.indices, code, shared)
        add_distances(shared, first, sizes, jaccard, read_only(lists.item), lists.starts, code, cutoffs, sums)
    return sums


class ILD(ListMetric):
    """ILD@n = Σ_{i != j in L^n} (1 - sim(i, j)) / (|L^n| (|L^n| - 1)), the mean distance between two items in a list.

    With ``by=raters``, sim is the cosine of train columns, |U_i ∩ U_j| / √(|U_i| |U_j|), where U_i are the users who rated item i
    in train. ``by`` may also be a column of the data set's table of items, such as genres, with a word or a list of words for each
    item. Then sim is the share of common words, |W_i ∩ W_j| / |W_i ∪ W_j| (Jaccard). Items with nothing in common, or without
    raters or words, have distance 1. Range [0, 1]; 0 for a list with fewer than two items. A column that the data set does not have
    is refused.
    """

    label = "ILD"
    source = "Ziegler et al. (2005); Vargas & Castells (2011)"
    ignores = frozenset({"relevance"})

    by: str = Field("raters", min_length=1, description="what items may share: raters, or words in a column of the table of items")

    @property
    def item_columns(self) -> tuple[str, ...]:
        """The column of words, unless items are compared by their raters."""
        return () if self.by == "raters" else (self.by,)

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the distances of pairs, one block of similarities at a time."""
        catalogue = lists.catalogue
        members = catalogue.by_item() if self.by == "raters" else catalogue.words(self.by)
        bounds = np.array(sorted(set(cutoffs)))
        sums = _pair_distances(lists, members, bounds, jaccard=self.by != "raters").cumsum(axis=1)
        sizes = np.minimum(lists.lengths[:, np.newaxis], bounds)
        means = share(2.0 * sums, sizes * (sizes - 1))
        return means[:, np.searchsorted(bounds, cutoffs)]


class InterUserDistance(ItemCountMetric):
    """h@n = the mean of 1 - |L_u^n ∩ L_v^n| / n over all pairs of users u != v with a list: how personal recommendations are.

    The divisor is n, as in the source; items that are missing in a short list therefore count as different. There is one value for
    all users. Range [0, 1]: 0 if all users get the same n items, 1 if no two users have an item in common; NaN with fewer than two
    lists.
    """

    label = "InterUserDistance"
    source = "Zhou et al. (2010), inter-list distance, 'personalization'; Bellogín (2012), section 3.2.3"
    also_called = ("personalisation", "personalization", "inter_list_distance")

    def of_counts(self, counts: Ints, n_lists: Ints, cutoff: int, catalogue: Catalogue) -> Floats:
        """Count the pairs of users that share each item; the sum over pairs needs only these counts."""
        pairs = n_lists * (n_lists - 1) // 2
        # Compute in integers until the division; the value then does not depend on the order of the sum.
        return 1.0 - share((counts * (counts - 1) // 2).sum(axis=1), cutoff * pairs, np.nan)


class Gini(ItemCountMetric):
    """G@n = Σ_j (2j - |I| - 1) p_(j) / (|I| - 1), where p_(1) <= ... <= p_(|I|) are the items' shares of all lists, cut at n.

    All items of the filtered data set count, even if they are never recommended. ``form=population`` divides by |I| and stays below
    1; the default reaches 1 if a single item is recommended to all users. Some libraries and papers use the same name for 1 - G,
    which is higher if recommendations are more even. There is one value for all users. Range [0, 1]; 0 if all items are recommended
    equally often, or if no item is recommended.
    """

    label = "Gini"
    source = "Shani & Gunawardana (2011); as RankSys computes it, which reports 1 - G"
    higher_is_better = False

    form: Literal["sample", "population"] = Field(
        "sample", description="divide by the number of items minus one (sample), or by their number (population)"
    )

    def of_counts(self, counts: Ints, n_lists: Ints, cutoff: int, catalogue: Catalogue) -> Floats:
        """Sum the items' shares by their rank."""
        n = counts.shape[1]
        divisor = n - 1 if self.form == "sample" else n
        # Compute in integers until the division; the value then does not depend on the order of the sum.
        return share(np.sort(counts, axis=1) @ (2 * np.arange(1, n + 1) - n - 1), divisor * counts.sum(axis=1))


class Entropy(ItemCountMetric):
    """H@n = -Σ_i p_i log2 p_i, where p_i is the share of item i among the first n items of all lists together.

    There is one value for all users, in bits. Range [0, log2 |I|]; 0 if a single item is recommended to all users, or if no item is
    recommended.
    """

    label = "Entropy"
    source = "Shani & Gunawardana (2011)"
    values_range = "[0, ∞)"

    def of_counts(self, counts: Ints, n_lists: Ints, cutoff: int, catalogue: Catalogue) -> Floats:
        """Sum over the recommended items."""
        shares = np.sort(counts, axis=1) / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        return np.asarray(special.entr(shares).sum(axis=1) / np.log(2) + 0.0)
