"""Verdicts that a single decision changes."""

from collections.abc import Mapping, Sequence
from typing import Any

from recsens.conclusions.verdicts.pairs import UNDECIDED
from recsens.report.sentences.options import titles_of
from recsens.report.system_remarks import calibrated
from recsens.study import Study
from recsens.study.taxonomy import DESIGN, Decision
from recsens.tables.cells import p_cell
from recsens.tables.numbers import score
from recsens.tables.table import Row, RowGroup, Table, TableCell, texts

MAX_CHANGED = 60
"""Largest number of changed verdicts in a table; the CSV file has all changed verdicts."""

_KINDS = {
    "contradicts": "Contradictions: the opposite winner",
    "undecides": "Significance lost",
    "decides": "Significance gained",
}


def changed_table(study: Study, changed: Sequence[Mapping[str, Any]]) -> Table:
    """Show the verdicts that a single decision changes, contradictions first."""
    shown = changed[:MAX_CHANGED]
    words = {each.name: titles_of(each, _options_of(each, shown)) for each in DESIGN}
    groups = [
        RowGroup(title, tuple(_changed(row, words) for row in shown if row["kind"] == kind)) for kind, title in _KINDS.items()
    ]
    notes = [
        "d_z: standardised difference, first system minus second, before and after the change; p: the p-value after the change."
    ]
    if any(row["verdict"] == UNDECIDED and row["p"] < study.alpha for row in shown):
        beyond = "" if study.own.margin.is_zero else ", or if part of the interval is within the margin"
        notes.append(
            "Whatever p is, neither of two systems wins if their values are equal, or if the values and the test favour different "
            f"systems{beyond}."
        )
    if any(row["also"] for row in shown):
        notes.append("“Also” introduces other changes that lead to the same numbers; all these changes count as one.")
    if len(changed) > len(shown):
        notes.append(f"Only the first {len(shown)} of {len(changed)} changed verdicts are shown; flips.csv lists all.")
    notes += filter(None, [calibrated(*study.all_experiments())])
    return Table(
        "flips",
        "Verdicts changed by a single decision",
        "Systems",
        ("decision", "from", "to", "base verdict", "verdict", "d_z", "p"),
        tuple(group for group in groups if group.rows),
        tuple(notes),
    )


def _options_of(decision: Decision, changed: Sequence[Mapping[str, Any]]) -> list[str]:
    return [row[end] for row in changed if row["decision"] == decision.name for end in ("from", "to")]


def _changed(row: Mapping[str, Any], words: Mapping[str, Mapping[str, str]]) -> Row:
    named = words.get(row["decision"], {})
    before, after = (named.get(row[end], row[end]) for end in ("from", "to"))
    changed = [*texts([f"{row['code']} {row['decision']}", before]), TableCell(after, extra=_also(row), is_text=True)]
    effects = f"{score(row['base_effect'])} to {score(row['effect'])}"
    label = f"{row['dataset']}: {row['system_a']} and {row['system_b']}"
    return Row(
        label,
        (
            *changed,
            *texts([row["base_verdict"], row["verdict"]]),
            TableCell(effects, numbers=(row["base_effect"], row["effect"]), of="d_z"),
            p_cell(row["p"]),
        ),
    )


def _also(row: Mapping[str, Any]) -> str:
    return f"(also {row['also']})" if row["also"] else ""
