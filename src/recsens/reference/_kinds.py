"""The kinds of plug-in, as the reference presents them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of plug-in.

    Attributes
    ----------
    name
        A key of `recsens.plugins.PACKAGES`.
    page
        Name of its page below ``docs/reference``.
    heading
        Title of the page.
    key
        Where a study file names it.
    intro
        What such a component decides, in a sentence or two.
    """

    name: str
    page: str
    heading: str
    key: str
    intro: str


KINDS = (
    Kind(
        "dataset",
        "datasets",
        "Data sets",
        "datasets",
        "Decision A1: where the interactions come from. [Data sets](../data-sets.md) says where files are looked for.",
    ),
    Kind("filter", "filters", "Filters", "design.filter", "Decision A1: which interactions take part. Filters are chained by `+`."),
    Kind("split", "splits", "Splits", "design.split", "Decision A2: which interactions teach and which test."),
    Kind(
        "recommender",
        "recommenders",
        "Recommenders",
        "systems",
        "Decision B: the systems that are compared. U_i are the users who rated item i in train, I_u the items that u rated there.",
    ),
    Kind("targets", "targets", "Target items", "design.targets", "Decision B2: which items are ranked for each user."),
    Kind("nc", "nc", "Not computable items", "design.nc", "Decision B2: what becomes of items without a score."),
    Kind(
        "metric",
        "metrics",
        "Metrics",
        "metrics",
        "Decision C2. A metric is written with one or more cut-offs: `nDCG(gain=exp)@5,10`. L is a user's ranking under the view, "
        "L^n its first n items, k a position in it, R_u the user's relevant test items, g(k) the gain of the item at k (0 if it is "
        "not judged).",
    ),
    Kind("users", "users", "Users averaged", "design.users", "Decision B1: which users enter the averages."),
    Kind("aggregate", "aggregates", "Aggregates", "design.aggregate", "Decision C3: from users' values to the value of a system."),
    Kind(
        "test",
        "tests",
        "Significance tests",
        "design.test",
        "Decision D: whether the users of one system are better served than those of another.",
    ),
)
"""In the order of the decisions."""


def kind_of(name: str) -> Kind:
    """Return the kind of that name."""
    return next(kind for kind in KINDS if kind.name == name)
