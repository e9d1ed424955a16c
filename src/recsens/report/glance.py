"""The section "At a glance": every pair's verdict under every varied option."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any

from recsens.conclusions.design_space import Sweep
from recsens.conclusions.verdicts.components import n_splits_of
from recsens.conclusions.verdicts.pairs import PairVerdicts, pair_of
from recsens.conclusions.verdicts.stability import METRICS, Axis, PairAlong, sort_by_gravity, varied_axes
from recsens.outcomes.winner import insignificant
from recsens.report.html.picture import N_COLOURS
from recsens.report.sentences.evidence import contrary_p_over_splits
from recsens.report.sentences.options import folds_of_options, number_of, share_of, title_of
from recsens.study import Experiment
from recsens.tables.numbers import p_claim

_LONGEST = 7
"""A name with at most this many characters is not shortened."""


def initials(systems: Sequence[str]) -> dict[str, str]:
    """Give each system a unique name of about seven letters, in which each word of a longer label has equally many letters.

    Examples
    --------
    >>> initials(["Popularity", "Item kNN", "User kNN", "MF", "Populariser"])
    {'Popularity': 'Popular', 'Item kNN': 'ItekNN', 'User kNN': 'UsekNN', 'MF': 'MF', 'Populariser': 'Popular2'}
    """
    names = {system: system for system in systems if len(system) <= _LONGEST}
    for system in systems:
        if system not in names:
            words = re.findall(r"[^\W_]+", system)[:_LONGEST] or [system]
            short = "".join(word[: _LONGEST // len(words)] for word in words)
            numbered = chain([short], (f"{short}{number}" for number in count(2)))
            names[system] = next(name for name in numbered if name not in names.values())
    return {system: names[system] for system in systems}


MAX_OPEN = 8
"""Largest number of pairs shown at once; the others are folded."""

MAX_PAIRS = 60
"""Largest number of pairs shown; verdicts.csv lists them all."""

MAX_COLUMNS = 14
"""Number of columns that fit on a sheet of paper; further columns go into another strip."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The verdict on a pair under an option.

    Attributes
    ----------
    name
        The winner's name or initials; a dash if neither wins; empty if the pair was not compared.
    kind
        ``won``, ``against`` (the winner is not that of the base design), ``open`` (neither wins) or ``none`` (not compared).
    colour
        The winner's number among the colours of systems, counted from 1; 0 without a winner.
    words
        The verdict in words, with its p-value.
    is_first
        Whether the mark is in the first column of a group.
    is_doubted
        Whether the win's p over splits is at least alpha.
    is_insignificant
        Whether p is alpha or more, so that neither system wins.
    """

    name: str
    kind: str
    colour: int
    words: str
    is_first: bool
    is_doubted: bool = False
    is_insignificant: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A pair of systems and its verdicts."""

    systems: tuple[str, str]
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Strip:
    """Options shown side by side.

    Attributes
    ----------
    groups
        Each decision with its options in the words of the header, and whether each is the base design's option.
    open, folded
        The pair asked about and pairs whose verdict changes; and pairs that the page folds, because their verdict does not change
        or there are too many pairs.
    """

    groups: tuple[tuple[str, tuple[tuple[str, bool], ...]], ...]
    open: tuple[Line, ...]
    folded: tuple[Line, ...]

    @staticmethod
    def systems(lines: Sequence[Line]) -> set[str]:
        """Return the systems that some lines name."""
        return {system for line in lines for system in line.systems}


@dataclass(frozen=True, slots=True)
class Glance:
    """The verdicts on one data set.

    Attributes
    ----------
    dataset
        Label of the data set or experiment.
    metric
        The metric of all columns that do not name a metric.
    strips
        All options, strip by strip.
    n_hidden
        Number of pairs left out.
    legend
        Initials, each with its system.
    has_decisions
        Whether any decision besides the metric varies.
    """

    dataset: str
    metric: str
    strips: tuple[Strip, ...]
    n_hidden: int
    legend: tuple[tuple[str, str], ...]
    has_decisions: bool

    @property
    def is_folded_alike(self) -> bool:
        """Whether every folded pair has one and the same result in all columns."""
        rows = zip(*(strip.folded for strip in self.strips), strict=True)
        return all(len({mark.name for line in row for mark in line.marks if mark.kind != "none"}) < 2 for row in rows)

    @property
    def is_contradicted(self) -> bool:
        """Whether the winner under any option differs from the winner under the base design."""
        return any(mark.kind == "against" for mark in self._marks)

    @property
    def is_doubted(self) -> bool:
        """Whether any win has a p over splits of at least alpha."""
        return any(mark.is_doubted for mark in self._marks)

    @property
    def is_tested(self) -> bool:
        """Whether every comparison without a winner has a p of at least alpha."""
        return all(mark.is_insignificant for mark in self._marks if mark.kind == "open")

    @property
    def _marks(self) -> list[Mark]:
        return [mark for strip in self.strips for line in (*strip.open, *strip.folded) for mark in line.marks]


