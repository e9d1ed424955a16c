"""Claims: what a study says in sentences, contradictions first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from recsens.config import Study
from recsens.specs import parse
from recsens.studies.copies import counted
from recsens.studies.judging import PAIR, UNDECIDED, Judgement, pair_of
from recsens.studies.naming import built, change_in_words, confidence_of, improvement, in_order, scale_of, short
from recsens.studies.printed import SPACE, count, estimate, p_below, p_claim, users
from recsens.studies.results import records

_EXAMPLES = 3
"""Analyses that a contradiction names; the table of flips holds every single change."""


_WEIGHED = ", each with the mean over their ratings and weighing as many as these are"
_BY_RATING = f"under targets with a ranking for each rating{_WEIGHED}"
_RULES = {"holm": "Holm's step-down procedure", "bh": "the procedure of Benjamini and Hochberg"}


@dataclass(frozen=True)
class Contradiction:
    """A pair of systems of which different analyses name different winners.

    Attributes
    ----------
    base
        What the base design says, in a sentence.
    against
        Analyses with the other winner, those that change least first, a sentence each.
    counts
        How many analyses name each system.
    """

    base: str
    against: tuple[str, ...]
    counts: str


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two systems on a data set: the base verdict, and every other analysis."""

    judged: Judgement
    base: Mapping[str, Any]
    others: Sequence[Mapping[str, Any]]

    @property
    def winners(self) -> set[str]:
        return {row["verdict"] for row in (self.base, *self.others)} - {UNDECIDED}

    @property
    def is_contradicted(self) -> bool:
        return len(self.winners) > 1

    @property
    def is_stable(self) -> bool:
        return all(row["beside_base"] == "agrees" for row in self.others)

    @property
    def n_copies(self) -> int:
        return self.judged.n_copies.get(pair_of(self.base), 0)

    @property
    def n_distinct(self) -> int:
        return 1 + len(self.others)


def headline(judgements: Sequence[Judgement]) -> str:
    """Say in a few sentences how much of a study depends on the design: opposite winners first, significance apart."""
    pairs = [pair for judged in judgements for pair in _pairs(judged)]
    if not pairs:
        return "No two systems were compared by a metric that ranks them."
    below = p_below(judgements[0].part.alpha)
    n = len(pairs)
    n_decided = sum(pair.base["verdict"] != UNDECIDED for pair in pairs)
    named = "names no winner" if not n_decided else f"names a winner in {_of(n_decided, n)} ({below})"
    n_empty = sum(pair.base["users"] == 0 for pair in pairs)
    nobody = f" No user is admitted to {_of(n_empty, n)} under it: see B1 among the settings." if n_empty else ""
    if not any(pair.others for pair in pairs):
        rest = "all else has the same numbers" if any(pair.n_copies for pair in pairs) else "nothing else was tried"
        return " ".join(filter(None, [f"The base design {named}; {rest}.{nobody}", _on_copies(pairs)]))
    n_contradicted = sum(pair.is_contradicted for pair in pairs)
    n_shaken = sum(not pair.is_contradicted and not pair.is_stable for pair in pairs)
    if n_contradicted:
        rivals = f"different analyses name opposite winners, each with {below}"
        lead = _of(n_contradicted, n)
        parts = [f"{lead[0].upper()}{lead[1:]} {_are(n_contradicted)} contradicted: {rivals}."]
    else:
        parts = [f"No comparison is contradicted: nowhere do two analyses name opposite winners with {below}."]
    if n_shaken:
        parts.append(_in(n_shaken, n, "significance alone is lost or gained", rest=bool(n_contradicted)))
    if n > n_contradicted + n_shaken:
        parts.append(_in(n - n_contradicted - n_shaken, n, "every analysis agrees with the base design"))
    return " ".join(filter(None, [*parts, f"The base design {named}.{nobody}", _on_copies(pairs)]))


def _on_copies(pairs: Sequence[_Pair]) -> str:
    """Say how many analyses the comparisons rest on, where some have the numbers of others; empty where none has."""
    numbers = [(pair.n_distinct + pair.n_copies, pair.n_distinct) for pair in pairs]
    if not any(pair.n_copies for pair in pairs):
        return ""
    alike = len(set(numbers)) == 1
    analyses, distinct = numbers[0] if alike else (sum(n for n, _ in numbers), sum(n for _, n in numbers))
    whose = ("It rests" if len(pairs) == 1 else "Each rests") if alike else "Together they rest"
    return f"{whose} on {counted(analyses, distinct)}: those with the same numbers under other names count once."


def contradictions(judgements: Sequence[Judgement]) -> list[Contradiction]:
    """List the pairs of which different analyses name different winners, in the order of the study."""
    return [_contradiction(pair) for judged in judgements for pair in _pairs(judged) if pair.is_contradicted]


