"""Tables of a study as a notebook shows them, from its results alone."""

import pandas as pd

from recsens.conclusions.verdicts.study_tables import in_order
from recsens.tables.numbers import MISSING, score
from recsens.tables.table import Row, RowGroup, Table, TableCell

_MOST_ROWS, _MOST_METRICS = 20, 6


def base_values(summary: pd.DataFrame) -> Table:
    """Show each system's values under the base design, a group for each data set."""
    base = summary[summary["is_base"]]
    metrics = in_order(base["metric"])[:_MOST_METRICS]
    groups = []
    for dataset, rows in base.groupby("dataset", sort=False):
        values = {(row["system"], row["metric"]): row["value"] for row in rows.to_dict("records")}
        listed = [
            Row(system, tuple(TableCell(score(values.get((system, metric), float("nan")))) for metric in metrics))
            for system in in_order(rows["system"])
        ]
        groups.append(RowGroup(str(dataset), tuple(listed)))
    notes = ("The first metrics; .summary holds all.",) if base["metric"].nunique() > _MOST_METRICS else ()
    table = Table("base", "Values under the base design", "System", tuple(metrics), tuple(groups), notes)
    return table.first(_MOST_ROWS, "The first systems; .summary holds all.")


def wins_by_pair(verdicts: pd.DataFrame) -> Table:
    """Show for each pair the verdict of the base design, and in how many analyses each system wins."""
    groups = []
    for dataset, of_dataset in verdicts.groupby("dataset", sort=False):
        rows = []
        for (a, b), analyses in of_dataset.groupby(["system_a", "system_b"], sort=False):
            base = in_order(analyses.loc[analyses["is_base"], "verdict"])
            counts = [int((analyses["verdict"] == each).sum()) for each in (a, b)]
            undecided = len(analyses) - sum(counts)
            words = TableCell(", ".join(base) or MISSING, is_text=True)
            rows.append(Row(f"{a} and {b}", (words, *(TableCell(f"{n:,}") for n in (*counts, undecided, len(analyses))))))
        groups.append(RowGroup(str(dataset), tuple(rows)))
    columns = ("base design", "first wins", "second wins", "neither", "analyses")
    table = Table("wins", "Who wins, over all designs and metrics", "Pair", columns, tuple(groups))
    return table.first(_MOST_ROWS, "The first pairs; .verdicts holds all.")
