"""Verdicts on pairs of systems within groups of users or items, beside the verdict on all users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recsens.arrays import grouped
from recsens.conclusions.verdicts.components import built
from recsens.conclusions.verdicts.pairs import PairVerdicts, pair_of
from recsens.conclusions.verdicts.study_tables import Results, experiment_rows, records
from recsens.plugins.specs import parse
from recsens.study import Experiment


@dataclass(frozen=True, slots=True)
class GroupedPair:
    """A pair of systems on a data set, by the study's first metric that ranks systems, under the base design.

    Attributes
    ----------
    whole
        The base verdict, on all users.
    groupings
        The rows of ``groups.csv`` by grouping, such as *users by age*.
    """

    whole: Mapping[str, Any]
    groupings: Mapping[str, Sequence[Mapping[str, Any]]]

    @property
    def contrary(self) -> list[tuple[str, Mapping[str, Any]]]:
        """The groups in which the other system wins than over all users, each with its grouping."""
        winner = self.whole["winner"]
        rows = ((grouping, row) for grouping, own in self.groupings.items() for row in own)
        return [(grouping, row) for grouping, row in rows if winner and row["winner"] not in {"", winner}]


def grouped_pairs(part: Experiment, results: Results) -> list[GroupedPair]:
    """List an experiment's pairs, in the order of their comparisons; there are none if it does not ask about groups."""
    if not part.groups or results.groups.empty:
        return []
    rows = grouped(((*pair_of(row), row["metric_full"]), row) for row in records(experiment_rows(part, results.groups)))
    base = PairVerdicts.of(part, results.verdicts).base
    found = {pair: rows.get((*pair, row["metric_full"]), []) for pair, row in base.items()}
    return [GroupedPair(base[pair], grouped((grouping_of(row), row) for row in own)) for pair, own in found.items() if own]


def grouping_of(row: Mapping[str, Any]) -> str:
    """Name a row's grouping in words, such as *users by age*."""
    component = built("group", parse(row["grouping"]))
    return f"{row['of']} {getattr(component, 'title', '') or 'by ' + row['grouping']}"
