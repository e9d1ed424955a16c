"""Whether what a paper claims holds here: printed values say who is ahead, printed p-values whether a test tells two apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from recsens.outcomes.winner import SECOND
from recsens.report.changes import change_of
from recsens.report.metric_names import direction, ranks_systems
from recsens.report.numbers import count, p_claim, score
from recsens.report.results import records
from recsens.report.verdicts.best import ranked
from recsens.report.verdicts.pairs import PairVerdicts
from recsens.report.words import change_in_words
from recsens.study.taxonomy import COLUMNS

Holds = Literal["Holds", "Holds in part", "Does not hold"]

_KEYS = ("dataset", "metric", *COLUMNS)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a paper claims, and whether it holds here.

    Attributes
    ----------
    holds
        The answer in a word or three.
    sentence
        What is printed, and what is found here.
    """

    holds: Holds
    sentence: str


@dataclass(frozen=True, slots=True)
class _Printed:
    """What is printed by one metric under one design on one data set: values by system, and the words for metric and design."""

    in_print: Mapping[str, float]
    ours: Mapping[str, float]
    sign: int
    by: str
    source: str


def claims(verdicts: Sequence[PairVerdicts], summary: pd.DataFrame) -> list[Claim]:
    """Compare what is printed with the verdicts here: a sentence a printed p-value, and one each for all other printed values.

    A claim holds in part where the order of two systems is that of the paper, but whether a test tells them apart is not.
    """
    listed: list[Claim] = []
    for of_part in verdicts:
        rows = summary[summary["dataset"].isin(list(of_part.part.datasets)) & summary["published"].notna()]
        printed = {key: _printed(records(group), of_part) for key, group in _grouped(rows)}
        tested = of_part.rows[of_part.rows["published"].notna()]
        with_p = {key for key, _ in _grouped(tested)}
        for row in records(tested):
            known = printed.get(tuple(row[name] for name in _KEYS)) or _printed([row], of_part)
            listed.append(_of_p(row, known, of_part.part.alpha))
        winners = {key: _winners(records(group)) for key, group in _grouped(of_part.rows)}
        for key, known in printed.items():
            if key not in with_p and ranks_systems(str(key[1])):
                listed += _of_values(known, winners.get(key, {}))
    return listed


def _grouped(rows: pd.DataFrame) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    for key, group in rows.groupby(list(_KEYS), sort=False):
        yield tuple(key), group


def _printed(rows: Sequence[Mapping[str, Any]], verdicts: PairVerdicts) -> _Printed:
    first = rows[0]
    change = change_of({column: first[column] for column in COLUMNS}, verdicts.options)
    under = f" under {change_in_words(change)}" if change else ""
    values = {row["system"]: row["published"] for row in rows if "system" in row}
    ours = {row["system"]: row["value"] for row in rows if "system" in row}
    return _Printed(values, ours, direction(first["metric"]), f"by {first['metric']}{under}", first["source"])


def _of_p(row: Mapping[str, Any], known: _Printed, alpha: float) -> Claim:
    """Judge a printed p-value, with the printed values of its two systems where there are any."""
    a, b = row["system_a"], row["system_b"]
    first, second = (a, b) if _is_ahead(known, a, b) else (b, a)
    p = p_claim(row["published"])
    if a in known.in_print and b in known.in_print:
        what = f"{first} at {score(known.in_print[first])} and {second} at {score(known.in_print[second])} {known.by}, {p}"
    else:
        first, what = "", f"{p} for {a} and {b} {known.by}"
    better = "" if not row["better"] else b if row["better"] == SECOND else a
    is_same = first in {"", better} or (first in known.in_print and known.in_print[a] == known.in_print[b])
    found = f"{row['winner']} wins" if row["winner"] else f"{better} is ahead" if better else "both have the same value"
    holds = _judged(is_same, is_told=bool(row["published"] < alpha), is_found=bool(row["winner"]))
    return Claim(holds, f"{row['source']} prints {what}. Here, {found} ({p_claim(row['p_adjusted'])}).")


def _is_ahead(known: _Printed, a: str, b: str) -> bool:
    return known.sign * known.in_print.get(a, math.nan) >= known.sign * known.in_print.get(b, math.nan)


def _judged(is_same: bool, *, is_told: bool, is_found: bool) -> Holds:
    """Judge a claim by whether the order is the same, and whether a test tells the systems apart in print and here."""
    if not is_told and not is_found:
        return "Holds"
    if is_same:
        return "Holds" if is_told == is_found else "Holds in part"
    return "Does not hold"


def _of_values(known: _Printed, winners: Mapping[frozenset[str], str]) -> Iterator[Claim]:
    """Judge printed values by who is ahead: of two systems, or of all pairs whose printed values differ."""
    order, ours = ranked(known.in_print, known.sign), ranked(known.ours, known.sign)
    if len(order) < 2 or not ours:
        return
    best, found = order[0], ours[0]
    is_same = bool(set(best) & set(found))
    lead = f"{known.source} prints {' and '.join(best)} ahead {known.by}"
    if len(known.in_print) == 2:
        a, b = known.in_print
        tested = winners.get(frozenset((a, b)))
        told = "" if tested is None else ", and the test tells them apart" if tested else ", but no test tells them apart"
        values = f"{score(known.ours[found[0]])} against {score(known.ours[b if found[0] == a else a])}"
        holds: Holds = "Does not hold" if not is_same else "Holds in part" if tested == "" else "Holds"
        yield Claim(holds, f"{lead}. Here, {' and '.join(found)} {'are' if len(found) > 1 else 'is'} ahead, {values}{told}.")
        return
    same, n = _same_order(known)
    holds = "Holds" if is_same and same == n else "Holds in part" if is_same or 2 * same > n else "Does not hold"
    here = "Here too" if set(best) == set(found) else f"Here, it is {' and '.join(found)}"
    orders = f"{count(same)} of {count(n)} printed orders of two systems hold"
    yield Claim(holds, f"{lead} of {len(known.in_print)} systems. {here}; {orders}.")


def _same_order(known: _Printed) -> tuple[int, int]:
    """Count the pairs whose order is that of the paper, and all whose printed values differ."""
    systems = list(known.in_print)
    gaps = [
        (known.in_print[a] - known.in_print[b], known.ours[a] - known.ours[b])
        for number, a in enumerate(systems)
        for b in systems[:number]
    ]
    differing = [printed * ours > 0 for printed, ours in gaps if printed]
    return sum(differing), len(differing)


def _winners(rows: Sequence[Mapping[str, Any]]) -> dict[frozenset[str], str]:
    return {frozenset((row["system_a"], row["system_b"])): row["winner"] for row in rows}
