"""The kinds of plug-in and the pages of the reference that list them."""

from dataclasses import dataclass

from recsens.study.taxonomy import TABLE


@dataclass(frozen=True, slots=True)
class PluginKind:
    """A kind of plug-in.

    Attributes
    ----------
    name
        A key of `recsens.plugins.PACKAGES`.
    page
        Name of its page below ``docs/reference``.
    heading
        Title of the page.
    intro
        The first sentences of the page.
    """

    name: str
    page: str
    heading: str
    intro: str

    @property
    def key(self) -> str:
        """The key of a study file whose values are plug-ins of this kind."""
        decision = next((each for each in TABLE if each.kind == self.name), None)
        if decision is None:
            return "meta" if self.name == "analysis" else self.page
        return f"design.{decision.key}" if decision.in_design else decision.key


KINDS = (
    PluginKind(
        "dataset",
        "datasets",
        "Data sets",
        "This page lists the data sets that a study can read (decision A1). [Data sets](../data-sets.md) says where recsens looks "
        "for their files.",
    ),
    PluginKind(
        "filter",
        "filters",
        "Filters",
        "This page lists the filters, which choose the interactions that take part (decision A1). `+` chains filters.",
    ),
    PluginKind(
        "split",
        "splits",
        "Splits",
        "This page lists the splits, which divide the interactions into train and test (decision A2).",
    ),
    PluginKind(
        "recommender",
        "recommenders",
        "Recommenders",
        "This page lists the recommenders: the systems that a study compares (decision B). U_i is the set of users who rated item "
        "i in train, and I_u is the set of items that user u rated in train.",
    ),
    PluginKind(
        "targets",
        "targets",
        "Target items",
        "This page lists the selections of target items, which are the items ranked for each user (decision B2).",
    ),
    PluginKind("nc", "nc", "Not computable items", "This page lists the policies for items without a score (decision B2)."),
    PluginKind(
        "metric",
        "metrics",
        "Metrics",
        "This page lists the metrics (decision C2). A metric is written with one or more cut-offs: `nDCG(gain=exp)@5,10`. L is a "
        "user's ranking under the view, and L^n is its first n items. k is a position in L, and g(k) is the gain of the item at k "
        "(0 if it is not judged). R_u is the set of the user's relevant test items.",
    ),
    PluginKind(
        "users",
        "users",
        "Users averaged",
        "This page lists the selections of users whose values are averaged (decision B1).",
    ),
    PluginKind(
        "aggregate",
        "aggregates",
        "Aggregates",
        "This page lists the aggregates, which turn users' values into the value of a system (decision C3).",
    ),
    PluginKind(
        "test",
        "tests",
        "Significance tests",
        "This page lists the significance tests, which say whether one system serves its users better than another (decision D).",
    ),
    PluginKind(
        "group",
        "groups",
        "Groups",
        "This page lists the groupings of users or items, by which a study divides its comparisons. [Groups](../groups.md) says "
        "how to read them.",
    ),
    PluginKind(
        "figure",
        "figures",
        "Figures",
        "This page lists the figures that can be drawn from the results of a study. [Figures](../figures.md) shows an example of "
        "each kind, and what all kinds share.",
    ),
    PluginKind(
        "claim",
        "claims",
        "Claims",
        "This page lists the kinds of claim: what a paper concludes, in a form that the results of a study can judge. "
        "[Claims](../claims.md) shows an example of each kind, and says what held, not held and undecided mean.",
    ),
    PluginKind(
        "analysis",
        "analyses",
        "Analyses of metrics",
        "This page lists the analyses of a study's metrics: how robust the metrics are to missing judgements, how well they "
        "distinguish systems, and how closely they agree. [Metrics judged](../meta.md) shows how to write an analysis and how to "
        "read its results.",
    ),
)
"""The kinds in the order of the decisions, followed by figures."""


def kind_of(name: str) -> PluginKind:
    """Return the kind of that name."""
    return next(kind for kind in KINDS if kind.name == name)
