"""The analyses of a study's scorecard: how each analysis differs from the base design, and how well it agrees with the truth."""

import math
from dataclasses import dataclass, field

import pandas as pd

from recsens.conclusions.design_space import Change, DesignSpace
from recsens.conclusions.verdicts.study_tables import records
from recsens.tables.numbers import MISSING, fixed

Estimate = tuple[float, float, float]
"""A value and the ends of its interval, which are NaN without an interval."""


@dataclass(frozen=True)
class ScorecardLine:
    """An analysis compared with the truth under one condition.

    Attributes
    ----------
    metric
        The metric as the study writes it.
    change
        The decisions in which the design differs from the base.
    is_reference
        Whether the design is the reference, measured by a metric other than the true one.
    quantities
        The analysis's scores, by the name of each quantity in ``truth.csv``.
    """

    metric: str
    change: Change
    is_reference: bool
    quantities: dict[str, Estimate] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The metric and the options of the changed decisions."""
        return ", ".join([self.metric, *(f"{key}: {option}" for key, option in self.change)])

    @property
    def is_near(self) -> bool:
        """Whether the design is the base, or differs from the base in one decision and is not the reference."""
        return not self.is_reference and len(self.change) < 2

    @property
    def tau(self) -> Estimate:
        """Kendall's tau-b with the truth."""
        return self.quantities["tau"]

    def share(self, name: str) -> float:
        """Return the share ``right``, ``wrong`` or ``open``, as ``name`` says, of the pairs that the truth decides."""
        return self.quantities[name][0]


def scorecard_lines(rows: pd.DataFrame, space: DesignSpace) -> dict[str, list[ScorecardLine]]:
    """Collect every analysis of each condition, in the order of the table.

    Parameters
    ----------
    rows
        The table ``truth.csv``.
    space
        The designs of the study's own experiment.
    """
    by_condition: dict[str, dict[tuple[str, Change], ScorecardLine]] = {}
    for row in records(rows):
        change = space.change(row)
        of_condition = by_condition.setdefault(row["data"], {})
        judged = of_condition.setdefault(
            (row["metric_full"], change), ScorecardLine(row["metric"], change, bool(row["is_reference"]))
        )
        judged.quantities[row["quantity"]] = row["value"], row["low"], row["high"]
    return {condition: list(analyses.values()) for condition, analyses in by_condition.items()}


def by_tau(analyses: list[ScorecardLine]) -> list[ScorecardLine]:
    """Sort analyses by tau, highest first; undefined tau comes last."""
    return sorted(analyses, key=lambda each: math.inf if math.isnan(each.tau[0]) else -each.tau[0])


def estimated(quantity: Estimate) -> str:
    """Format a value and its interval with two decimals."""
    value, low, high = quantity
    if math.isnan(value):
        return MISSING
    interval = "" if math.isnan(low) else f" ({fixed(low, 2)} to {fixed(high, 2)})"
    return f"{fixed(value, 2)}{interval}"
