"""What a study says: who wins under the base design, and which change of a decision turns that over."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from recsens.config import Study
from recsens.studies.naming import (
    Change,
    base_options,
    built,
    change_in_words,
    change_of,
    improvement,
    ranks_systems,
    short,
)
from recsens.studies.printed import SPACE, count, p_below, p_claim, score
from recsens.studies.taxonomy import COLUMNS

Outcome = Literal["agrees", "opposite", "undecided", "decided"]
"""What a design says beside the base design; ``decided`` where the base design itself decides nothing."""

_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Duel:
    """Two systems compared, seen from the first.

    Attributes
    ----------
    ahead, behind
        Labels of the systems.
    margin, low, high
        By how much the first is better, and its confidence interval; signs are turned where lower values are better.
    p_value
        Two-sided; NaN where the pair was not compared.
    n_users
        Users compared; 0 where the pair was not compared.
    """

    ahead: str
    behind: str
    margin: float
    low: float
    high: float
    p_value: float
    n_users: int

    def is_won(self, alpha: float) -> bool:
        """Whether the first system is better with p < α."""
        return self.margin > 0 and self.p_value < alpha

    def reversed(self) -> Duel:
        """Return the same comparison, seen from the other system."""
        return Duel(self.behind, self.ahead, -self.margin, -self.high, -self.low, self.p_value, self.n_users)


@dataclass(frozen=True)
class Verdict:
    """What one design says on one data set by one metric.

    Attributes
    ----------
    dataset, metric
        Label and printed name.
    change
        How the design differs from the base; empty for the base.
    scores
        Each system's value.
    first
        The best system against the second best.
    duels
        Every comparison made, by the pair of labels, in both directions.
    """

    dataset: str
    metric: str
    change: Change
    scores: Mapping[str, float]
    first: Duel
    duels: Mapping[tuple[str, str], Duel]

    @property
    def winner(self) -> str:
        """The system with the best value."""
        return self.first.ahead


@dataclass(frozen=True)
class Finding:
    """What a study says on one data set by one metric.

    Attributes
    ----------
    base
        The verdict of the base design.
    is_decided
        Whether that verdict has a winner at the study's α.
    others
        Every other design's verdict, what it says beside the base's, and the comparison that it rests on.
    """

    base: Verdict
    is_decided: bool
    others: tuple[tuple[Verdict, Outcome, Duel], ...]

    def designs(self, *outcomes: Outcome) -> list[tuple[Verdict, Outcome, Duel]]:
        """List the designs with one of these outcomes."""
        return [other for other in self.others if other[1] in outcomes]

    @property
    def is_contradicted(self) -> bool:
        """Whether different designs name different winners, each at the study's α."""
        winners = {self.base.winner} if self.is_decided else set()
        return len(winners | {duel.ahead for _, outcome, duel in self.others if outcome in {"opposite", "decided"}}) > 1

    @property
    def is_stable(self) -> bool:
        """Whether every design agrees with the base."""
        return len(self.designs("agrees")) == len(self.others)


def verdicts(summary: pd.DataFrame, comparisons: pd.DataFrame) -> list[Verdict]:
    """Judge every data set, metric and design; metrics that only describe, and single systems, have no verdict."""
    base = base_options(summary)
    keys = ["dataset", "metric", *COLUMNS]
    pooled = comparisons[comparisons["fold"] == "all"]
    duels = {key: _duels(rows) for key, rows in pooled.groupby(keys, sort=False)}
    found = []
    for key, rows in summary.groupby(keys, sort=False):
        dataset, metric, *options = map(str, key)
        values = {str(system): float(value) for system, value in zip(rows["system"], rows["value"], strict=True)}
        if ranks_systems(metric) and sum(not math.isnan(value) for value in values.values()) > 1:
            change = change_of(dict(zip(COLUMNS, options, strict=True)), base)
            found.append(_verdict(dataset, metric, change, values, duels.get(key, {})))
    return found


