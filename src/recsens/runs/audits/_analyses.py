"""What an analysis of an audit is: the options that were tried, and the decision that changes verdicts most often."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from recsens.arrays import in_order
from recsens.conclusions.verdicts.influence import influences
from recsens.conclusions.verdicts.pairs import PAIR, PairVerdicts, pair_of
from recsens.conclusions.verdicts.stability import Stability, stabilities
from recsens.conclusions.verdicts.study_tables import records
from recsens.plugins.prose import listed, several
from recsens.report.sentences.options import noun_of, options_in_words
from recsens.runs.audits._conventions import has_test
from recsens.study.taxonomy import DECISIONS, Decision, decision
from recsens.tables.numbers import count, p_below, percentage

_METRICS = decision("metrics")
_MOST_NAMED = 8
_SHORT = 8
"""Number of characters of the longest option that a sentence repeats."""


def analyses_in_words(verdicts: PairVerdicts, pairs: Sequence[Stability], rows: pd.DataFrame) -> list[str]:
    """Say what a win is, what an analysis is, and how many distinct analyses each pair has.

    ``pairs`` include the verdicts ``rows`` under the conventions of other tools.
    """
    if not pairs:
        return []
    compared = _tested_verdicts(verdicts)
    margin = verdicts.part.margin
    beyond = "" if margin.is_zero else f" and the interval of the difference lies beyond the margin, {margin}"
    choices = [f"{count(len(texts))} {_plural_noun(varied)}{_brief(texts)}" for varied, texts in _options(compared).items()]
    own = [pair.n_distinct for pair in stabilities(compared)]
    tools = rows["convention"].nunique()
    more = [pair.n_distinct - n for pair, n in zip(pairs, own, strict=True)]
    added = f" The conventions of {several(tools, 'other tool')} add {_ends(more)}." if tools else ""
    win = f"A system wins an analysis if {p_below(verdicts.part.alpha)}{beyond}."
    if not choices:
        return [f"{win} Only the base design was tried.{added}"]
    n = several(len(compared.rows) // len(pairs), "combination")
    once = f"Of these {n}, those that give a pair the same test count once, which leaves {_ends(own)} for each pair.{added}"
    return [f"{win} An analysis combines one of {listed(choices)}. {once}"]


def options_tried(verdicts: PairVerdicts) -> list[str]:
    """List the options that were tried for each decision, the base design's first."""
    options = _options(_tested_verdicts(verdicts))
    return [f"{varied.name.lower()}: {'; '.join(options_in_words(varied, texts))}" for varied, texts in options.items()]


def correction_notes(verdicts: PairVerdicts) -> list[str]:
    """Say whether p-values are corrected for the number of pairs, if no option differs in this; empty if there is only one pair."""
    n, corrections = len(verdicts.base), set(verdicts.rows["correction"])
    if n < 2 or len(corrections) > 1:
        return []
    [correction] = corrections
    if correction == "none":
        return [f"No p-value is corrected for the number of pairs of systems, which is {count(n)}."]
    return [f"All p-values are corrected for {count(n)} pairs of systems ({correction})."]


def identical(verdicts: PairVerdicts) -> list[str]:
    """Name the pairs of runs that have the same values for every user in every analysis."""
    named = []
    for (_, a, b), own in verdicts.rows.groupby(list(PAIR), sort=False):
        if not own[["value_difference", "difference", "low", "high"]].fillna(0).to_numpy().any() and own["low"].notna().any():
            named.append(f"{a} and {b}")
    if not named:
        return []
    which = listed(named) if len(named) <= _MOST_NAMED else several(len(named), "pair")
    return [f"Identical runs: {which}. They have the same values for every user in every analysis; check whether one is a copy."]


def without_test(verdicts: PairVerdicts) -> list[str]:
    """Name the metrics that have one value for all users, so that no test compares systems by them."""
    named = list(dict.fromkeys(row["metric"] for row in records(verdicts.rows) if not has_test(row["metric_full"])))
    return [f"Not compared: {listed(named)}. One value for all users has no test, so it counts in no analysis."] if named else []


def most_decisive(verdicts: PairVerdicts) -> list[str]:
    """Name the decision whose change most often changes a verdict, and the next one; empty if no change of a single decision does.

    Pairs of systems with the same verdict in every analysis are left out, because they would make every decision seem unimportant.
    """
    compared = _tested_verdicts(verdicts)
    changing = {pair_of(pair.base) for pair in stabilities(compared) if not pair.is_stable}
    flips: dict[str, tuple[float, float]] = {}
    for row in influences(compared):
        if row.get("compared") and "flip_rate" in row and pair_of(row) in changing:
            changed, n = flips.get(row["decision"], (0.0, 0.0))
            flips[row["decision"]] = changed + row["flip_rate"] * row["compared"], n + row["compared"]
    noun = {each.name: noun_of(each) for each in (*DECISIONS, _METRICS)}
    shares = sorted(((changed / n, noun[name]) for name, (changed, n) in flips.items() if changed), reverse=True)
    if not shares:
        return []
    (share, about), *others = shares
    among = "" if len(changing) == len(verdicts.base) else " for the pairs whose verdict changes"
    then = f" For the {others[0][1]}, it is {percentage(others[0][0])}." if others else ""
    differ = f"two analyses that differ only in it have different verdicts in {percentage(share)} of cases"
    return [f"The {about} matters most{among}: {differ}.{then}"]


def _tested_verdicts(verdicts: PairVerdicts) -> PairVerdicts:
    """Leave out metrics that have no test."""
    return replace(verdicts, rows=verdicts.rows[verdicts.rows["metric_full"].map(has_test)])


def _options(verdicts: PairVerdicts) -> Mapping[Decision, list[str]]:
    """Return the options of each decision with several options, the base design's first; metrics come first."""
    space, metrics = verdicts.space, in_order(verdicts.rows["metric"])
    return {**({_METRICS: metrics} if len(metrics) > 1 else {}), **{each: space.options(each) for each in space.varied}}


def _plural_noun(varied: Decision) -> str:
    """Return the noun of a decision in the plural: ``thresholds of relevance``."""
    return re.sub(r"(?= of | over |$)", "s", noun_of(varied), count=1)


def _brief(texts: Sequence[str]) -> str:
    """List options in brackets if all of them are short."""
    return f" ({', '.join(texts)})" if max(map(len, texts)) <= _SHORT else ""


def _ends(numbers: Sequence[int]) -> str:
    return " to ".join(dict.fromkeys(count(end) for end in (min(numbers), max(numbers))))
