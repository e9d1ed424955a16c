"""What groups of users and items say, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from recsens.comparison.groups import FEWEST_IN_GROUP
from recsens.conclusions.verdicts.components import built
from recsens.conclusions.verdicts.groups import GroupedPair, grouped_pairs
from recsens.conclusions.verdicts.study_tables import Results
from recsens.outcomes.winner import significant
from recsens.plugins.prose import listed
from recsens.study import Experiment
from recsens.tables.numbers import count, p_claim, score

_MOST = 12
"""Largest number of pairs that are described; groups.csv lists them all."""

_FAMILIES = {
    "none": "by Holm over all {} of a pair, but not over pairs",
    "holm": "by Holm over all {} and pairs",
    "bh": "by Benjamini and Hochberg over all {} and pairs",
}
"""How p within groups, or p of equal differences between them, is adjusted, by the correction of the base design."""


def how_to_read_groups(part: Experiment) -> str:
    """Say how to read comparisons within groups."""
    family = _FAMILIES[part.design.correction]
    return (
        f"Differences within groups, by the metric and the test of the base verdict. p is adjusted {family.format('groups')}. That "
        "a system wins in one group and not in another does not show that groups differ; the p of equal differences does, adjusted "
        f"{family.format('groupings')}. In a group of items, only these items count as judged, over the users with a relevant one. "
        f"Groups with fewer than {FEWEST_IN_GROUP} users have no interval."
    )


def contrary_sentences(part: Experiment, results: Results) -> list[str]:
    """Say for each group with another winner than over all users who wins where."""
    return [_contrary_sentence(pair, grouping, row) for pair in grouped_pairs(part, results) for grouping, row in pair.contrary]


def group_sentences(part: Experiment, results: Results) -> list[str]:
    """Say for each pair and grouping whether the difference depends on the group, after the verdicts that groups contradict."""
    pairs = grouped_pairs(part, results)
    more = len(pairs) - _MOST
    further = [f"{count(more)} more pair{'s' * (more > 1)}: see groups.csv."] if more > 0 else []
    said = [sentence for pair in pairs[:_MOST] for sentence in _dependence_sentences(part, pair)]
    return [*contrary_sentences(part, results), *said, *further]


def _contrary_sentence(pair: GroupedPair, grouping: str, row: Mapping[str, Any]) -> str:
    whole, winner, other = pair.whole, pair.whole["winner"], row["winner"]
    return (
        f"On {whole['dataset']}, {winner} beats {other} on {whole['metric']} over all users and items, but {other} beats "
        f"{winner} in the group ‘{row['group']}’ of {grouping} ({count(row['users'])} users, {p_claim(row['p_adjusted'])})."
    )


def _dependence_sentences(part: Experiment, pair: GroupedPair) -> list[str]:
    whole, differ, alike, unknown = pair.whole, [], [], []
    for grouping, rows in pair.groupings.items():
        p, known = rows[0]["p_equal"], [row for row in rows if not math.isnan(row["low"])]
        if math.isnan(p):
            unknown.append(grouping)
        elif significant(p, part.alpha):
            lowest, highest = (choose(known, key=lambda row: row["difference"]) for choose in (min, max))
            ends = listed([f"{score(row['difference'])} in ‘{row['group']}’" for row in (lowest, highest)])
            differ.append(f"{grouping} ({p_claim(p)}; {ends})")
        else:
            alike.append(f"{grouping} ({p_claim(p)})")
    clauses = [f"depends on {listed(differ)}"] if differ else []
    clauses += [f"is not shown to depend on {listed(alike)}"] if alike else []
    clauses += [f"cannot be compared between {listed(unknown)}"] if unknown else []
    pair_words = f"{whole['system_a']} and {whole['system_b']}"
    return [f"On {whole['dataset']}, the difference of {pair_words} in {whole['metric']} {'; it '.join(clauses)}."]


def groups_in_methods(part: Experiment) -> str:
    """Say for a paper how groups were compared."""
    named = []
    for spec in part.groups:
        component = built("group", spec)
        named.append(spec.written if component is None else f"{getattr(component, 'side', '')} {getattr(component, 'title', '')}")
    return (
        f"We also compared systems within groups of {listed(named)}, made from the training set and side information alone, with "
        f"p adjusted {_FAMILIES[part.design.correction].format('groups')}, and tested by an approximate Hotelling's T² "
        "(Pustejovsky & Tipton 2018) whether a pair's difference is the same in all groups of a grouping."
    )
