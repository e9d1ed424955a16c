"""Shared words, each with one meaning: roles, states and options of decisions; and sizes and file formats that all parts share."""

from enum import IntEnum
from typing import Literal, get_args


class Role(IntEnum):
    """The role of an interaction in one fold."""

    TRAIN = 0
    TEST = 1
    VALIDATION = 2
    UNUSED = 3


class State(IntEnum):
    """A judged item's state in its user's ranking."""

    SCORED = 0
    """Scored by the recommender and ranked."""
    FILLED = 1
    """Not computable by the recommender, and ranked by the policy for such items."""
    NC = 2
    """Not computable by the recommender, and left out of the ranking."""
    OUTSIDE_TARGETS = 3
    """Not among the target items of the design."""


View = Literal["full", "condensed"]
"""C1: the ranking of all targets, or only of the judged targets."""

Reading = str
"""C1 in a design: a view, or full rankings whose unrated items count as relevant (``relevant``), or as relevant with a probability
such as ``rate(0.05)``."""

Coverage = Literal["full", "reduced"]
"""C4: users without a ranking count as zero, or are left out."""

Ties = Literal["random", "high_index", "low_index"]
"""Order of target items with equal scores: drawn at random, higher item index first (as in RankSys), or lower index first."""

Correction = Literal["none", "holm", "bh"]
"""D: how the p-values of all pairs of systems on one metric are corrected for the number of pairs."""

VIEWS: tuple[View, ...] = get_args(View)
RELEVANT: Reading = "relevant"
TIES: tuple[Ties, ...] = get_args(Ties)
COVERAGES: tuple[Coverage, ...] = get_args(Coverage)

LIST_DEPTH = 100
"""Length of the stored recommendation lists; the largest cut-off of metrics that read lists."""

USERS_AT_ONCE = 512
"""How many users are scored at a time. The number is fixed because matrix products may depend on how many are scored together."""

FIGURE_FORMS = ("svg", "png", "pdf")
"""The forms in which every figure is written."""

TABLE_FORMS = ("csv", "md", "tex")
"""The file formats of a table."""

METHODS_FORMS = ("txt", "md", "tex")
"""The forms of the methods paragraph."""


def rate_of(reading: Reading) -> float:
    """Return the probability with which an unrated item in a list counts as relevant: 0 in a view, 1 with ``relevant``."""
    if reading == RELEVANT:
        return 1.0
    return float(reading[5:-1]) if reading.startswith("rate(") else 0.0
