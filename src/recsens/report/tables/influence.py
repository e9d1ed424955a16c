"""Which decisions matter most when each pair of systems is compared."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from recsens.tables.cells import count_cell, share_cell
from recsens.tables.numbers import MISSING, score
from recsens.tables.table import Row, RowGroup, Table, TableCell

_NAN = float("nan")

_NOTES = (
    "Share: the part of the variance of d_z that one or more decisions explain; given if every combination of options was run.",
    "Range: lowest and highest d_z if only this decision differs from the base design; above zero, the first system is better.",
    "Verdicts changed: among pairs of analyses that differ only in this decision, the share with different verdicts.",
)


def influence_table(lines: Sequence[Mapping[str, Any]]) -> Table:
    """Show the decisions of each pair, largest share first or, without shares, most verdicts changed first."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for line in lines:
        groups.setdefault(f"{line['dataset']}: {line['system_a']} and {line['system_b']}", []).append(line)
    return Table(
        "influence",
        "Which decision matters",
        "Decision",
        ("share", "range of d_z", "verdicts changed", "pairs of analyses"),
        tuple(RowGroup(pair, tuple(map(_row, sorted(rows, key=_weight)))) for pair, rows in groups.items()),
        _NOTES,
    )


def _weight(line: Mapping[str, Any]) -> tuple[bool, float, float]:
    share, changed = (line.get(name, _NAN) for name in ("share", "flip_rate"))
    return math.isnan(share), -share if not math.isnan(share) else 0.0, -changed if not math.isnan(changed) else 0.0


def _row(line: Mapping[str, Any]) -> Row:
    beside = line.get("together_with")
    label = " ".join(filter(None, [line["code"], line["decision"], f"with {beside}" if beside else ""]))
    if "compared" not in line:
        return Row(label, (share_cell(line["share"]), *[TableCell(MISSING)] * 3))
    low, high = line["lowest"], line["highest"]
    reach = TableCell(MISSING) if math.isnan(low) else TableCell(f"{score(low)} to {score(high)}", numbers=(low, high))
    share = TableCell(MISSING) if math.isnan(line["share"]) else share_cell(line["share"])
    changed = TableCell(MISSING) if math.isnan(line["flip_rate"]) else share_cell(line["flip_rate"])
    return Row(label, (share, reach, changed, count_cell(line["compared"])))
