"""Tables of verdicts: those that a single decision changes, all analyses of each pair, copies, and which decision matters."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from recsens.arrays import grouped
from recsens.conclusions.verdicts.pairs import BESIDE, UNDECIDED
from recsens.conclusions.verdicts.study_tables import records
from recsens.plugins.prose import listed
from recsens.report.sentences.options import titles_of
from recsens.report.system_remarks import calibrated
from recsens.study import Study
from recsens.study.taxonomy import DESIGN
from recsens.tables.cells import count_cell, p_cell, share_cell
from recsens.tables.numbers import MISSING, fixed, percentage, score
from recsens.tables.table import Row, Table, TableCell, row_groups, texts

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
    options = {each: [row[end] for row in shown if row["decision"] == each.name for end in ("from", "to")] for each in DESIGN}
    words = {each.name: titles_of(each, texts) for each, texts in options.items()}
    lines = [(title, _changed_row(row, words)) for kind, title in _KINDS.items() for row in shown if row["kind"] == kind]
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
    columns = ("decision", "from", "to", "base verdict", "verdict", "d_z", "p")
    return Table("flips", "Verdicts changed by a single decision", "Systems", columns, row_groups(lines), tuple(notes))


def _changed_row(row: Mapping[str, Any], words: Mapping[str, Mapping[str, str]]) -> Row:
    named = words.get(row["decision"], {})
    before, after = (named.get(row[end], row[end]) for end in ("from", "to"))
    also = f"(also {row['also']})" if row["also"] else ""
    changed = [*texts([f"{row['code']} {row['decision']}", before]), TableCell(after, extra=also, is_text=True)]
    ends = (row["base_effect"], row["effect"])
    effects = TableCell(f"{score(ends[0])} to {score(ends[1])}", numbers=ends, of="d_z")
    label = f"{row['dataset']}: {row['system_a']} and {row['system_b']}"
    return Row(label, (*changed, *texts([row["base_verdict"], row["verdict"]]), effects, p_cell(row["p"])))


_ROBUSTNESS = (
    "An analysis is a design with a metric that ranks systems. Analyses with the same numbers, up to a constant factor, "
    "count once, and analyses with the same numbers as the base analysis do not count. All shares refer to the analyses that count."
)


def robustness_table(pairs: Sequence[Mapping[str, Any]]) -> Table:
    """Count, for each pair, the other analyses that agree with the base verdict, and those that differ, by kind of difference."""
    lines = []
    for row in pairs:
        if row["analyses"]:
            distinct = row["distinct"]
            shares = [f"({percentage(row[kind] / distinct)})" if distinct else "" for kind in BESIDE]
            cells = [replace(count_cell(row[kind]), extra=share) for kind, share in zip(BESIDE, shares, strict=True)]
            cells = [*texts([row["base_verdict"]]), count_cell(row["analyses"]), count_cell(distinct), *cells]
            lines.append((row["dataset"], Row(f"{row['system_a']} and {row['system_b']}", tuple(cells))))
    kinds = ("agree", "opposite winner", "significance lost", "significance gained")
    caption, columns = "All other analyses compared with the base verdict", ("base verdict", "other analyses", "distinct", *kinds)
    return Table("robustness", caption, "Systems", columns, row_groups(lines), (_ROBUSTNESS,))


def copies_table(copies: Sequence[Mapping[str, Any]]) -> Table:
    """Make a table of analyses that repeat the numbers of another analysis, each with that analysis."""
    lines = [(row["dataset"], Row(row["analysis"], (*texts([row["same_as"]]), count_cell(row["pairs"])))) for row in copies]
    note = (
        "The two analyses in each row of this table have the same users, the same differences up to a constant factor, the same "
        "weights and the same test result."
    )
    caption = "Analyses with the same numbers as another analysis, up to a constant factor"
    return Table("copies", caption, "Analysis", ("the same numbers as", "pairs of systems"), row_groups(lines), (note,))


_INFLUENCE_NOTES = (
    "Share: the part of the variance of d_z that one or more decisions explain; given if every combination of options was run.",
    "Range: lowest and highest d_z if only this decision differs from the base design; above zero, the first system is better.",
    "Verdicts changed: among pairs of analyses that differ only in this decision, the share with different verdicts.",
)


def influence_table(lines: Sequence[Mapping[str, Any]]) -> Table:
    """Show the decisions of each pair, largest share first or, without shares, most verdicts changed first."""
    groups = grouped((f"{line['dataset']}: {line['system_a']} and {line['system_b']}", line) for line in lines)
    columns = ("share", "range of d_z", "verdicts changed", "pairs of analyses")
    rows = row_groups((pair, _influence_row(row)) for pair, own in groups.items() for row in sorted(own, key=_influence_rank))
    return Table("influence", "Which decision matters", "Decision", columns, rows, _INFLUENCE_NOTES)


def _influence_rank(line: Mapping[str, Any]) -> tuple[bool, float, float]:
    share, changed = (line.get(name, math.nan) for name in ("share", "flip_rate"))
    return math.isnan(share), -share if not math.isnan(share) else 0.0, -changed if not math.isnan(changed) else 0.0


def _influence_row(line: Mapping[str, Any]) -> Row:
    beside = line.get("together_with")
    label = " ".join(filter(None, [line["code"], line["decision"], f"with {beside}" if beside else ""]))
    if "compared" not in line:
        return Row(label, (share_cell(line["share"]), *[TableCell(MISSING)] * 3))
    low, high = line["lowest"], line["highest"]
    reach = TableCell(MISSING) if math.isnan(low) else TableCell(f"{score(low)} to {score(high)}", numbers=(low, high))
    share = TableCell(MISSING) if math.isnan(line["share"]) else share_cell(line["share"])
    changed = TableCell(MISSING) if math.isnan(line["flip_rate"]) else share_cell(line["flip_rate"])
    return Row(label, (share, reach, changed, count_cell(line["compared"])))


_JOINT_NOTES = (
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
    lines = []
    for row in records(joint[joint["distinct"] > 0]):
        cells = (
            *map(count_cell, (row["analyses"], row["entered"], row["distinct"])),
            TableCell(fixed(row["median_t"], 2), numbers=(row["median_t"],)),
            p_cell(row["p_median"]),
            *_pair_cell(row["wins_a"], row["wins_b"]),
            p_cell(row["p_wins"]),
            *_pair_cell(row["stand_a"], row["stand_b"]),
        )
        lines.append((row["dataset"], Row(f"{row['system_a']} and {row['system_b']}", cells)))
    columns = ("analyses", "entered", "distinct", "median t", "joint p", "wins", "joint p of wins", "wins, adjusted")
    caption = "Each pair of systems: all its analyses taken together"
    return Table("joint", caption, "Systems", columns, row_groups(lines), _JOINT_NOTES)


def _pair_cell(first: float, second: float) -> tuple[TableCell]:
    return (TableCell(f"{first:,.0f} and {second:,.0f}", numbers=(first, second)),)


SIGNS = {"held": "✓", "not held": "✗", "undecided": "?"}
"""The sign of each outcome, printed before its words."""

_ABOUT_CALIBRATED = (
    "Calibrated: parameters were chosen so that the claim holds. Such a claim can hardly fail, so it is counted separately."
)


def claim_table(claims: pd.DataFrame) -> Table:
    """Make a table of claims with outcomes, numbers and sources, with one group of rows per data set or experiment."""
    lines = []
    for row in records(claims):
        under = f" ({row['under']})" if row["under"] else ""
        verdict = TableCell(f"{SIGNS[row['verdict']]} {verdict_in_words(row)}", is_text=True)
        lines.append((row["dataset"], Row(f"{row['says']}{under}", (verdict, *texts([row["numbers"], row["source"]])))))
    groups = row_groups(lines)
    notes = [
        (
            "A claim is held if the whole interval supports it, not held if no part of the interval supports it, and undecided "
            "otherwise."
        ),
        "Unless stated otherwise, intervals cover other users, and treat the splits and fits of the study as fixed.",
        *([_ABOUT_CALIBRATED] if claims["calibrated"].any() else []),
        *(["The claims at the end follow from printed values and p-values."] if (claims["origin"] == "printed").any() else []),
    ]
    groups = (replace(groups[0], title=""),) if len(groups) == 1 else groups
    caption, columns = "What the paper claims, and what the study finds", ("verdict", "numbers", "source")
    return Table("claims", caption, "Claim", columns, groups, tuple(notes))


def verdict_in_words(row: Mapping[str, Any]) -> str:
    """Write a claim's outcome; if parameters were chosen to make the claim hold, add a remark: ``held (calibrated)``."""
    return f"{row['verdict']} (calibrated)" if row["calibrated"] else str(row["verdict"])


def in_short(claims: pd.DataFrame) -> str:
    """Count the claims by outcome, and calibrated claims separately; empty without claims.

    ``7 of 9 claims held, 1 was not held and 1 is undecided. Counted separately: 2 of 2 calibrated claims held.``
    """
    is_calibrated = claims["calibrated"].astype(bool)
    others = _counted(claims[~is_calibrated], "claim")
    apart = _counted(claims[is_calibrated], "calibrated claim")
    return " ".join(filter(None, [others, f"Counted separately: {apart}" if apart else ""]))


def _counted(claims: pd.DataFrame, noun: str) -> str:
    n = {verdict: int((claims["verdict"] == verdict).sum()) for verdict in SIGNS}
    total = sum(n.values())
    if not total:
        return ""
    told = [f"{n['held']} of {total} {noun}{'s' * (total > 1)} held"]
    if n["not held"]:
        told.append(f"{n['not held']} {'was' if n['not held'] == 1 else 'were'} not held")
    if n["undecided"]:
        told.append(f"{n['undecided']} {'is' if n['undecided'] == 1 else 'are'} undecided")
    return f"{listed(told)}."