def findings(study: Study, summary: pd.DataFrame, comparisons: pd.DataFrame) -> list[Finding]:
    """Set every design beside the base, for each data set and metric in the order of the study."""
    judged = verdicts(summary, comparisons)
    order = [(dataset, str(metric)) for dataset in study.datasets for metric in study.metrics]
    groups = {key: [verdict for verdict in judged if (verdict.dataset, verdict.metric) == key] for key in order}
    return [_finding(group, study.alpha) for group in groups.values() if any(not verdict.change for verdict in group)]


def headline(study: Study, found: Sequence[Finding]) -> str:
    """Say in a sentence or two how much of the study depends on the design."""
    if not found:
        return "No two systems were compared by a metric that ranks them."
    n_decided = sum(finding.is_decided for finding in found)
    n_others = max(len(finding.others) for finding in found)
    n = len(found)
    named = "no winner" if n == 1 and not n_decided else f"a winner in {_of(n_decided, n, 'verdict')}"
    decided = f"the base design names {named} ({p_below(study.alpha)})"
    if not n_others:
        return f"{decided[0].upper()}{decided[1:]}; no other design was tried."
    n_turned = sum(not finding.is_stable for finding in found)
    n_contradicted = sum(finding.is_contradicted for finding in found)
    designs = f"{n_others} other design{'s' * (n_others > 1)}"
    if not n_turned:
        return f"{decided[0].upper()}{decided[1:]}; the {designs} agree{'s' * (n_others == 1)}."
    turned = f"{_of(n_turned, n, 'verdict')} change{'s' * (n_turned == 1)} under at least one of {designs}"
    rivals = f"; in {_of(n_contradicted, n, 'case')}, different designs name different winners" if n_contradicted else ""
    return f"{turned[0].upper()}{turned[1:]}{rivals}. {decided[0].upper()}{decided[1:]}."


def base_sentence(study: Study, finding: Finding) -> str:
    """Say who wins under the base design, by how much, with what p."""
    duel, metric = finding.base.first, short(finding.base.metric)
    place = f"On {finding.base.dataset}, "
    if finding.is_decided:
        return f"{place}{duel.ahead} beats {duel.behind} on {metric} by {_evidence(study, duel)} under the base design."
    pair = f"{duel.ahead} and {duel.behind}"
    if math.isnan(duel.p_value):
        return f"{place}{metric} of {pair} differs by {score(duel.margin)} under the base design; the two were not tested."
    lead = f"{duel.ahead} is ahead by {_evidence(study, duel)}" if duel.margin else f"they are equal ({p_claim(duel.p_value)})"
    if duel.margin < 0:
        numbers = _evidence(study, duel.reversed())
        lead = f"{duel.ahead} has the better average, {duel.behind} is ahead among the users compared by {numbers}"
    return f"{place}{metric} does not decide between {pair} under the base design: {lead}."


def flip_sentences(finding: Finding) -> list[str]:
    """Say which designs turn the base design's verdict, one sentence each, the opposite verdicts first."""
    sentences = []
    for outcome in ("opposite", "decided", "undecided"):
        for verdict, _, duel in finding.designs(outcome):
            sentences.append(f"With {change_in_words(verdict.change)}, {_turned(outcome, duel)}.")
    return sentences


def agreement(finding: Finding) -> str:
    """Say how many designs leave the verdict as it is; empty where no other design was tried."""
    n, n_agreeing = len(finding.others), len(finding.designs("agrees"))
    if not n:
        return ""
    if n_agreeing == n:
        return "The one other design agrees." if n == 1 else f"All {n} other designs agree."
    return f"{n_agreeing} of {n} other design{'s' * (n > 1)} agree{'s' * (n_agreeing == 1)}."


