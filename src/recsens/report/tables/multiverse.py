"""All analyses of each pair of systems, taken together."""

import pandas as pd

from recsens.conclusions.verdicts.study_tables import records
from recsens.tables.cells import count_cell, p_cell
from recsens.tables.numbers import fixed
from recsens.tables.table import Row, RowGroup, Table, TableCell

_NOTES = (
    "Median t: the median over the analyses; it is positive if the first system is better.",
    (
        "Joint p: the p-value of the median t, from one test of all analyses, which flips the signs of all of a user's differences "
        "together."
    ),
    (
        "Entered: the number of analyses that enter the joint tests. These are all analyses except those of metrics with a single "
        "value for all users, and those with a ranking for each rating."
    ),
    "Distinct: the number of analyses that enter the joint tests, if analyses with the same numbers count once.",
    (
        "Wins: the number of analyses that each system wins with p below α in the t-test. Joint p of wins: the p-value of the "
        "difference in wins, first system minus second. If flipped signs give the same difference as the data, the "
        "larger sum of t in favour of the system with more wins decides which is more extreme."
    ),
    "Wins, adjusted: the number of wins if p is adjusted for all analyses of the pair (step-down max-T).",
)


def joint_table(joint: pd.DataFrame) -> Table:
    """Show, for each pair of systems, the median t and the wins over all analyses, with joint p-values."""
    groups: dict[str, list[Row]] = {}
    for row in records(joint[joint["distinct"] > 0]):
        cells = (
            *map(count_cell, (row["analyses"], row["entered"], row["distinct"])),
            TableCell(fixed(row["median_t"], 2), numbers=(row["median_t"],)),
            p_cell(row["p_median"]),
            *_both(row["wins_a"], row["wins_b"]),
            p_cell(row["p_wins"]),
            *_both(row["stand_a"], row["stand_b"]),
        )
        groups.setdefault(row["dataset"], []).append(Row(f"{row['system_a']} and {row['system_b']}", cells))
    return Table(
        "joint",
        "Each pair of systems: all its analyses taken together",
        "Systems",
        ("analyses", "entered", "distinct", "median t", "joint p", "wins", "joint p of wins", "wins, adjusted"),
        tuple(RowGroup(dataset, tuple(rows)) for dataset, rows in groups.items()),
        _NOTES,
    )


def _both(first: float, second: float) -> tuple[TableCell]:
    return (TableCell(f"{first:,.0f} and {second:,.0f}", numbers=(first, second)),)
