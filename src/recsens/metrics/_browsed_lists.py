"""Lists as a user browses them: how likely each place is reached, and how likely its item is relevant."""

from typing import Literal

import numpy as np

from recsens.arrays import Floats, Ints
from recsens.metrics._gains import gains, ignored_by
from recsens.metrics._judged import Judged
from recsens.metrics._lists import Lists

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
