"""The other analyses of each pair, compared with the pair's base verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from recsens.conclusions.verdicts.pairs import BESIDE
from recsens.tables.cells import count_cell
from recsens.tables.numbers import percentage
from recsens.tables.table import Row, RowGroup, Table, texts

_ROBUSTNESS = (
    "An analysis is a design with a metric that ranks systems. Analyses with the same numbers, up to a constant factor, "
    "count once, and analyses with the same numbers as the base analysis do not count. All shares refer to the analyses that count."
)


def robustness_table(pairs: Sequence[Mapping[str, Any]]) -> Table:
    """Count, for each pair, the other analyses that agree with the base verdict, and those that differ, by kind of difference."""
    groups: dict[str, list[Row]] = {}
    for row in pairs:
        n = row["analyses"]
        if n:
            distinct = row["distinct"]
            shares = [f"({percentage(row[kind] / distinct)})" if distinct else "" for kind in BESIDE]
            cells = [replace(count_cell(row[kind]), extra=share) for kind, share in zip(BESIDE, shares, strict=True)]
            numbers = (count_cell(n), count_cell(distinct))
            line = Row(f"{row['system_a']} and {row['system_b']}", (*texts([row["base_verdict"]]), *numbers, *cells))
            groups.setdefault(row["dataset"], []).append(line)
    return Table(
        "robustness",
        "All other analyses compared with the base verdict",
        "Systems",
        ("base verdict", "other analyses", "distinct", "agree", "opposite winner", "significance lost", "significance gained"),
        tuple(RowGroup(dataset, tuple(rows)) for dataset, rows in groups.items()),
        (_ROBUSTNESS,),
    )
