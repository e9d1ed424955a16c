"""The table of decisions. All other lists of decisions are derived from this table.

The codes follow Cañamares, Castells & Moffat (2020), section 3: the data (A), the items to rank and the users (B), the numbers
computed from rankings (C), and the comparison of systems (D).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from recsens.vocabulary import RELEVANT, VIEWS, Correction, Coverage, Ties

Stage = Literal["split", "rank", "measure", "aggregate", "test"]
"""The stages of an experiment, which turn data into folds, rankings, users' values, systems' values and comparisons."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision: a row of the table.

    The options are plug-ins (with a ``kind``), words from a fixed list (``words``), or numbers (with neither).

    Attributes
    ----------
    code
        Its code in the taxonomy, such as ``A2``.
    key
        Its key in a study file; for a decision of the design, also its attribute in `Decisions` and `Design`.
    name
        Its name in words.
    stages
        The stages that read the decision. Stages before ``measure`` produce rankings; the decisions that they read are part of an
        address.
    column
        The column in tables of results that shows the option as the study writes it.
    kind
        The kind of plug-in of the options; None if they are words or numbers.
    words
        The options in words; empty if they are plug-ins or numbers.
    step
        The step of an address that contains the decision; None if the address does not depend on the decision.
    in_design
        Whether the decision is a key of ``design`` in a study file; a design then has one option, and ``vary`` lists further
        options. Otherwise the decision is a key of the study with a list of options, all of which are used.
    unwritten
        The option that results do not write, so that studies without the key keep the results that they had before there was such a
        key; None if results write every option.
    """

    code: str
    key: str
    name: str
    stages: tuple[Stage, ...]
    column: str
    kind: str | None = None
    words: tuple[str, ...] = ()
    step: str | None = None
    in_design: bool = True
    unwritten: str | None = None

    @property
    def full_column(self) -> str:
        """The column by which rows of results are joined; it has the option with every parameter, or a word."""
        return self.column if self.kind is None else full_column(self.column)


def full_column(column: str) -> str:
    """Return the name of the column that repeats another column's options with all their parameters."""
    return f"{column}_full"


# fmt: off
TABLE = (
    Decision("A1", "datasets", "Data sets", ("split",), "dataset", kind="dataset", step="dataset", in_design=False),
    Decision("A1", "filter", "Filter", ("split",), "filter", kind="filter", step="filter"),
    Decision("A2", "split", "Train/test split", ("split",), "split", kind="split", step="split"),
    Decision("A2", "repeats", "Repeats of the split", ("split",), "repeats", step="fold"),
    Decision("B", "systems", "Systems", ("rank",), "system", kind="recommender", step="recommender", in_design=False),
    Decision("B", "fits", "Fits of each system", ("rank",), "fits", step="recommender", unwritten="1"),
    # Targets also determine whether users or ratings are averaged.
    Decision("B2", "targets", "Target items", ("rank", "aggregate"), "targets", kind="targets", step="targets"),
    Decision("B2", "nc", "Not computable items", ("rank",), "nc", kind="nc", step="nc"),
    Decision("B2", "ties", "Equal scores", ("rank",), "ties", words=get_args(Ties), step="ties"),
    # The threshold is part of the address if the choice of target items depends on it.
    Decision("C2", "relevance", "Relevant ratings", ("rank", "measure"), "relevance", step="targets"),
    Decision("C2", "metrics", "Metrics", ("measure",), "metric", kind="metric", in_design=False),
    # In tables of results, the column 'users' is a count. The stage ``measure`` is needed because a pooled metric is measured over
    # the selected users.
    Decision("B1", "users", "Users averaged", ("measure", "aggregate"), "user_selection", kind="users"),
    Decision("C1", "view", "Full or condensed rankings", ("measure",), "view", words=(*VIEWS, RELEVANT)),
    Decision("C3", "aggregate", "Aggregation over users", ("aggregate",), "aggregate", kind="aggregate"),
    Decision("C4", "coverage", "Uncovered users", ("aggregate",), "coverage", words=get_args(Coverage)),
    Decision("D", "test", "Significance test", ("test",), "test", kind="test"),
    Decision("D", "correction", "Correction for many comparisons", ("test",), "correction", words=get_args(Correction)),
)
# fmt: on
"""Every decision, in the order in which an experiment needs them; study files and tables of results have this order."""

DESIGN = tuple(each for each in TABLE if each.in_design)
"""The decisions of a design, in the order of a study file."""

DECISIONS = tuple(sorted(DESIGN, key=lambda each: each.code))
"""The decisions of a design, in the order of the taxonomy, which reports use."""

COLUMNS = tuple(each.column for each in DECISIONS)
"""Columns of the decisions of a design in a table of results, in the order of the taxonomy."""

FULL_COLUMNS = tuple(each.full_column for each in DECISIONS)
"""The columns that identify a design, in the order of the taxonomy; equal designs have the same cells in these columns."""


def columns_with_full(decisions: Iterable[Decision]) -> tuple[str, ...]:
    """List the columns of decisions, each followed by the column that writes the decision's options with all parameters."""
    return tuple(dict.fromkeys(column for decision in decisions for column in (decision.column, decision.full_column)))


def decision(key: str) -> Decision:
    """Return the decision with a given key in a study file."""
    return _BY_KEY[key]


def decisions_of_stage(*stages: Stage) -> tuple[Decision, ...]:
    """List the decisions of a design that any of the stages reads, in the order of a study file."""
    return tuple(decision for decision in DESIGN if not set(stages).isdisjoint(decision.stages))


_BY_KEY = {each.key: each for each in TABLE}
