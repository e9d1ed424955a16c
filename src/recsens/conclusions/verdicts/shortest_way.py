"""The shortest way to the opposite winner: the smallest number of decisions that must change for the other system to win."""

from typing import Any

import pandas as pd

from recsens.conclusions.design_space import change_in_words
from recsens.conclusions.verdicts.pairs import PAIR, UNINFORMATIVE, PairVerdicts, n_changes, pair_of
from recsens.conclusions.verdicts.study_tables import records


def shortest_ways(verdicts: PairVerdicts) -> list[dict[str, Any]]:
    """For each pair with a winner, list the analyses with the opposite winner that change the fewest decisions.

    The metric counts as a decision. Each row also counts the analyses that change fewer decisions; the other system wins in none of
    them. So there is no shorter way among the analyses that were run. A pair without an opposite winner has a row too.
    """
    spoken = verdicts.rows[verdicts.rows["verdict"] != UNINFORMATIVE]
    rows = spoken.assign(changes=n_changes(spoken))
    changes = {pair: own.to_numpy() for pair, own in rows.groupby(list(PAIR), sort=False)["changes"]}
    shortest = _shortest(rows)
    lines: list[dict[str, Any]] = []
    for pair, base in verdicts.base.items():
        if not base["winner"]:
            continue
        own, ways = changes[pair], shortest.get(pair, [])
        fewest = ways[0]["changes"] if ways else 0
        n_fewer = int((own < fewest).sum()) if ways else len(own)
        head = {**dict(zip(PAIR, pair, strict=True)), "base_metric": base["metric"], "base_verdict": base["verdict"]}
        head |= {"changes": fewest, "ruled_out": n_fewer, "analyses": len(own), "every_combination": verdicts.is_grid}
        lines += [{**head, **_way(verdicts, base, way)} for way in ways] or [head]
    return lines


def _shortest(rows: pd.DataFrame) -> dict[tuple[str, str, str], list[dict[str, Any]]]:
    """Return, for each pair, the analyses with the opposite winner that change the fewest decisions."""
    opposite = rows[rows["beside_base"] == "contradicts"]
    nearest = opposite[opposite["changes"] == opposite.groupby(list(PAIR))["changes"].transform("min")]
    by_pair: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for way in records(nearest):
        by_pair.setdefault(pair_of(way), []).append(way)
    return by_pair


def _way(verdicts: PairVerdicts, base: dict[str, Any], way: dict[str, Any]) -> dict[str, Any]:
    change = verdicts.space.change(way)
    metric = [f"metric {way['metric']}"] if way["metric_full"] != base["metric_full"] else []
    words = " and ".join([*([change_in_words(change)] if change else []), *metric])
    return {"change": words, **{key: way[key] for key in ("metric", "verdict", "difference")}, "p": way["p_adjusted"]}
