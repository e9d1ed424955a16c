"""Useful recommendations that are not obvious.

Serendipity: Serendipity.
RankSerendipity: Serendipity by ranks.
"""

import numpy as np

from recsens.metrics import Floats, Judged, ListMetric, Lists, share


class Serendipity(ListMetric):
    """SRDP@n = |{i in L^n minus PM^n: i relevant}| / n: useful items that a primitive model would not have recommended.

    The primitive model recommends PM^n, the n items with the most train ratings, to all users; of items with equally many ratings,
    those with lower indices. An item is useful if it is relevant in test. The divisor is n even if the list is shorter. Range [0,
    1]; 0 without useful items.
    """

    label = "Serendipity"
    source = "Ge, Delgado-Battenfeld & Jannach (2010), with popularity as primitive model"

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count relevant items that are not among the n most popular items."""
        raters = lists.catalogue.raters
        by_popularity = np.argsort(-raters, kind="stable")
        popular_from = np.empty(len(raters), dtype=np.int64)
        popular_from[by_popularity] = np.arange(1, len(raters) + 1)
        deepest = max(cutoffs)
        rows = np.flatnonzero(judged.is_relevant & (judged.position > 0) & (judged.position <= deepest))
        user, position = judged.user[rows], judged.position[rows]
        popularity_rank = popular_from[lists.item[lists.starts[user] + position - 1]]
        hits = [np.bincount(user[(position <= n) & (popularity_rank > n)], minlength=lists.n_users) / n for n in cutoffs]
        return np.stack(hits, axis=1)


class RankSerendipity(ListMetric):
    """RankSRDP@n = (1/|L^n|) Σ_{k<=n, i_k relevant} max(ρ(i_k) - k, 0) / |I| with the popularity rank ρ of the item at rank k.

    ρ is 1 for the items with the most train ratings, 2 for the items with the next lower number of ratings, and so on; ρ is |I| + 1
    for items without train ratings. A relevant item counts with the number of ranks by which it is above its popularity rank. I are
    the items of the filtered data set. Range [0, 1]; 0 for an empty list. By contrast, `Serendipity` counts the relevant items that
    are not among the n most popular items.
    """

    label = "RankSerendipity"
    source = "RecTools' Serendipity"

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the numbers of ranks by which relevant items are above their popularity ranks."""
        raters, n_items = lists.catalogue.raters, lists.catalogue.n_items
        _, level = np.unique(-raters, return_inverse=True)
        rank = np.where(raters > 0, level + 1, n_items + 1)
        rows = np.flatnonzero(judged.is_relevant & (judged.position > 0) & (judged.position <= max(cutoffs)))
        user, position = judged.user[rows], judged.position[rows]
        gain = np.maximum(rank[lists.item[lists.starts[user] + position - 1]] - position, 0) / n_items
        sums = [np.bincount(user[position <= n], weights=gain[position <= n], minlength=lists.n_users) for n in cutoffs]
        return share(np.stack(sums, axis=1), lists.shown(cutoffs))
