"""What the items that nobody rated could do to each comparison of a study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from recsens.arrays import Ids, Ints
from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import PositionFiles
from recsens.comparison.aggregation import Aggregate
from recsens.comparison.significance import SignificanceTest
from recsens.metrics import MeasuredAt
from recsens.outcomes.completions import Completions, OpenLists
from recsens.outcomes.measuring.stored_rankings import RankedUsers
from recsens.outcomes.panels import Panel
from recsens.outcomes.rounding import rounded
from recsens.outcomes.shared_panels import FoldFrame, Shared
from recsens.outcomes.summary import Outcomes, paired_on_folds
from recsens.outcomes.tipping import GRID, OpenComparison
from recsens.ranking.targets import Targets
from recsens.study.design import Design

CURVE = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Rates at which the ratios of a base design are computed besides those that the study lists."""

CONFIDENCE = 0.95
"""Confidence of intervals of tests that have none."""

_READ_AT_ONCE = 16


def has_unrated(design: Design) -> bool:
    """Whether unrated items stand in the lists that a design measures: full rankings, one for each user, averaged as they are."""
    of_users = Targets.build(design.targets).unit == "user"
    return design.view == "full" and of_users and Aggregate.build(design.aggregate).averages_values


Columns = tuple[dict[str, Any], list[dict[str, Any]]]
"""The columns about a comparison, and about each of its rates."""


class RankedLists(NamedTuple):
    """A system's positions on one fold, and the lists that they belong to: user u's items start at ``starts[u]``."""

    ranked: RankedUsers
    item: Ids
    starts: Ints


class UnratedOutcomes:
    """The comparisons of a study whose lists hold unrated items.

    Parameters
    ----------
    outcomes
        The outcomes of the study.
    files
        The positions and the lists of each ranking, by the folder of its positions.
    """

    def __init__(self, outcomes: Outcomes, files: Mapping[str, tuple[PositionFiles, str]]) -> None:
        self.outcomes = outcomes
        self._files = files
        self._read = lru_cache(maxsize=_READ_AT_ONCE)(self._read_lists)

    def rows(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the rows of ``unrated.csv`` and of ``unrated_rates.csv``, in the order of the comparisons."""
        found = [each for shared in self.outcomes.panels() for each in self._tipping_rows(shared)]
        found.sort(key=lambda each: each[0])
        return [row for _, row, _ in found], [row for _, _, rows in found for row in rows]

    def _tipping_rows(self, shared: Shared) -> Iterator[tuple[tuple[int, ...], dict[str, Any], list[dict[str, Any]]]]:
        designs = {number: self.outcomes.designs[shared.label][number] for number in shared.numbers}
        asked = [number for number, design in designs.items() if has_unrated(design)]
        if not asked or not shared.measured.is_open or not shared.experiment.tipping or not isinstance(shared.panel, Panel):
            return
        for nth, pair in enumerate(shared.experiment.pairs()):
            frames = zip(*(shared.frames[system] for system in pair), strict=True)
            folds = [found for own, other in frames if (found := self._completions(own, other, shared.measured)) is not None]
            if len(folds) < len(shared.frames[pair[0]]):
                continue
            done: dict[tuple[Any, ...], Columns] = {}
            for number in asked:
                design, experiment = designs[number], shared.experiment
                test = SignificanceTest.build(design.test)
                # Of tests and corrections, nothing else enters.
                rule = (experiment.alpha, experiment.margin, getattr(test, "confidence", CONFIDENCE), test.tests_mean)
                key = (design.aggregate, *rule[2:], number == 0)
                if key not in done:
                    rows = [frame.users for frame in shared.frames[pair[0]]]
                    compared = OpenComparison(folds, rows, paired_on_folds(shared.panel, pair, design), *rule)
                    if not compared.n_users:
                        break
                    done[key] = tipping_columns(compared, pair, experiment.tipping, is_base=number == 0)
                head = {**shared.head, **dict(zip(("system_a", "system_b"), pair, strict=True))}
                rest = {**self.outcomes.columns[shared.label][number], "is_base": number == 0}
                main, by_rate = done[key]
                place = (*self.outcomes.place(shared, number), nth)
                yield place, {**head, **main, **rest}, [{**head, **row, **rest} for row in by_rate]

    def _completions(self, first: FoldFrame, second: FoldFrame, measured: MeasuredAt) -> Completions | None:
        read = [self._read(frame.cell.ranking) for frame in (first, second)]
        judged = [lists.ranked.judged(first.cell.view, first.cell.relevance) for lists in read]
        by_place = [measured.metric.by_place(own, measured.cutoff) for own in judged]
        shared, other = by_place
        if shared is None or other is None:
            return None
        # Divisors and ideals are mostly those of the ratings. If lists of two lengths have two divisors, the systems have no common
        # scale; a list without items is worth 0 on any scale.
        scale = np.maximum(shared.scale, other.scale)
        if any(((each.scale > 0) & (each.scale != scale)).any() for each in (shared, other)):
            return None
        gains = (shared.gain, other.gain)
        sides = zip(judged, gains, read, strict=True)
        return Completions(
            replace(shared, scale=scale), *(OpenLists.of(own, gain, *lists[1:], measured.cutoff) for own, gain, lists in sides)
        )

    def _read_lists(self, folder: str) -> RankedLists:
        positions, lists = self._files[folder]
        ranked = RankedUsers.read(*positions)
        table = storage.read_table(lists, schemas.LISTS, ["user", "item"])
        lengths = np.bincount(storage.column(table, "user"), minlength=ranked.n_users)
        return RankedLists(ranked, storage.column(table, "item"), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))


def tipping_columns(compared: OpenComparison, pair: tuple[str, str], rates: Sequence[float], *, is_base: bool) -> Columns:
    """Return the columns about a comparison, and about each rate; a base design has more rates, for its figure."""
    tips, ends = compared.rates(), compared.ends()
    (lowest_a, highest_a), (lowest_b, highest_b) = ends
    main = {
        "difference": compared.measured.difference,
        **compared.bounds()._asdict(),
        **dict(zip(("lowest_a", "highest_a", "lowest_b", "highest_b"), ends.ravel(), strict=True)),
        "residual_a": highest_a - lowest_a,
        "residual_b": highest_b - lowest_b,
        **dict(zip(("only_a", "only_b", "both"), compared.numbers(), strict=True)),
        "rate_level": tips.level,
        "rate_lost": tips.lost,
    }
    numbers = {name: float(rounded(value)) for name, value in main.items()}
    by_rate = []
    for rate in sorted({*rates, *((*GRID.tolist(), *CURVE) if is_base else ())}):
        at = compared.at_common(rate)
        row = {"rate": rate, "value_a": at.a, "value_b": at.b, "difference": at.difference, "standard_error": at.error}
        if rate in rates or rate in CURVE:
            row |= dict(zip(("ratio_level", "ratio_lost"), compared.ratios(rate), strict=True))
        by_rate.append({**{name: float(rounded(value)) for name, value in row.items()}, "is_listed": rate in rates})
    leader = {1: pair[0], -1: pair[1], 0: ""}[compared.leader]
    return {**numbers, "leader": leader, "is_significant": compared.is_significant}, by_rate
