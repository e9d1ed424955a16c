"""Tables of what a study may ask besides who wins: several data sets, effort of tuning, groups, unrated items."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from recsens.comparison.mean_ranks import MeanRanks
from recsens.conclusions.verdicts.components import direction
from recsens.conclusions.verdicts.efforts import Efforts
from recsens.conclusions.verdicts.groups import grouped_pairs
from recsens.conclusions.verdicts.over_datasets import OverDatasets, interval_in_words
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import Results, records
from recsens.conclusions.verdicts.unrated import Pushed, ratio_text, share
from recsens.outcomes.searches import AGREEING
from recsens.report.sentences.unrated import pushed_by_data
from recsens.study import Experiment
from recsens.study.searched import metric_of_effort
from recsens.tables.cells import count_cell, p_cell, score_cell
from recsens.tables.numbers import MINUS, MISSING, count, fixed, interval, p_claim, p_value, score, whole_percentage
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug

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
        (RowGroup("", tuple(Row(f"{row['system_a']} and {row['system_b']}", _combined_cells(over, row)) for row in rows)),),
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


def _combined_cells(over: OverDatasets, row: Mapping[str, Any]) -> tuple[TableCell, ...]:
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


_UNSURE = "†"


def effort_tables(verdicts: PairVerdicts, searches: pd.DataFrame) -> Iterator[Table]:
    """Yield, for each data set of an experiment that varies the effort, the values and the verdicts after each listed effort."""
    part = verdicts.part
    efforts = sorted(part.effort)
    for dataset in part.datasets if part.effort else ():
        rows = records(searches[(searches["dataset"] == dataset) & searches["effort"].isin(efforts)])
        pairs = [of_pair for key, of_pair in verdicts.efforts.items() if key[0] == dataset]
        yield _effort_values(dataset, list(part.systems), efforts, rows)
        if pairs:
            yield _effort_verdicts(dataset, efforts, pairs)


def _effort_values(dataset: str, systems: Sequence[str], efforts: Sequence[int], rows: Sequence[Mapping[str, Any]]) -> Table:
    found = {(row["system"], int(row["effort"])): row for row in rows}
    first = rows[0]
    sign = direction(first["metric_full"])
    best = {effort: max(sign * found[system, effort]["value"] for system in systems) for effort in efforts}
    listed = [
        Row(
            system,
            tuple(
                score_cell(
                    found[system, effort]["value"],
                    float("nan") if found[system, effort]["is_of_this_search"] else found[system, effort]["error"] or float("nan"),
                    of=first["metric"],
                    is_best=sign * found[system, effort]["value"] == best[effort],
                    mark=_UNSURE if found[system, effort]["is_of_this_search"] else "",
                )
                for effort in efforts
            ),
        )
        for system in systems
    ]
    return Table(
        f"effort-values-{slug(dataset)}",
        f"{dataset}: expected {first['metric']} after trials of tuning, with its standard error over searches",
        "System",
        tuple(map(str, efforts)),
        (RowGroup("", tuple(listed)),),
        (
            "Expected values are averages over searches, smoother than any one system, and no test runs on them.",
            *_of_this_search(found[key] for key in found),
        ),
    )


def _effort_verdicts(dataset: str, efforts: Sequence[int], pairs: Sequence[Efforts]) -> Table:
    last = efforts[-1]
    unequal = [(last, efforts[0]), (efforts[0], last)] if len(efforts) > 1 else []
    listed = []
    for pair in pairs:
        rows = [*(pair.at(effort) for effort in efforts), *(pair.unequal[each] for each in unequal)]
        listed.append(Row(" and ".join(pair.systems), tuple(map(_verdict, rows))))
    return Table(
        f"effort-verdicts-{slug(dataset)}",
        f"{dataset}: shares of searches in which each system wins after trials of tuning",
        "Systems",
        (*map(str, efforts), *(f"{a} and {b}" for a, b in unequal)),
        (RowGroup("", tuple(listed)),),
        (
            "A system that wins in at least 95 % of searches is bold. In the rest of the searches, neither wins.",
            "Two numbers in a header are the trials of the first and of the second system.",
            "The p-values behind these verdicts are not corrected for the number of pairs.",
            *(
                ["With several folds, or a test other than t, shares are over 400 pairs of searches drawn at random."]
                if any(row["is_simulated"] for pair in pairs for row in pair.rows)
                else []
            ),
            *_of_this_search(row for pair in pairs for row in pair.rows),
        ),
    )


def _verdict(row: Mapping[str, Any]) -> TableCell:
    shares = [(row["system_a"], row["share_a"]), (row["system_b"], row["share_b"])]
    said = [f"{system} {whole_percentage(share)}" for system, share in shares if share >= 0.005]
    mark = _UNSURE if row["is_of_this_search"] else ""
    return TableCell(", ".join(said) or "neither", is_best=bool(row["winner"]), is_text=True, mark=mark)


def _of_this_search(rows: Any) -> list[str]:
    note = f"{_UNSURE} More than half of all trials: a result of this search, which says little about other searches."
    return [note] if any(row["is_of_this_search"] for row in rows) else []


def group_tables(part: Experiment, results: Results) -> Iterator[Table]:
    """Yield, for each data set, the comparison of every pair within each group, by the first metric that ranks systems."""
    pairs = grouped_pairs(part, results)
    for dataset in part.datasets:
        own = [pair for pair in pairs if pair.whole["dataset"] == dataset]
        if own:
            yield Table(
                f"groups-{slug(dataset)}",
                f"{dataset}: {own[0].whole['metric']} within groups",
                "Group",
                ("Members", "Train ratings", "Users", "First", "Second", "Difference", "Interval", "p", "Wins"),
                tuple(
                    RowGroup(
                        f"{pair.whole['system_a']} and {pair.whole['system_b']}, {grouping}; p of equal differences "
                        f"{p_value(rows[0]['p_equal'])}",
                        tuple(Row(row["group"], _group_cells(row)) for row in rows),
                    )
                    for pair in own
                    for grouping, rows in pair.groupings.items()
                ),
                (
                    "Members: users or items of the group, on average over folds. Train ratings: the fewest and most of a member.",
                    "Users: those compared. First, second: values of the two systems over them.",
                ),
            )


def _group_cells(row: Mapping[str, Any]) -> tuple[TableCell, ...]:
    numbers = [TableCell(score(row[name]), numbers=(row[name],)) for name in ("value_a", "value_b", "difference")]
    ends = () if math.isnan(row["low"]) else (row["low"], row["high"])
    counts = " to ".join(dict.fromkeys((count(row["fewest"]), count(row["most"]))))
    return (
        count_cell(row["members"]),
        TableCell(counts, numbers=(row["fewest"], row["most"])),
        count_cell(row["users"]),
        *numbers,
        TableCell(interval(row["low"], row["high"]), numbers=ends),
        p_cell(row["p_adjusted"]),
        TableCell(row["winner"] or ("equivalent" if row["is_equivalent"] else MISSING), is_text=True),
    )


_RATIOS = (
    "level, lost: the smallest ratio at which this is so. The unrated items that only the other system lists are relevant so many "
    "times as often as all other unrated items, which are relevant at the rate above."
)


def unrated_tables(part: Experiment, results: Results) -> Iterator[Table]:
    """Yield, for each data set, bounds, tipping rates and tipping ratios of every pair by the first metric that ranks systems."""
    for dataset, pairs in pushed_by_data(part, results).items():
        ratios = [f"{what} at {share(rate)}" for rate in part.tipping for what in ("level", "lost")]
        yield Table(
            f"unrated-{slug(dataset)}",
            f"{dataset}: what unrated items could do to differences in {pairs[0].row['metric']}",
            "Systems",
            ("Ahead", "by", "Bounds", "Only first", "Only second", "Both", "rate: level", "rate: lost", *ratios),
            (
                RowGroup(
                    "",
                    tuple(Row(f"{each.row['system_a']} and {each.row['system_b']}", _unrated_cells(each, part)) for each in pairs),
                ),
            ),
            (
                "Bounds are of the difference, first minus second, over all relevance of the unrated items in either list.",
                "Only first, only second, both: unrated items of a user that only this system, or both, list.",
                "rate: the smallest rate of relevance of all unrated items at which the systems are level, and the win is lost.",
                "A win is lost if the difference is no longer significant.",
                _RATIOS,
                "∞: at no rate. A dash: there is no win to lose.",
            ),
        )


def _unrated_cells(pair: Pushed, part: Experiment) -> tuple[TableCell, ...]:
    row = pair.row
    sizes = [TableCell(f"{row[name]:.1f}", numbers=(row[name],)) for name in ("only_a", "only_b", "both")]
    rates = [_rate_cell(row[name], share(row[name]) if 0 <= row[name] <= 1 else "") for name in ("rate_level", "rate_lost")]
    ratios = [
        _rate_cell(pair.rates[rate][name], ratio_text(pair.rates[rate][name]))
        for rate in part.tipping
        for name in ("ratio_level", "ratio_lost")
    ]
    return (
        TableCell(pair.leader or "neither", is_text=True, is_best=bool(row["is_significant"])),
        TableCell(score(abs(row["difference"])), numbers=(abs(row["difference"]),)),
        TableCell(interval(row["lowest"], row["highest"]), numbers=(row["lowest"], row["highest"])),
        *sizes,
        *rates,
        *ratios,
    )


def _rate_cell(value: float, text: str) -> TableCell:
    if math.isnan(value):
        return TableCell("–")
    return TableCell("∞") if math.isinf(value) else TableCell(text, numbers=(value,))
