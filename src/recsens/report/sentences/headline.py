"""Sentences about how much a study's verdicts depend on the design."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from recsens.arrays import grouped, in_order
from recsens.conclusions.design_space import change_in_words
from recsens.conclusions.verdicts.pairs import PairVerdicts, count_analyses, pair_of, shortest_ways
from recsens.conclusions.verdicts.stability import Stability, stabilities
from recsens.conclusions.verdicts.study_tables import records
from recsens.plugins.prose import listed, several
from recsens.study.taxonomy import FULL_COLUMNS
from recsens.tables.numbers import count, fixed, p_below, p_claim


def headline(verdicts: Sequence[PairVerdicts]) -> str:
    """Say in a few sentences how much a study's verdicts depend on the design: opposite winners first, then significance."""
    pairs = [pair for of_part in verdicts for pair in stabilities(of_part)]
    if not pairs:
        return "No two systems were compared on a metric that ranks them."
    below = p_below(verdicts[0].part.alpha)
    n = len(pairs)
    n_decided = sum(bool(pair.base["winner"]) for pair in pairs)
    winners = f"{_of(n_decided, n)} {_has_or_have(n_decided)} a winner ({below})" if n_decided else "no system wins"
    won = f"Under the base design, {winners}."
    n_empty = sum(pair.base["users"] == 0 for pair in pairs)
    nobody = ""
    if n_empty:
        nobody = f" Under the base design, {_of(n_empty, n)} {_has_or_have(n_empty)} no users to average: see B1 in the settings."
    if not any(pair.others or pair.efforts for pair in pairs):
        is_copied = any(pair.n_copies for pair in pairs)
        rest = "Every other analysis has the same numbers as the base design." if is_copied else robustness_unknown(verdicts)
        return " ".join(filter(None, [f"{won}{nobody} {rest}", _copies_sentence(pairs), *uninformative_in_words(verdicts)]))
    n_contradicted = sum(pair.is_contradicted for pair in pairs)
    n_shaken = sum(not pair.is_contradicted and not pair.is_stable for pair in pairs)
    if n_contradicted:
        rivals = f"one system wins in some, and the other system wins in others ({below})"
        parts = [f"For {_of(n_contradicted, n)}, analyses contradict each other: {rivals}."]
    else:
        parts = [f"No analyses contradict each other: no pair has different winners in two analyses ({below})."]
    if n_shaken:
        parts.append(_pairs_clause(n_shaken, n, "only significance changes", rest=bool(n_contradicted)))
    if n > n_contradicted + n_shaken:
        parts.append(_pairs_clause(n - n_contradicted - n_shaken, n, "every analysis agrees with the base design"))
    if any(of_part.efforts for of_part in verdicts):
        parts.append("Here, each effort of tuning counts as an analysis.")
    elif not any(of_part.part.vary for of_part in verdicts):
        parts.append(f"These analyses differ only in the metric. {robustness_unknown(verdicts)}")
    return " ".join(filter(None, [*parts, f"{won}{nobody}", _copies_sentence(pairs), *uninformative_in_words(verdicts)]))


def uninformative_in_words(verdicts: Sequence[PairVerdicts]) -> list[str]:
    """Count and name, in a sentence for each reason, the analyses that say nothing about a pair and are not counted for it."""
    sentences = []
    for of_part in verdicts:
        for reason, rows in of_part.uninformative.groupby("uninformative", sort=False):
            analyses = records(rows.drop_duplicates(["dataset", "metric_full", *FULL_COLUMNS]))
            changes = [of_part.space.change(row) for row in analyses]
            shared = tuple(each for each in changes[0] if all(each in change for change in changes))
            metrics = listed(in_order(row["metric"] for row in analyses))
            under = f" under {change_in_words(shared)}" if shared else ""
            n = several(len(analyses), "analysis", "analyses")
            sentences.append(f"Not counted: {n} on {metrics}{under}, because {reason} in {'it' if len(analyses) == 1 else 'them'}.")
    return sentences


def robustness_unknown(verdicts: Sequence[PairVerdicts]) -> str:
    """Say that robustness is unknown if no decision was varied; empty if a decision was varied, or if no systems were compared."""
    varies = any(of_part.part.vary or of_part.efforts for of_part in verdicts)
    if varies or not any(of_part.base for of_part in verdicts):
        return ""
    return "Only one design was run, so nothing is known yet about robustness: add 'vary:' to try other decisions."


def _copies_sentence(pairs: Sequence[Stability]) -> str:
    """Say how many analyses there are, and how many are distinct; empty if all analyses are distinct."""
    numbers = [(pair.n_distinct + pair.n_copies, pair.n_distinct) for pair in pairs]
    if not any(pair.n_copies for pair in pairs):
        return ""
    alike = len(set(numbers)) == 1
    analyses, distinct = numbers[0] if alike else (sum(n for n, _ in numbers), sum(n for _, n in numbers))
    whose = f"{'The' if len(pairs) == 1 else 'Each'} pair was" if alike else "Together, the pairs were"
    return f"{whose} compared in {count_analyses(analyses, distinct)}; analyses with the same numbers count once."


def _of(part: int, whole: int) -> str:
    if part == whole:
        return "the only pair" if whole == 1 else f"all {whole} pairs"
    return f"{part} of {whole} pairs of systems"


def _pairs_clause(part: int, whole: int, what: str, *, rest: bool = False) -> str:
    if part == whole:
        return f"{what[0].upper()}{what[1:]}{'' if whole == 1 else f' in all {whole} pairs'}."
    return f"In {part} more pair{'s' * (part > 1)}, {what}." if rest else f"In {part} of {whole} pairs, {what}."


def _has_or_have(n: int) -> str:
    return "has" if n == 1 else "have"


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
