"""The table of comparisons within groups."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from recsens.conclusions.verdicts.groups import grouped_pairs
from recsens.conclusions.verdicts.study_tables import Results
from recsens.study import Experiment
from recsens.tables.cells import count_cell, p_cell
from recsens.tables.numbers import MISSING, count, interval, p_value, score
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug


def group_tables(part: Experiment, results: Results) -> Iterator[Table]:
    """Yield, for each data set, the comparison of every pair within each group, by the first metric that ranks systems."""
    pairs = grouped_pairs(part, results)
    for dataset in part.datasets:
        own = [pair for pair in pairs if pair.whole["dataset"] == dataset]
        if own:
            yield Table(
                f"groups-{slug(dataset)}",
                f"{dataset}: {own[0].whole['metric']} within groups",
                "Group",
                ("Members", "Train ratings", "Users", "First", "Second", "Difference", "Interval", "p", "Wins"),
                tuple(
                    RowGroup(
                        f"{pair.whole['system_a']} and {pair.whole['system_b']}, {grouping}; p of equal differences "
                        f"{p_value(rows[0]['p_equal'])}",
                        tuple(Row(row["group"], _cells(row)) for row in rows),
                    )
                    for pair in own
                    for grouping, rows in pair.groupings.items()
                ),
                (
                    "Members: users or items of the group, on average over folds. Train ratings: the fewest and most of a member.",
                    "Users: those compared. First, second: values of the two systems over them.",
                ),
            )


def _cells(row: Mapping[str, Any]) -> tuple[TableCell, ...]:
    numbers = [TableCell(score(row[name]), numbers=(row[name],)) for name in ("value_a", "value_b", "difference")]
    ends = () if math.isnan(row["low"]) else (row["low"], row["high"])
    counts = " to ".join(dict.fromkeys((count(row["fewest"]), count(row["most"]))))
    return (
        count_cell(row["members"]),
        TableCell(counts, numbers=(row["fewest"], row["most"])),
        count_cell(row["users"]),
        *numbers,
        TableCell(interval(row["low"], row["high"]), numbers=ends),
        p_cell(row["p_adjusted"]),
        TableCell(row["winner"] or ("equivalent" if row["is_equivalent"] else MISSING), is_text=True),
    )
