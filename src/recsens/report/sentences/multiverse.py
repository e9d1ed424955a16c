"""Sentences about all analyses of a pair together, and about the fewest changes with which the other system wins."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from recsens.arrays import grouped
from recsens.conclusions.verdicts.pairs import PairVerdicts, pair_of, shortest_ways
from recsens.conclusions.verdicts.study_tables import records
from recsens.plugins.prose import listed
from recsens.tables.numbers import count, fixed, p_claim

_WAYS = 3
"""Number of ways that a sentence names; shortest.csv has all ways."""


def said_together(joint: pd.DataFrame, alpha: float) -> list[str]:
    """Say, for each pair with several distinct analyses, which system wins over all of them, and how many analyses each wins."""
    where = len(joint["dataset"].unique()) > 1
    return [_together(row, alpha, where=where) for row in records(joint) if row["distinct"] > 1]


def _together(row: Mapping[str, Any], alpha: float, *, where: bool) -> str:
    a, b = row["system_a"], row["system_b"]
    first, second = (a, b) if row["median_t"] > 0 else (b, a)
    is_won = row["p_median"] < alpha
    verdict = f"{first} beats {second}" if is_won else f"neither {a} nor {b} wins"
    opening = f"On {row['dataset']}, over" if where else "Over"
    favour = " in its favour" if is_won else f" in favour of {first}" if row["median_t"] else ""
    median = f"the median t is {fixed(abs(row['median_t']), 1)}{favour} (joint {p_claim(row['p_median'])})"
    (most, n, kept), (least, n_least, kept_least) = sorted(
        ((a, row["wins_a"], row["stand_a"]), (b, row["wins_b"], row["stand_b"])), key=lambda side: -side[1]
    )
    wins = f"Taken one by one, {most} wins {count(n)} of them and {least} wins {count(n_least)}"
    p_wins = f"joint {p_claim(row['p_wins'])}"
    if not is_won and row["p_wins"] < alpha:
        # The two joint tests ask different questions, and a bare p < alpha would contradict the verdict before it.
        wins = f"{wins}. So large a lead is rare if no analysis has a true difference ({p_wins}): some have one, but not most"
    else:
        wins = f"{wins} ({p_wins})"
    adjusted = f"After adjustment for all of them, {most} wins {count(kept)} and {least} wins {count(kept_least)}"
    return f"{opening} {count(row['distinct'])} distinct t-tests taken together, {verdict}: {median}. {wins}. {adjusted}."


def ways_to_another_verdict(verdicts: Sequence[PairVerdicts]) -> list[str]:
    """Say, for each pair with a winner, the fewest changes with which the other wins, and how many analyses have fewer changes."""
    where = len({dataset for each in verdicts for dataset in each.part.datasets}) > 1
    sentences = []
    for each in verdicts:
        by_pair = grouped((pair_of(way), way) for way in shortest_ways(each))
        sentences += [_way(ways, where=where) for ways in by_pair.values() if ways[0]["analyses"] > 1]
    return sentences


def _way(ways: Sequence[Mapping[str, Any]], *, where: bool) -> str:
    first = ways[0]
    a, b = str(first["system_a"]), str(first["system_b"])
    winner, loser = (a, b) if first["base_verdict"] == f"{a} wins" else (b, a)
    base = f"{winner} beats {loser} on {first['base_metric']} under the base design"
    lead = f"On {first['dataset']}, {base}" if where else base
    is_grid = first["every_combination"]
    if not first["changes"]:
        which = ", which cover every combination of the options" if is_grid else " that were run"
        return f"{lead}; {loser} wins in none of the {count(first['analyses'])} analyses{which}."
    n = first["changes"]
    changes = [way["change"] for way in ways[:_WAYS]]
    named = f": {_becoming(changes)}" if n == 1 else f": with {'; or with '.join(changes)}"
    more = f"; or in {count(len(ways) - _WAYS)} more ways" if len(ways) > _WAYS else ""
    decisions = "a single decision changes" if n == 1 else f"{count(n)} decisions change together"
    fewer = f"none of the {count(first['ruled_out'])} analyses with fewer changes{'' if is_grid else ' that were run'}"
    proof = "" if n == 1 else f" {loser} wins in {fewer}{'; every combination of the options was run' if is_grid else ''}."
    return f"{lead}; {loser} wins if {decisions}{named}{more}.{proof}"


def _becoming(changes: Sequence[str]) -> str:
    """Say what one decision becomes, as in ``split becomes random(ratio=0.2) or random(ratio=0.4)``."""
    options = grouped((decision, option) for decision, _, option in (change.partition(" ") for change in changes))
    return ", or ".join(f"{decision} becomes {listed(some, 'or')}" for decision, some in options.items())
