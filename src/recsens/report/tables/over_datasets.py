"""Tables of comparisons combined over data sets."""

from collections.abc import Mapping
from typing import Any

from recsens.conclusions.verdicts.over_datasets import OverDatasets, interval_in_words
from recsens.tables.cells import p_cell
from recsens.tables.numbers import MISSING, whole_percentage
from recsens.tables.table import Row, RowGroup, Table, TableCell


def pairs_over_datasets(over: OverDatasets) -> Table:
    """Show the combined comparison of every pair."""
    rows = [over.from_better(row) for row in over.base.values()]
    part, scale = over.part, over.part.scale
    signed = "percentages by which the first system's value is larger" if scale == "relative" else f"effects on the scale '{scale}'"
    return Table(
        "over-datasets",
        f"{over.base_metric} over data sets: {signed}, with intervals of level {whole_percentage(1 - part.alpha)}",
        "Systems",
        ("These data sets", "Data sets like these", "p", "A new data set", "SD between data sets", "Data sets won"),
        (RowGroup("", tuple(Row(f"{row['system_a']} and {row['system_b']}", _cells(over, row)) for row in rows)),),
        (
            (
                "The mean over these data sets is for other users of them. The mean over data sets like these decides who wins "
                "(bold); its test treats families of data sets, each of which counts once, as a random sample."
            ),
            "Data sets won: under the base design, by the first and by the second system.",
        ),
    )


def _cells(over: OverDatasets, row: Mapping[str, Any]) -> tuple[TableCell, ...]:
    scale = row["scale"]
    these, these_ends = interval_in_words(row["these"], row["these_low"], row["these_high"], scale)
    alike, alike_ends = interval_in_words(row["alike"], row["alike_low"], row["alike_high"], scale)
    _, new_ends = interval_in_words(row["alike"], row["new_low"], row["new_high"], scale)
    spread, spread_ends = interval_in_words(row["tau"], row["tau_low"], row["tau_high"], scale)
    pair = row["system_a"], row["system_b"]
    won = over.won.get(pair) or over.won.get(pair[::-1], (0, 0))[::-1]
    is_known = over.is_inferred
    return (
        TableCell(these, extra=these_ends, is_text=True),
        TableCell(alike if is_known else MISSING, bool(row["winner"]), alike_ends if is_known else "", is_text=True),
        p_cell(row["p_adjusted"]),
        TableCell(new_ends if is_known else MISSING, is_text=True),
        TableCell(spread if is_known else MISSING, extra=spread_ends if is_known else "", is_text=True),
        TableCell(f"{won[0]} and {won[1]}", is_text=True),
    )


def order_over_datasets(over: OverDatasets) -> Table:
    """Show the order of the systems with intervals of ranks; empty unless all pairs were compared on enough data sets."""
    rows = []
    for system, (effect, first, last) in over.ranks.items() if over.is_inferred else ():
        text, _ = interval_in_words(effect, effect - 0.01, effect + 0.01, over.part.scale)
        rank = str(first) if first == last else f"{first} to {last}"
        rows.append(Row(system, (TableCell(text, is_text=True), TableCell(rank, is_text=True))))
    return Table(
        "over-datasets-order",
        f"Order of the systems by {over.base_metric} over data sets",
        "System",
        ("Beside the others", "Rank over data sets like these"),
        (RowGroup("", tuple(rows)),),
        (
            "Beside the others: the mean effect over these data sets against each other system.",
            f"All ranks lie in their intervals together with {whole_percentage(1 - over.part.alpha)} confidence (Holm).",
        ),
    )
