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
        What such a component decides, in a sentence or two.
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
        "Decision A1: where the interactions come from. [Data sets](../data-sets.md) says where files are looked for.",
    ),
    PluginKind("filter", "filters", "Filters", "Decision A1: which interactions take part. Filters are chained by `+`."),
    PluginKind("split", "splits", "Splits", "Decision A2: which interactions are in train and which in test."),
    PluginKind(
        "recommender",
        "recommenders",
        "Recommenders",
        "Decision B: the systems that are compared. U_i are the users who rated item i in train, I_u the items that u rated there.",
    ),
    PluginKind("targets", "targets", "Target items", "Decision B2: which items are ranked for each user."),
    PluginKind("nc", "nc", "Not computable items", "Decision B2: what becomes of items without a score."),
    PluginKind(
        "metric",
        "metrics",
        "Metrics",
        "Decision C2. A metric is written with one or more cut-offs: `nDCG(gain=exp)@5,10`. L is a user's ranking under the view, "
        "L^n its first n items, k a position in it, R_u the user's relevant test items, g(k) the gain of the item at k (0 if it is "
        "not judged).",
    ),
    PluginKind("users", "users", "Users averaged", "Decision B1: which users enter the averages."),
    PluginKind("aggregate", "aggregates", "Aggregates", "Decision C3: from users' values to the value of a system."),
    PluginKind(
        "test",
        "tests",
        "Significance tests",
        "Decision D: whether the users of one system are better served than those of another.",
    ),
    PluginKind(
        "figure",
        "figures",
        "Figures",
        "What to draw from the results of a study. [Figures](../figures.md) shows an example of each, and what they share.",
    ),
    PluginKind(
        "claim",
        "claims",
        "Claims",
        "What a paper concludes, judged by the results of a study. [Claims](../claims.md) shows an example of each, and what held, "
        "not held and undecided mean.",
    ),
    PluginKind(
        "analysis",
        "analyses",
        "Analyses of metrics",
        "What a study asks about its metrics, not its systems: how robust they are to missing judgements, how well they "
        "distinguish systems, how much they agree. [Metrics judged](../meta.md) shows how to ask, and how to read the answers.",
    ),
)
"""The kinds in the order of the decisions, followed by figures."""


def kind_of(name: str) -> PluginKind:
    """Return the kind of that name."""
    return next(kind for kind in KINDS if kind.name == name)
