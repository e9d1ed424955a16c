"""The overlap of two systems' lists."""

import pandas as pd

from recsens.conclusions.verdicts.study_tables import in_order
from recsens.tables.cells import count_cell, score_cell
from recsens.tables.table import Row, RowGroup, Table, slug

_NOTE = (
    "Shared: the number of items within the cut-off that both lists contain, divided by the cut-off, or by the length of the "
    "longer list if both lists end before the cut-off. RBO (extrapolated, φ = .9) gives more weight to the top. Values are means "
    "over the users "
    "with a list from both systems, then over folds. The overlaps always use full rankings of all users, even if the study uses "
    "condensed rankings or averages only some users."
)


def overlap_tables(overlaps: pd.DataFrame) -> list[Table]:
    """Show the overlap of each pair's lists in one table per data set or experiment; there is no table under 1R."""
    return [_table(label, overlaps[overlaps["dataset"] == label]) for label in in_order(overlaps["dataset"])]


def _table(label: str, rows: pd.DataFrame) -> Table:
    cutoffs = sorted(set(rows["cutoff"].astype(int)))
    lines = []
    means_of = rows.groupby(["system_a", "system_b", "cutoff"])[["overlap", "rbo", "n_users"]].mean().to_dict()
    for a, b in dict.fromkeys(zip(rows["system_a"], rows["system_b"], strict=True)):
        shown = [score_cell(means_of[name][a, b, n], of=name) for name in ("overlap", "rbo") for n in cutoffs]
        lines.append(Row(f"{a} and {b}", (*shown, count_cell(means_of["n_users"][a, b, cutoffs[0]]))))
    return Table(
        f"overlap-{slug(label)}",
        f"{label}: overlap of lists under the base design",
        "Systems",
        (*(f"shared@{n}" for n in cutoffs), *(f"RBO@{n}" for n in cutoffs), "users"),
        (RowGroup("", tuple(lines)),),
        (_NOTE,),
    )
