"""Tables of outcomes, as data frames that a notebook shows in the style of the report."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from recsens.report.html.plots import estimates
from recsens.report.html.templates import cell
from recsens.tables.numbers import MISSING, estimate, p_value, plus_minus, score
from recsens.tables.table import Row, RowGroup, Table, TableCell

if TYPE_CHECKING:
    from recsens.report.html.picture import Picture

MOST_LINES = 10
"""Largest number of lines that a result prints."""

_MOST_ROWS = 40
"""Largest number of rows that a notebook shows; the frame contains all rows."""


class ShownFrame(pd.DataFrame, ABC):
    """A data frame that prints its main columns in at most ten lines, and that a notebook shows like a table of the report.

    A selection, such as some of its columns, is an ordinary frame.
    """

    _main: ClassVar[Sequence[str]] = ()
    """The columns to print."""

    def __repr__(self) -> str:
        main = self[[name for name in self._main if name in self]]
        p_columns = {str(name): p_value for name in main if str(name).startswith("p_")}
        lines = main.to_string(float_format=score, formatters=p_columns, na_rep=MISSING).splitlines()
        if len(lines) <= MOST_LINES:
            return "\n".join(lines)
        n_more = len(lines) - MOST_LINES + 1
        return "\n".join([*lines[: MOST_LINES - 1], f"... and {n_more} more; recsens' frames have all {self.shape[1]} columns"])

    def _repr_html_(self) -> str:
        return cell(self._heading, tables=[self._as_table().first(_MOST_ROWS, "The frame has all rows.")])

    @property
    def _heading(self) -> str:
        return f"{len(self):,} rows, {self.shape[1]} columns"

    def _labels(self) -> list[str]:
        return [", ".join(map(str, row)) if isinstance(row, tuple) else str(row) for row in self.index]

    @abstractmethod
    def _as_table(self) -> Table:
        """Return the rows as a table of the report."""


class Compared(ShownFrame):
    """Comparisons of systems: one row for each metric, or for each pair and metric."""

    _main = ("value_a", "value_b", "difference", "low", "high", "p_value", "p_adjusted", "users")

    @property
    def _heading(self) -> str:
        if "test" not in self or not len(self):
            return "Comparison of two systems over users"
        return f"Comparison over users by {self['test'].iloc[0]}"

    def _as_table(self) -> Table:
        adjusted = "p_adjusted" in self and not self["p_adjusted"].equals(self["p_value"])
        rows = [
            Row(label, tuple(_compared_cells(row, adjusted=adjusted)))
            for label, (_, row) in zip(self._labels(), self.iterrows(), strict=True)
        ]
        columns = ("A", "B", "A − B", "interval", "p", *(["adjusted p"] if adjusted else []), "users")
        of_rows = ", ".join({"system_a": "A", "system_b": "B"}.get(str(name), str(name)) for name in self.index.names)
        note = "A − B: the mean of the users' differences; p is two-sided, paired by user."
        return Table("compared", "Differences between systems", of_rows, columns, (RowGroup("", tuple(rows)),), (note,))

    def plot(self) -> Picture:  # type: ignore[override]  # replaces pandas' plots, which `pandas.DataFrame(...)` still has
        """Draw each difference with its interval; if the interval excludes zero, the systems differ."""
        remarks = ["" if math.isnan(p) else f"p {_with_equals_sign(p)}" for p in self["p_value"]]
        rows = list(zip(self._labels(), self["difference"], self["low"], self["high"], remarks, strict=True))
        return estimates(self._heading, rows, along="difference A − B", reference=0.0)


class Summarised(ShownFrame):
    """Values of systems: a row for each system and metric."""

    _main = ("value", "spread", "n_users", "user_coverage")

    @property
    def _heading(self) -> str:
        return "Values of systems"

    def plot(self) -> Picture:  # type: ignore[override]  # as in `Compared`
        """Draw each value, with its standard deviation over folds if there are several folds."""
        values, spreads = self["value"], self["spread"]
        rows = [(*row, "") for row in zip(self._labels(), values, values - spreads, values + spreads, strict=True)]
        return estimates(self._heading, rows, along="value, ± standard deviation over folds")

    def _as_table(self) -> Table:
        values, spreads = self["value"].unstack("metric", sort=False), self["spread"].unstack("metric", sort=False)  # noqa: PD010
        rows = []
        for system in values.index:
            both = zip(values.loc[system], spreads.loc[system], strict=True)
            cells = [TableCell(score(value, spread), extra=plus_minus(value, spread)) for value, spread in both]
            rows.append(Row(str(system), tuple(cells)))
        numbers = sorted({int(n) for n in self["n_users"]})
        users = f"Means over {' to '.join(f'{n:,}' for n in (numbers[0], numbers[-1])[: len(numbers)])} users."
        groups, columns = (RowGroup("", tuple(rows)),), tuple(map(str, values))
        return Table("summary", "Values by system and metric", "System", columns, groups, (users,))


def _compared_cells(row: Any, *, adjusted: bool) -> list[TableCell]:
    difference, low, high = estimate(row["difference"], row["low"], row["high"])
    interval = MISSING if math.isnan(row["low"]) else f"{low} to {high}"
    cells = [score(row["value_a"]), score(row["value_b"]), difference, interval, p_value(row["p_value"])]
    cells += [p_value(row["p_adjusted"])] if adjusted else []
    return [TableCell(text) for text in (*cells, f"{row['users']:,.0f}")]


def _with_equals_sign(value: float) -> str:
    text = p_value(value)
    return text if text.startswith("<") else f"= {text}"
