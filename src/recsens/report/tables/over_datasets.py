"""Tables of comparisons combined over data sets."""

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from recsens.comparison.mean_ranks import MeanRanks
from recsens.conclusions.verdicts.over_datasets import OverDatasets, interval_in_words
from recsens.outcomes.searches import AGREEING
from recsens.study.searched import metric_of_effort
from recsens.tables.cells import p_cell
from recsens.tables.numbers import MINUS, MISSING, count, fixed, p_claim, whole_percentage
from recsens.tables.table import Row, RowGroup, Table, TableCell

_WON = "Families won, by the first and by the second system: those on some of whose data sets it wins, and the other on none."

_COLUMNS = ("Mean", "Other users of these", "Data sets like these", "p", "A new data set", "SD between data sets", "Families won")
_OF_WEIGHTED = (
    "Weighted mean: precise data sets count more (weights by Paule and Mandel's variance between data sets; Hartung and Knapp's "
    "interval, whose factor of at least 1 is 1 with this variance). It decides no winner: in simulations with one precise family, "
    "this interval covered the mean in as few as 81 %, at a level of 95 %."
)


def pairs_over_datasets(over: OverDatasets) -> Table:
    """Show the combined comparison of every pair."""
    rows = [over.from_better(row) for row in over.weighted()]
    is_weighted = any("weighted" in row for row in rows)
    part, scale = over.part, over.part.scale
    signed = "percentages by which the first system's value is larger" if scale == "relative" else f"effects on the scale '{scale}'"
    return Table(
        "over-datasets",
        f"{over.base_metric} over data sets: {signed}, with intervals of level {whole_percentage(1 - part.alpha)}",
        "Systems",
        (*_COLUMNS, *(["Weighted mean"] if is_weighted else [])),
        (RowGroup("", tuple(Row(f"{row['system_a']} and {row['system_b']}", _cells(over, row)) for row in rows)),),
        (
            (
                "Intervals of the mean for other users of these data sets, of the mean over data sets like these, which decides "
                "who wins (bold), and for a new data set. The second treats families, of which each counts once, as a sample. "
                "The third covers more than its level where data sets hardly differ, which few of them cannot show."
            ),
            _WON,
            *([_OF_WEIGHTED] if is_weighted else []),
        ),
    )


def _cells(over: OverDatasets, row: Mapping[str, Any]) -> tuple[TableCell, ...]:
    mean, users = interval_in_words(row["these"], row["these_low"], row["these_high"], row["scale"])
    intervals = [
        MISSING if math.isnan(row[low]) else interval_in_words(row["these"], row[low], row[high], row["scale"])[1]
        for low, high in (("alike_low", "alike_high"), ("new_low", "new_high"), ("tau_low", "tau_high"))
    ]
    alike, new, spread_ends = (TableCell(text, is_text=True) for text in intervals)
    pair = row["system_a"], row["system_b"]
    won = over.won.get(pair) or over.won.get(pair[::-1], (0, 0))[::-1]
    return (
        TableCell(mean, is_best=bool(row["winner"]), is_text=True),
        TableCell(users, is_text=True),
        alike,
        p_cell(row["p_adjusted"]),
        new,
        spread_ends,
        TableCell(f"{won[0]} and {won[1]}", is_text=True),
        *([TableCell(_weighted(row), is_text=True)] if "weighted" in row else []),
    )


def _weighted(row: Mapping[str, Any]) -> str:
    if math.isnan(row["weighted"]):
        return MISSING
    value, ends = interval_in_words(row["weighted"], row["weighted_low"], row["weighted_high"], row["scale"])
    return f"{value} ({ends})"


def won_by_effort(over: OverDatasets) -> Table:
    """Show how many families each system of a pair wins after so many trials of tuning; empty if the study does not vary it."""
    n, metric = sum(map(len, over.part.families.values())), metric_of_effort(over.part).written if over.part.effort else ""
    rows = [
        Row(f"{a} and {b}", tuple(TableCell(f"{first} and {second}", is_text=True) for first, second in by_effort.values()))
        for (a, b), by_effort in over.won_after.items()
    ]
    return Table(
        "over-datasets-effort",
        f"Families of data sets won on {metric} after so many trials of tuning for each system, by the first and by the second",
        "Systems",
        tuple(map(str, sorted(over.part.effort))),
        (RowGroup("", tuple(rows)),),
        (
            f"Of {count(len(over.part.families))} families with {count(n)} data sets. {_WON}",
            f"A data set is won if at least {whole_percentage(AGREEING)} of searches end in that winner.",
        ),
    )


def order_over_datasets(over: OverDatasets) -> Table:
    """Show the order of the systems with intervals of ranks; empty unless all pairs were compared on enough data sets."""
    tests = over.mean_ranks
    rows = []
    for place, (system, (effect, first, last)) in enumerate(over.ranks.items() if over.is_inferred else ()):
        text, _ = interval_in_words(effect, effect - 0.01, effect + 0.01, over.part.scale)
        rank = str(first) if first == last else f"{first} to {last}"
        ranked = [TableCell(text, is_text=True) for text in _ranked(tests, place)]
        rows.append(Row(system, (TableCell(text, is_text=True), TableCell(rank, is_text=True), *ranked)))
    return Table(
        "over-datasets-order",
        f"Order of the systems by {over.base_metric} over data sets",
        "System",
        ("Beside the others", "Rank over data sets like these", *(["Mean rank", "Bradley-Terry"] if tests else [])),
        (RowGroup("", tuple(rows)),),
        (
            "Beside the others: the mean effect over these data sets against each other system.",
            f"All ranks lie in their intervals with {whole_percentage(1 - over.part.alpha)} confidence (Holm, without the margin).",
            *([_tests_of_ranks(tests, over.part.alpha)] if tests else []),
        ),
    )


def _ranked(tests: MeanRanks | None, place: int) -> list[str]:
    if tests is None:
        return []
    strength = float(tests.strengths[place])
    infinite = "infinite" if strength > 0 else f"{MINUS}infinite"
    return [fixed(tests.ranks[place], 2), infinite if math.isinf(strength) else fixed(strength, 2)]


_ROUGH = 10
"""Up to this number of families, χ² is a rough approximation (Demšar 2006)."""


def _tests_of_ranks(tests: MeanRanks, alpha: float) -> str:
    k = len(tests.ranks)
    pairs = list(combinations(tests.ranks, 2))
    differ = sum(abs(a - b) >= tests.critical for a, b in pairs)
    rough = " Both are rough with so few families." if tests.blocks <= _ROUGH else ""
    return (
        f"Mean rank over {count(tests.blocks)} families, the best is 1. Friedman's test that all mean ranks are equal: χ² = "
        f"{fixed(tests.statistic, 2)} with {k - 1} degrees of freedom, {p_claim(tests.p_value)}. Nemenyi's test: mean ranks that "
        f"differ by {fixed(tests.critical, 2)} differ significantly (α = {fixed(alpha, 2)}), which {count(differ)} of "
        f"{count(len(pairs))} pairs do.{rough} Both tests ignore how large differences are, and how well each is known; Nemenyi's "
        "verdict on two systems depends on which others are compared. Bradley-Terry: strengths, the finite ones with mean 0, by "
        "who has the better mean effect on each family, whatever the difference"
        f"{'; infinite where one part of the systems wins all against the rest' * bool(np.isinf(tests.strengths).any())}."
    )