def interval_name(study: Study) -> str:
    """Return what the intervals of the base design's test are: ``95 % CI``."""
    # Every test with an interval has a parameter of this name; one without has no interval to print.
    confidence = getattr(built("test", study.design.test), "confidence", None)
    return f"{100 * confidence:g}{SPACE}%{SPACE}CI" if isinstance(confidence, float) else "interval"


def _verdict(
    dataset: str, metric: str, change: Change, values: Mapping[str, float], duels: Mapping[tuple[str, str], Duel]
) -> Verdict:
    sign = improvement(metric)
    turned = {key: duel if sign > 0 else _mirrored(duel) for key, duel in duels.items()}
    known = [system for system, value in values.items() if not math.isnan(value)]
    best, second = sorted(known, key=lambda system: -sign * values[system])[:2]
    untested = Duel(best, second, sign * (values[best] - values[second]), _NAN, _NAN, _NAN, 0)
    return Verdict(dataset, metric, change, values, turned.get((best, second), untested), turned)


def _duels(rows: pd.DataFrame) -> dict[tuple[str, str], Duel]:
    found: dict[tuple[str, str], Duel] = {}
    columns = ["system_a", "system_b", "difference", "low", "high", "p_value", "users"]
    for a, b, difference, low, high, p, users in rows[columns].itertuples(index=False, name=None):
        duel = Duel(a, b, difference, low, high, p, 0 if math.isnan(users) else int(users))
        found[a, b], found[b, a] = duel, duel.reversed()
    return found


def _mirrored(duel: Duel) -> Duel:
    """Turn the signs of a comparison by a metric of which less is better."""
    return Duel(duel.ahead, duel.behind, -duel.margin, -duel.high, -duel.low, duel.p_value, duel.n_users)


def _finding(group: Sequence[Verdict], alpha: float) -> Finding:
    base = next(verdict for verdict in group if not verdict.change)
    is_decided = base.first.is_won(alpha)
    others = []
    for verdict in group:
        if verdict.change:
            outcome, duel = _beside(base, is_decided, verdict, alpha)
            others.append((verdict, outcome, duel))
    return Finding(base, is_decided, tuple(others))


def _beside(base: Verdict, is_decided: bool, verdict: Verdict, alpha: float) -> tuple[Outcome, Duel]:
    first = verdict.first
    if not is_decided:
        return ("decided" if first.is_won(alpha) else "agrees"), first
    if verdict.winner == base.winner:
        return ("agrees" if first.is_won(alpha) else "undecided"), first
    against = verdict.duels.get((verdict.winner, base.winner), first)
    return ("opposite" if against.behind == base.winner and against.is_won(alpha) else "undecided"), against


def _turned(outcome: Outcome, duel: Duel) -> str:
    numbers = f"by {score(duel.margin)} ({p_claim(duel.p_value)})"
    if outcome == "opposite":
        return f"the verdict is the opposite: {duel.ahead} beats {duel.behind} {numbers}"
    if outcome == "decided":
        return f"{duel.ahead} beats {duel.behind} {numbers}"
    if duel.margin < 0:
        numbers = f"among the users compared by {score(-duel.margin)} ({p_claim(duel.p_value)})"
        return f"it becomes undecided: {duel.ahead} has the better average, {duel.behind} is ahead {numbers}"
    return f"it becomes undecided: {duel.ahead} is ahead of {duel.behind} {numbers}"


def _evidence(study: Study, duel: Duel) -> str:
    interval = f"{interval_name(study)} {score(duel.low)}{SPACE}to{SPACE}{score(duel.high)}, " if not math.isnan(duel.low) else ""
    return f"{score(duel.margin)} ({interval}{p_claim(duel.p_value)}, {count(duel.n_users)}{SPACE}users)"


def _of(part: int, whole: int, noun: str) -> str:
    if not part:
        return f"none of {whole} {noun}s" if whole > 1 else f"not even the one {noun}"
    if part == whole:
        return f"the only {noun}" if whole == 1 else f"all {whole} {noun}s"
    return f"{part} of {whole} {noun}s"