def glances(verdicts: PairVerdicts) -> list[Glance]:
    """Return the verdicts under each varied option, by data set; empty if the experiment varies nothing or compares no systems."""
    along, by_dataset = varied_axes(verdicts), {dataset: list[PairAlong]() for dataset in verdicts.part.datasets}
    for listed in sort_by_gravity([verdicts]):
        by_dataset[listed[0].base["dataset"]].append(listed)
    return [_glance(verdicts, along, dataset, pairs) for dataset, pairs in by_dataset.items() if along and pairs]


def _glance(verdicts: PairVerdicts, along: Sequence[Axis], dataset: str, pairs: Sequence[PairAlong]) -> Glance:
    systems = list(verdicts.part.systems)
    names = initials(systems)
    listed = [pair for pair, _ in pairs[:MAX_PAIRS]]
    n_open = min(sum(pair.is_asked or not pair.is_stable for pair in listed) or len(listed), MAX_OPEN)
    strips = []
    for part in _arrange_axes(along):
        lines = tuple(
            Line(pair_of(pair.base)[1:], tuple(_marks(pair.base, part, systems, names, verdicts.part.alpha))) for pair in listed
        )
        strips.append(
            Strip(tuple((_title(axis.sweep), _headers(axis.sweep, verdicts.part)) for axis in part), lines[:n_open], lines[n_open:])
        )
    named = {system for pair in listed for system in pair_of(pair.base)[1:]}
    legend = tuple((names[system], system) for system in systems if system in named and names[system] != system)
    has_decisions = any(axis.sweep.varied is not METRICS for axis in along)
    return Glance(dataset, pairs[0][0].base["metric"], tuple(strips), len(pairs) - len(listed), legend, has_decisions)


def _arrange_axes(along: Sequence[Axis]) -> list[list[Axis]]:
    """Divide axes with too many options, and arrange as many axes side by side as fit."""
    parts: list[list[Axis]] = [[]]
    for axis in along:
        options = axis.sweep.options
        for start in range(0, len(options), MAX_COLUMNS):
            piece = replace(axis, sweep=replace(axis.sweep, options=options[start : start + MAX_COLUMNS]))
            if sum(len(other.sweep.options) for other in (*parts[-1], piece)) > MAX_COLUMNS:
                parts.append([])
            parts[-1].append(piece)
    return [part for part in parts if part]


def _title(sweep: Sweep) -> str:
    if whole := share_of(sweep):
        return f"{whole[0].upper()}{whole[1:]}"
    is_parameter = sweep.is_numeric and sweep.parameter != sweep.varied.key
    return f"{sweep.varied.name}, {sweep.parameter}" if is_parameter else sweep.varied.name


def _headers(sweep: Sweep, part: Experiment) -> tuple[tuple[str, bool], ...]:
    name, folds = number_of if sweep.is_numeric else title_of, folds_of_options(sweep, part)
    return tuple((f"{name(sweep, option)}{folds[option.text]}", option.is_base) for option in sweep.options)


def _marks(
    base: Mapping[str, Any], along: Sequence[Axis], systems: Sequence[str], names: Mapping[str, str], alpha: float
) -> Iterator[Mark]:
    for axis in along:
        for number, (_, row) in enumerate(axis.along(pair_of(base))):
            if row is None:
                yield Mark("", "none", 0, "not compared", number == 0)
            elif winner := row["winner"]:
                kind = "against" if base["winner"] and winner != base["winner"] else "won"
                colour = systems.index(winner) % N_COLOURS + 1
                tested = row["p_adjusted"], row["resampled_p"], alpha, row["correction"]
                # An effort's row is of many searches, and of no split.
                over = contrary_p_over_splits(*tested, n_splits_of(row["split"], row["repeats"])) if "split" in row else ""
                words = row.get("words") or f"{winner} wins, {p_claim(row['p_adjusted'])}{over}"
                yield Mark(names[winner], kind, colour, words, number == 0, is_doubted=bool(over))
            else:
                is_insignificant = bool(insignificant(row["p_adjusted"], alpha))
                neither = f"{'not significant' if is_insignificant else 'neither wins'}, {p_claim(row['p_adjusted'])}"
                words = row.get("words") or neither
                yield Mark("–", "open", 0, words, number == 0, is_insignificant=is_insignificant)
