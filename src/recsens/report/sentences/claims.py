"""Whether what a paper claims holds here: printed values say who is ahead, printed p-values whether a test tells two apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import pandas as pd

from recsens.outcomes.winner import SECOND
from recsens.report.changes import base_options, change_of
from recsens.report.metric_names import direction, ranks_systems
from recsens.report.numbers import count, p_claim, score
from recsens.report.results import records, rows_of
from recsens.report.sentences.conditions import listing
from recsens.report.verdicts.best import ranked
from recsens.report.verdicts.pairs import PairVerdicts
from recsens.report.words import change_in_words
from recsens.study.taxonomy import FULL_COLUMNS

Holds = Literal["Holds", "Holds in part", "Does not hold"]

_KEYS = ("dataset", "metric_full", *FULL_COLUMNS)


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

    A claim on two systems holds in part where their order is that of the paper, but whether a test tells them apart is not. One on
    more systems holds where the same one is ahead and nine in ten pairs stand in the printed order, and in part where only the
    former, or half of the latter, is so.
    """
    listed: list[Claim] = []
    for of_part in verdicts:
        rows = rows_of(of_part.part, summary)
        base = base_options(rows)
        printed = {key: _printed(records(group), base) for key, group in _grouped(rows[rows["published"].notna()])}
        tested = of_part.rows[of_part.rows["published"].notna()]
        with_p = {key for key, _ in _grouped(tested)}
        for row in records(tested):
            known = printed.get(tuple(row[name] for name in _KEYS)) or _printed([row], base)
            listed.append(_of_p(row, known, of_part.part.alpha))
        winners = {key: _winners(records(group)) for key, group in _grouped(of_part.rows)}
        for key, known in printed.items():
            if key not in with_p and ranks_systems(str(key[1])):
                listed += _of_values(known, winners.get(key, {}))
    return listed


def in_short(listed: Sequence[Claim]) -> str:
    """Count how many claims hold: ``Of 5 printed claims, 4 hold and 1 holds in part.``; empty without claims."""
    if not listed:
        return ""
    n = {holds: sum(claim.holds == holds for claim in listed) for holds in get_args(Holds)}
    plural = {"Holds": "hold", "Holds in part": "hold in part", "Does not hold": "do not hold"}
    fates = [f"{n[holds]} {holds.lower() if n[holds] == 1 else plural[holds]}" for holds in n if n[holds]]
    if len(listed) == 1:
        return f"The printed claim {listed[0].holds.lower()}."
    return f"Of {len(listed)} printed claims, {listing(fates)}."


def _grouped(rows: pd.DataFrame) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    for key, group in rows.groupby(list(_KEYS), sort=False):
        yield tuple(key), group


def _printed(rows: Sequence[Mapping[str, Any]], base: Mapping[str, str]) -> _Printed:
    first = rows[0]
    change = change_of(first, base)
    under = f" under {change_in_words(change)}" if change else ""
    values = {row["system"]: row["published"] for row in rows if "system" in row}
    ours = {row["system"]: row["value"] for row in rows if "system" in row}
    return _Printed(values, ours, direction(first["metric"]), f"by {first['metric']}{under}", first["source"])


def _of_p(row: Mapping[str, Any], known: _Printed, alpha: float) -> Claim:
    """Judge a printed p-value, with the printed values of its two systems where there are any."""
    a, b = row["system_a"], row["system_b"]
    better = "" if not row["better"] else b if row["better"] == SECOND else a
    is_told, is_found = bool(row["published"] < alpha), bool(row["winner"])
    ahead = _ahead_in_print(known, a, b)
    holds = _judged(ahead in {None, better}, is_told=is_told, is_found=is_found)
    told = f"{_told(known, (a, b), ahead, is_told=is_told)} ({p_claim(row['published'])}; {row['source']})"
    return Claim(holds, f"In print, {told}. Here, {_found(row, better, is_told=is_told)}.")


def _told(known: _Printed, pair: tuple[str, str], ahead: str | None, *, is_told: bool) -> str:
    """Say what a printed p-value claims of two systems."""
    if ahead is None:
        return f"{pair[0]} and {pair[1]} {'differ' if is_told else 'are not told apart'} {known.by}"
    first, second = (pair[1], pair[0]) if ahead == pair[1] else pair
    values = score(known.in_print[first]), score(known.in_print[second])
    if is_told and ahead:
        return f"{first} beats {second} {known.by}, {values[0]} to {values[1]}"
    return f"{first} and {second} are not told apart {known.by}, {values[0]} and {values[1]}"


def _found(row: Mapping[str, Any], better: str, *, is_told: bool) -> str:
    """Say what the same comparison finds here."""
    p = p_claim(row["p_adjusted"])
    if row["winner"]:
        return f"{row['winner']} wins ({p})"
    lead = f"{better} is ahead" if better else "both have the same value"
    return f"{lead}, but no test tells them apart ({p})" if is_told else f"no test tells them apart either ({p})"


def _ahead_in_print(known: _Printed, a: str, b: str) -> str | None:
    """Return the system with the better printed value; empty where both have the same, None where they are not printed."""
    if a not in known.in_print or b not in known.in_print:
        return None
    gap = known.sign * (known.in_print[a] - known.in_print[b])
    return a if gap > 0 else b if gap < 0 else ""


def _judged(is_same: bool, *, is_told: bool, is_found: bool) -> Holds:
    """Judge a claim by whether the order is the same, and whether a test tells the systems apart in print and here."""
    if not is_told and not is_found:
        return "Holds"
    if is_same:
        return "Holds" if is_told == is_found else "Holds in part"
    return "Does not hold"


def _of_values(known: _Printed, winners: Mapping[frozenset[str], str]) -> Iterator[Claim]:
    """Judge printed values by who is ahead."""
    order, ours = ranked(known.in_print, known.sign), ranked(known.ours, known.sign)
    if len(order) < 2 or not ours:
        return
    best, found = order[0], ours[0]
    is_same = bool(set(best) & set(found))
    lead = f"In print, {' and '.join(best)} {'are' if len(best) > 1 else 'is'} ahead"
    if len(known.in_print) == 2:
        a, b = known.in_print
        tested = winners.get(frozenset((a, b)))
        told = "" if tested is None else ", and the test tells them apart" if tested else ", but no test tells them apart"
        values = f"{score(known.ours[found[0]])} against {score(known.ours[b if found[0] == a else a])}"
        holds: Holds = "Does not hold" if not is_same else "Holds in part" if tested == "" else "Holds"
        here = f"Here, {' and '.join(found)} {'are' if len(found) > 1 else 'is'} ahead"
        yield Claim(holds, f"{lead} {known.by} ({known.source}). {here}, {values}{told}.")
        return
    same, n = _same_order(known)
    holds = "Holds" if is_same and 10 * same >= 9 * n else "Holds in part" if is_same or 2 * same >= n else "Does not hold"
    here = "So it is here" if is_same else f"Here, it is {' and '.join(found)}"
    orders = f"{count(same)} of {count(n)} pairs stand in the printed order"
    yield Claim(holds, f"{lead} of {len(known.in_print)} systems {known.by} ({known.source}). {here}; {orders}.")


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
