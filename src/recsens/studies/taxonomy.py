"""The decisions of an evaluation in the order of the taxonomy, and where each one stands in a table of results."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of Cañamares, Castells & Moffat (2020), section 3.

    Attributes
    ----------
    code
        Its place in the taxonomy, such as ``A2``.
    key
        Its key in a study file, and its attribute of a design.
    name
        Its name in words.
    kind
        The kind of plug-in that fills it; None where it is a word or a number.
    column
        Its column in a table of results.
    """

    code: str
    key: str
    name: str
    kind: str | None = None
    column: str = ""

    def __post_init__(self) -> None:
        if not self.column:
            object.__setattr__(self, "column", self.key)


DECISIONS = (
    Decision("A1", "filter", "Filter", "filter"),
    Decision("A2", "split", "Train/test split", "split"),
    Decision("A2", "repeats", "Repeats of the split"),
    # The table calls it user_selection: 'users' is a count there.
    Decision("B1", "users", "Users averaged", "users", column="user_selection"),
    Decision("B2", "targets", "Target items", "targets"),
    Decision("B2", "nc", "Not computable items", "nc"),
    Decision("B2", "ties", "Equal scores"),
    Decision("C1", "view", "Full or condensed rankings"),
    Decision("C2", "relevance", "Relevant ratings"),
    Decision("C3", "aggregate", "Aggregation over users", "aggregate"),
    Decision("C4", "coverage", "Uncovered users"),
    Decision("D", "test", "Significance test", "test"),
    Decision("D", "correction", "Correction for many comparisons"),
)
"""Every decision that a study may vary; data sets, systems and metrics are listed, not varied."""

COLUMNS = tuple(decision.column for decision in DECISIONS)


def decision(key: str) -> Decision:
    """Return the decision of a key of a study file."""
    return next(found for found in DECISIONS if found.key == key)
