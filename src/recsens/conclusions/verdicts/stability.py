"""Whether the verdict on a pair of systems holds under all analyses, and which single decisions change it."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from recsens.conclusions.design_space import DesignSpace, Option, Sweep
from recsens.conclusions.verdicts.efforts import DIVIDED, EFFORT, Efforts, effort_sweep, rows_by_option
from recsens.conclusions.verdicts.pairs import EQUIVALENT, UNDECIDED, UNINFORMATIVE, PairVerdicts, pair_of
from recsens.conclusions.verdicts.study_tables import records
from recsens.outcomes.winner import insignificant
from recsens.study.taxonomy import decision


@dataclass(frozen=True, slots=True)
class Stability:
    """The base verdict on a pair of systems, and every other analysis of this pair, on one data set.

    Attributes
    ----------
    verdicts
        All verdicts of the experiment.
    base
        The row of the base verdict.
    others
        The rows of all other distinct analyses.
    """

    verdicts: PairVerdicts
    base: Mapping[str, Any]
    others: Sequence[Mapping[str, Any]]

    @property
    def is_contradicted(self) -> bool:
        """Whether two analyses, or an analysis and an effort of tuning, have opposite winners."""
        won = {row["winner"] for row in (self.base, *self.others) if row["winner"]}
        return len(won.union(row["winner"] for row in self.tried if row["winner"])) > 1

    @property
    def is_stable(self) -> bool:
        """Whether every analysis, and every effort of tuning that the study lists, agrees with the base verdict."""
        agree = all(row["winner"] == self.base["winner"] for row in self.tried)
        return agree and all(row["beside_base"] == "agrees" for row in self.others)

    @property
    def efforts(self) -> Efforts | None:
        """The verdicts after numbers of trials of tuning; None if the study does not vary them, or by another metric."""
        found = self.verdicts.efforts.get(pair_of(self.base))
        return found if found is not None and found.last["metric_full"] == self.base["metric_full"] else None

    @property
    def tried(self) -> list[Mapping[str, Any]]:
        """The verdicts after the numbers of trials that the study lists."""
        return [self.efforts.at(effort) for effort in self.verdicts.part.effort] if self.efforts else []

    @property
    def is_asked(self) -> bool:
        """Whether the experiment asks about this pair."""
        return self.verdicts.part.asked == {self.base["system_a"], self.base["system_b"]}

    @property
    def analyses(self) -> list[Mapping[str, Any]]:
        """All distinct analyses that can tell the systems apart, the base analysis first."""
        return [row for row in (self.base, *self.others) if row["verdict"] != UNINFORMATIVE]

    @property
    def n_copies(self) -> int:
        """Number of analyses that repeat the numbers of another analysis."""
        return self.verdicts.n_copies.get(pair_of(self.base), 0)

    @property
    def n_distinct(self) -> int:
        """Number of distinct analyses, including the base analysis."""
        return len(self.analyses)


def stabilities(verdicts: PairVerdicts) -> Iterator[Stability]:
    """Yield an experiment's pairs of systems, in the study's order."""
    for key, base in verdicts.base.items():
        yield Stability(verdicts, base, verdicts.others_of.get(key, []))


INSIGNIFICANT = "insignificant"
"""p is alpha or more."""

OPEN = "open"
"""After tuning, the pair is undecided in nearly all searches."""

UNTESTED = "untested"
"""There is no p-value."""

METRICS = decision("metrics")
"""The axis of metrics, each under the base design."""


@dataclass(frozen=True)
class Axis:
    """A varied decision, and the verdicts under each option.

    Attributes
    ----------
    sweep
        The decision and its options, including the base design's.
    rows
        The row of a pair under an option, by data set, systems and the option's text. A pair that was not compared has no entry.
    """

    sweep: Sweep
    rows: Mapping[tuple[str, str, str, str], Mapping[str, Any]]

    def along(self, pair: tuple[str, str, str]) -> list[tuple[Option, Mapping[str, Any] | None]]:
        """List the options, each with a pair's row under that option."""
        return [(option, self.rows.get((*pair, option.text))) for option in self.sweep.options]


@dataclass(frozen=True)
class Changing:
    """One pair's verdicts along an axis that changes them.

    Attributes
    ----------
    sweep
        The decision and its options.
    wins
        For each system, the options under which it wins, in order. The key ``""`` has the options without a winner.
    base
        The winner under the base design; empty if there is none.
    undecided
        The options without a winner, by the reason: `INSIGNIFICANT`, `UNTESTED`, `EQUIVALENT`, or `UNDECIDED` if p < alpha but the
        users' differences do not favour the system with the better value, or not by the margin.
    """

    sweep: Sweep
    wins: Mapping[str, tuple[Option, ...]]
    base: str
    undecided: Mapping[str, tuple[Option, ...]]

    @property
    def winners(self) -> list[str]:
        """The systems that win under at least one option."""
        return [system for system in self.wins if system]

    @property
    def is_contradicted(self) -> bool:
        """Whether two options have opposite winners."""
        return len(self.winners) > 1

    @property
    def n_moved(self) -> int:
        """Number of options whose verdict differs from the base design's."""
        return sum(len(options) for system, options in self.wins.items() if system != self.base)


