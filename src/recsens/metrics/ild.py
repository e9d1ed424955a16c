"""Intra-list distance."""

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, ListMetric, Lists, share
from recsens.metrics._similarities import pair_distances, words_by_item


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
        members = catalogue.by_item() if self.by == "raters" else words_by_item(catalogue.columns[self.by], self.by)
        bounds = np.array(sorted(set(cutoffs)))
        sums = pair_distances(lists, members, bounds, jaccard=self.by != "raters").cumsum(axis=1)
        sizes = np.minimum(lists.lengths[:, np.newaxis], bounds)
        means = share(2.0 * sums, sizes * (sizes - 1))
        return means[:, np.searchsorted(bounds, cutoffs)]