def meaning(study: Study, comparisons: pd.DataFrame) -> str:
    """Say what a win is, what its p-value is of, what it is adjusted for, and what it does not speak of."""
    pooled = comparisons[comparisons["fold"] == "all"]
    units = {getattr(built("targets", parse(spec)), "unit", "user") for spec in pooled["targets"].unique()}
    over = "the same users" + (_WEIGHED if units == {"rating"} else f" ({_BY_RATING})" if "rating" in units else "")
    rules = sorted(set(pooled["correction"]) - {"none"})
    draws = "; the p-values of single folds, among the results, show how far draws differ" if study.design.repeats > 1 else ""
    if not rules:
        made = f"{count(len(pooled))} were made in this study and none is adjusted for their number"
        adjusted = f"Every p-value is that of a single comparison; {made}, so that some may name a winner by chance."
    else:
        how = " or ".join(_RULES[rule] for rule in rules)
        some = ", as each design says" if len(rules) > 1 or "none" in set(pooled["correction"]) else ""
        adjusted = (
            f"The p-values of all pairs of systems by one metric on one data set are adjusted for their number by {how}{some}, but "
            f"not for the numbers of metrics, designs and data sets: {count(len(pooled))} comparisons were made in this study."
        )
    return (
        "“Beats” means that the value is better, the paired differences point the same way and "
        f"{p_below(study.alpha)}, in a comparison over {over}. {_hypotheses(pooled)} {adjusted} A p-value speaks of other users "
        f"under the same splits and fitted models, not of other draws of them{draws}. That significance alone is lost or gained is "
        "no evidence that two designs differ."
    )


def _hypotheses(pooled: pd.DataFrame) -> str:
    """Say what p-values are of: in words where it is one hypothesis."""
    found = in_order(pooled[pooled["p_value"].notna()]["hypothesis"])
    if len(found) == 1:
        return f"Its p-value is of the hypothesis that {found[0]}."
    return "Its p-value is of a hypothesis that depends on the design: comparisons.csv names it for each."


def _pairs(judged: Judgement) -> Iterator[_Pair]:
    others = {key: records(rows) for key, rows in judged.others.groupby(list(PAIR), sort=False)}
    for key, base in judged.base.items():
        yield _Pair(judged, base, others.get(key, []))


def _contradiction(pair: _Pair) -> Contradiction:
    judged, base = pair.judged, pair.base
    systems = (base["system_a"], base["system_b"])
    wins = {system: [row for row in pair.others if row["verdict"] == f"{system} wins"] for system in systems}
    undecided = len(pair.others) - sum(map(len, wins.values()))
    if base["verdict"] == UNDECIDED:
        against = [row for system in systems for row in _least_changed(wins[system])[:_EXAMPLES]]
    else:
        against = _least_changed([row for row in pair.others if row["beside_base"] == "contradicts"])[:_EXAMPLES]
    counts = ", ".join(f"{system} in {count(len(wins[system]))}" for system in systems)
    number = count(len(pair.others)) + (f" distinct of {count(len(pair.others) + pair.n_copies)}" if pair.n_copies else "")
    return Contradiction(
        _base_sentence(judged, base),
        tuple(_sentence(judged, base, row) for row in against),
        f"Winner in the {number} other analyses: {counts}, nobody in {count(undecided)}.",
    )


def _least_changed(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(rows, key=lambda row: row["n_changed"] + (not row["is_base_metric"]))


def _base_sentence(judged: Judgement, base: Mapping[str, Any]) -> str:
    place = f"On {base['dataset']}, by {short(base['metric'])} under the base design"
    ahead, behind = _ahead(base)
    numbers = f"by {_lead(base)[0]}{scale_of(base['aggregate'])} ({_evidence(judged, base)})"
    if base["verdict"] == UNDECIDED:
        return f"{place}, nothing is decided: {ahead} is ahead of {behind} {numbers}."
    return f"{place}, {ahead} beats {behind} {numbers}."


def _sentence(judged: Judgement, base: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    ahead, behind = _ahead(row)
    change = judged.change(row)
    measured = f"metric {short(row['metric'])}" if row["metric"] != base["metric"] else ""
    words = " and ".join(filter(None, [change_in_words(change) if change else "", measured]))
    size = f"{_lead(row)[0]}{scale_of(row['aggregate'])}"
    return f"With {words}, {ahead} beats {behind} by {size} ({p_claim(row['p_adjusted'])})."


def _ahead(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the systems, the one first that is ahead among the users compared."""
    a, b = row["system_a"], row["system_b"]
    return (a, b) if improvement(row["metric"]) * row["difference"] >= 0 else (b, a)


def _evidence(judged: Judgement, row: Mapping[str, Any]) -> str:
    claim = f"{p_claim(row['p_adjusted'])}, {users(row['users'], row['effective_users'])}"
    if math.isnan(row["low"]):
        return claim
    _, low, high = _lead(row)
    name = f"{100 * confidence_of(str(judged.part.design.test)):g}{SPACE}%{SPACE}CI"
    return f"{name} {low}{SPACE}to{SPACE}{high}, {claim}"


def _lead(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Print the difference and its interval as the one that is ahead sees them, whether more or less is better."""
    sign = 1 if row["difference"] >= 0 else -1
    low, high = sorted((sign * row["low"], sign * row["high"]))
    return estimate(sign * row["difference"], low, high)


def _of(part: int, whole: int) -> str:
    if part == whole:
        return "the only comparison" if whole == 1 else f"all {whole} comparisons"
    return f"{part} of {whole} comparisons"


def _in(part: int, whole: int, what: str, *, rest: bool = False) -> str:
    if part == whole:
        return f"{what[0].upper()}{what[1:]}{'' if whole == 1 else f' in all {whole}'}."
    return f"In {part}{' more' * rest}, {what}."


def _are(n: int) -> str:
    return "is" if n == 1 else "are"