def varied_axes(verdicts: PairVerdicts) -> list[Axis]:
    """List the axes of an experiment: the varied decisions in the study's order, the metrics that rank systems, and the effort.

    An axis with a single option is left out.
    """
    at_base_metric = DesignSpace(verdicts.rows[verdicts.rows["is_base_metric"]])
    listed = []
    for varied in map(decision, verdicts.part.vary):
        along = at_base_metric.along(varied)
        listed.append(Axis(along.sweep(varied), _rows_by_option(along.rows, varied.column)))
    at_base = verdicts.rows[verdicts.rows["is_base"]]
    metrics = dict(zip(at_base["metric"], at_base["is_base_metric"], strict=True))
    options = tuple(Option(metric, None, is_base=bool(is_base)) for metric, is_base in metrics.items())
    listed.append(Axis(Sweep(METRICS, options), _rows_by_option(at_base, METRICS.column)))
    if any(pair.efforts for pair in stabilities(verdicts)):
        by_option = rows_by_option(verdicts.part, verdicts.efforts)
        listed.append(Axis(effort_sweep(verdicts.part), {(a, b, c, d): row for (a, b, c, d), row in by_option}))
    return [axis for axis in listed if len(axis.sweep.options) > 1 or axis.sweep.varied is EFFORT]


def changing(axes: Sequence[Axis], base: Mapping[str, Any], alpha: float) -> Iterator[Changing]:
    """Yield the axes along which a pair's verdict changes; ``base`` is the row with the base verdict."""
    for axis in axes:
        wins: dict[str, tuple[Option, ...]] = {}
        undecided: dict[str, tuple[Option, ...]] = {}
        for option, row in axis.along(pair_of(base)):
            if row is not None and row["verdict"] != UNINFORMATIVE:
                wins[row["winner"]] = (*wins.get(row["winner"], ()), option)
                if not row["winner"]:
                    reason = _why_no_winner(row, alpha)
                    undecided[reason] = (*undecided.get(reason, ()), option)
        # The base design, in which systems are as the study writes them, is no option of the effort.
        if len(wins) > 1 or (axis.sweep.varied is EFFORT and wins and base["winner"] not in wins):
            yield Changing(axis.sweep, wins, base["winner"], undecided)


def _why_no_winner(row: Mapping[str, Any], alpha: float) -> str:
    """Say why neither system wins."""
    if row["verdict"] in {EQUIVALENT, DIVIDED}:
        return str(row["verdict"])
    if "words" in row:
        return OPEN
    if math.isnan(row["p_adjusted"]):
        return UNTESTED
    return INSIGNIFICANT if insignificant(row["p_adjusted"], alpha) else UNDECIDED


def _rows_by_option(rows: pd.DataFrame, column: str) -> dict[tuple[str, str, str, str], Mapping[str, Any]]:
    return {(*pair_of(row), str(row[column])): row for row in records(rows)}


PairAlong = tuple[Stability, list[Changing]]
"""A pair, with the axes that change its verdict, the most serious first."""


def sort_by_gravity(verdicts: Iterable[PairVerdicts]) -> list[PairAlong]:
    """List every pair of several experiments: those asked about, then from the most contradictory to unchanging verdicts.

    Among the others, pairs with opposite winners after a single change come first, then those with opposite winners after several.
    Within each group, pairs are sorted by the number of analyses in which the less frequent winner wins, most first.
    """

    def gravity(path: Changing) -> tuple[bool, bool, int]:
        return not path.is_contradicted, path.sweep.varied is METRICS, -path.n_moved

    listed: list[PairAlong] = []
    for of_part in verdicts:
        along = varied_axes(of_part)
        listed += [(pair, sorted(changing(along, pair.base, of_part.part.alpha), key=gravity)) for pair in stabilities(of_part)]
    return sorted(listed, key=_gravity)


def _gravity(listed: PairAlong) -> tuple[bool, bool, bool, bool, int, int]:
    pair, along = listed
    winners = [row["winner"] for row in pair.analyses]
    balance = min(winners.count(pair.base["system_a"]), winners.count(pair.base["system_b"]))
    n_moved, is_single = sum(path.n_moved for path in along), any(path.is_contradicted for path in along)
    return not pair.is_asked, pair.is_stable, not is_single, not pair.is_contradicted, -balance, -n_moved
