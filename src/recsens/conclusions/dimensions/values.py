"""The rows of a study's tables at some coordinates."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import pandas as pd

from recsens.conclusions.design_space import option_of
from recsens.conclusions.dimensions.dimensions import Coordinates
from recsens.conclusions.verdicts.components import in_full, measured
from recsens.conclusions.verdicts.study_tables import records
from recsens.study import Decisions
from recsens.study.taxonomy import DECISIONS, decision

_NAN = float("nan")

DesignKey = tuple[str, ...]
"""The options of a design in full, in the order of `recsens.study.taxonomy.DECISIONS`."""


class Values:
    """The values of systems, by coordinates.

    Parameters
    ----------
    summary
        One row per data set, design, system and metric (``summary.csv``).
    """

    def __init__(self, summary: pd.DataFrame) -> None:
        self._rows = {
            (row["dataset"], row["system"], str(measured(row["metric"])), design_in(row)): row for row in records(summary)
        }

    def row(self, at: Coordinates) -> Mapping[str, Any] | None:
        """Return the row at some coordinates; None if there is no such row."""
        return self._rows.get((at.dataset, at.system, str(at.metric), design_of(at.design)))

    def number(self, at: Coordinates, column: str) -> float:
        """Return the number in a column at some coordinates; NaN if there is no such row."""
        row = self.row(at)
        return _NAN if row is None else float(row[column])


def design_of(design: Decisions) -> DesignKey:
    """Return the key of a design."""
    return tuple(_in_full(each.key, option_of(each, design)) for each in DECISIONS)


def design_in(row: Mapping[str, Any]) -> DesignKey:
    """Return the design key in a row."""
    return tuple(_in_full(each.key, str(row[each.column])) for each in DECISIONS)


@cache
def _in_full(key: str, text: str) -> str:
    kind = decision(key).kind
    return text if kind is None else str(in_full(kind, text))
