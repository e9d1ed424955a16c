"""Serendipity."""

import numpy as np

from recsens.metrics import Floats, Judged, ListMetric, Lists


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
