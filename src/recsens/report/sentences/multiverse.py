"""What all analyses of a pair of systems say together, and the shortest way to another verdict."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.shortest_way import shortest_ways
from recsens.conclusions.verdicts.study_tables import records
from recsens.tables.numbers import count, fixed, p_claim

_WAYS = 3
"""Ways that a sentence names; shortest.csv holds all."""


def said_together(joint: pd.DataFrame, alpha: float) -> list[str]:
    """Say for each pair with several distinct analyses which system is better over all of them, and how many stand."""
    where = len(joint["dataset"].unique()) > 1
    return [_together(row, alpha, where=where) for row in records(joint) if row["distinct"] > 1]


def _together(row: Mapping[str, Any], alpha: float, *, where: bool) -> str:
    a, b = row["system_a"], row["system_b"]
    first, second = (a, b) if row["median_t"] > 0 else (b, a)
    verdict = f"{first} beats {second}" if row["p_median"] < alpha else f"neither of {a} and {b} is better"
    place = f"On {row['dataset']}, over" if where else "Over"
    median = f"median t {fixed(row['median_t'], 1)}, joint {p_claim(row['p_median'])}"
    wins = f"{a} wins {count(row['wins_a'])} and {b} {count(row['wins_b'])}, joint {p_claim(row['p_wins'])}"
    stand = f"after adjustment for all, {count(row['stand_a'])} of {a} and {count(row['stand_b'])} of {b} stand"
    return f"{place} {count(row['distinct'])} distinct analyses, {verdict} ({median}). By the t-test {wins}; {stand}."


def ways_to_another_verdict(verdicts: Sequence[PairVerdicts]) -> list[str]:
    """Say for each pair with a winner how few decisions have to change until the other system wins, and what rules out fewer."""
    where = len({dataset for each in verdicts for dataset in each.part.datasets}) > 1
    sentences = []
    for each in verdicts:
        by_pair: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for way in shortest_ways(each):
            by_pair.setdefault((way["dataset"], way["system_a"], way["system_b"]), []).append(way)
        sentences += [_way(ways, where=where) for ways in by_pair.values() if ways[0]["analyses"] > 1]
    return sentences


def _way(ways: Sequence[Mapping[str, Any]], *, where: bool) -> str:
    first = ways[0]
    base = f"{first['base_verdict']} against {_loser(first)} by {first['base_metric']} under the base design"
    lead = f"On {first['dataset']}, {base}" if where else base
    tried = "in every combination of the options" if first["every_combination"] else "among the analyses run"
    if not first["changes"]:
        return f"{lead}; {tried}, {count(first['analyses'])} in all, none has the other winner."
    n = first["changes"]
    named = "; or ".join(way["change"] for way in ways[:_WAYS])
    more = f"; or {count(len(ways) - _WAYS)} more ways" if len(ways) > _WAYS else ""
    decisions = "one decision changes" if n == 1 else f"{count(n)} decisions together change"
    fewer = "" if n == 1 else f" None of the {count(first['ruled_out'])} analyses with fewer changes does, {tried}."
    return f"{lead}; {decisions} it: {named}{more}.{fewer}"


def _loser(way: Mapping[str, Any]) -> str:
    return str(way["system_b"] if way["base_verdict"] == f"{way['system_a']} wins" else way["system_a"])
