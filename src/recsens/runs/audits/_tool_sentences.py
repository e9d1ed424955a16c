"""The sentences and tables of an audit about other tools' conventions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from recsens.plugins.prose import listed
from recsens.report.frame import FrameSection
from recsens.runs.audits._conventions import Tool
from recsens.tables.cells import compared_cells
from recsens.tables.numbers import count
from recsens.tables.table import Row, RowGroup, Table, TableCell

_MOST_PAIRS = 8


def by_conventions(rows: pd.DataFrame) -> list[str]:
    """Say for each pair how often each of its systems wins under other tools' conventions; for many pairs, return one sentence."""
    if rows.empty:
        return []
    tools = listed(list(dict.fromkeys(rows["convention"])))
    pairs = list(_pairs(rows))
    if len(pairs) > _MOST_PAIRS:
        sides = sum(len(set(own["winner"]) - {""}) > 1 for _, own in pairs)
        return [
            f"In {count(sides)} of {count(len(pairs))} pairs, verdicts under the conventions of {tools} have different winners."
        ]
    clauses = []
    for (a, b), own in pairs:
        wins = " and ".join(f"{name} wins {count(int((own['winner'] == name).sum()))}" for name in (a, b))
        clauses.append(f"{wins} of {count(len(own))} verdicts")
    return [f"Under the conventions of {tools}, {'; '.join(clauses)}."]


def untold(found: Sequence[Tool]) -> list[str]:
    """List what the files do not determine under each convention, and the command that measures it."""
    return [
        f"{tool.name}, not measured here: {'; '.join(tool.untold)} (recsens evaluate --convention {tool.name})"
        for tool in found
        if tool.untold
    ]


def conventions_section(found: Sequence[Tool], rows: pd.DataFrame, *, has_ties: bool) -> FrameSection:
    """Return a section with the values and verdicts under other tools' conventions, and the metrics that were not measured."""
    ties = ["Equal scores are ordered as in the base design, not as the tools order them."] if has_ties else []
    tables = [] if rows.empty else [_values(rows), _verdicts(rows)]
    return FrameSection("conventions", "Conventions of other tools", [*by_conventions(rows), *ties], untold(found), tables)


def _values(rows: pd.DataFrame) -> Table:
    systems = list(dict.fromkeys([*rows["system_a"], *rows["system_b"]]))
    groups = []
    for tool, own in rows.groupby("convention", sort=False):
        metrics = []
        for theirs, verdicts in own.groupby("theirs", sort=False):
            value_of = {row[f"system_{side}"]: row[f"value_{side}"] for row in verdicts.to_dict("records") for side in "ab"}
            metrics.append(Row(str(theirs), tuple(compared_cells([value_of[name] for name in systems]))))
        groups.append(RowGroup(str(tool), tuple(metrics)))
    note = "Each tool's metrics under its own names, over the users that it averages, with the ratings that it treats as relevant."
    return Table("convention-values", "Values under other tools' conventions", "Metric", tuple(systems), tuple(groups), (note,))


def _verdicts(rows: pd.DataFrame) -> Table:
    tools = list(dict.fromkeys(rows["convention"]))
    pairs = []
    for (a, b), own in _pairs(rows):
        cells = []
        for tool in tools:
            winner = own.loc[own["convention"] == tool, "winner"]
            cells.append(TableCell(f"{(winner == a).sum()} : {(winner == b).sum()} : {(winner == '').sum()}", is_text=True))
        pairs.append(Row(f"{a}, {b}", tuple(cells)))
    note = (
        "Each cell: the numbers of verdicts in which the first run wins, the second run wins, and neither wins. conventions.csv "
        "lists all verdicts."
    )
    return Table(
        "convention-verdicts",
        "Numbers of verdicts under other tools' conventions",
        "Pair",
        tuple(tools),
        (RowGroup("", tuple(pairs)),),
        (note,),
    )


def _pairs(rows: pd.DataFrame) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    for pair, own in rows.groupby(["system_a", "system_b"], sort=False):
        yield (str(pair[0]), str(pair[1])), own
