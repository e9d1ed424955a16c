"""The verdicts of every pair under every varied option, at a glance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recsens.report.figures.svg import N_COLOURS
from recsens.report.numbers import p_claim
from recsens.report.sections.initials import initials
from recsens.report.sentences.conditions import is_train_share, number_of
from recsens.report.sweep import Sweep
from recsens.report.verdicts.axes import Axis, axes
from recsens.report.verdicts.gravity import Turned, by_gravity
from recsens.report.verdicts.pairs import PairVerdicts, pair_of

MAX_OPEN = 8
"""Pairs that are shown at once; the others are folded."""

MAX_PAIRS = 60
"""Pairs that are shown at all; verdicts.csv holds all."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The verdict on a pair under an option.

    Attributes
    ----------
    name
        The winner's name or initials; a dash where nobody wins; empty where the pair was not compared.
    kind
        ``won``, ``against`` (another system wins than under the base design), ``open`` or ``none``.
    colour
        The winner's number among the colours of systems, from 1; 0 without a winner.
    words
        The verdict in words, with its p-value.
    is_first
        Whether a group of columns begins here.
    """

    name: str
    kind: str
    colour: int
    words: str
    is_first: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A pair of systems and its verdicts."""

    systems: tuple[str, str]
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Glance:
    """The verdicts on one data set.

    Attributes
    ----------
    dataset
        Label of the data set or experiment.
    metric
        The metric of the columns that name none.
    groups
        Each decision with its options as they stand in the header, and whether the base design takes them.
    open, folded
        Pairs whose verdict changes, and those whose verdict does not or that are too many.
    n_hidden
        Number of pairs that are left out.
    legend
        Initials and the systems that they stand for.
    """

    dataset: str
    metric: str
    groups: tuple[tuple[str, tuple[tuple[str, bool], ...]], ...]
    open: tuple[Line, ...]
    folded: tuple[Line, ...]
    n_hidden: int
    legend: tuple[tuple[str, str], ...]


def glances(verdicts: PairVerdicts) -> list[Glance]:
    """Show who wins under each option of what an experiment varies; nothing where it varies nothing or compares nobody."""
    along, by_dataset = axes(verdicts), {dataset: list[Turned]() for dataset in verdicts.part.datasets}
    for turned in by_gravity([verdicts]):
        by_dataset[turned[0].base["dataset"]].append(turned)
    return [_glance(verdicts, along, dataset, pairs) for dataset, pairs in by_dataset.items() if along and pairs]


def _glance(verdicts: PairVerdicts, along: Sequence[Axis], dataset: str, pairs: Sequence[Turned]) -> Glance:
    systems = list(verdicts.part.systems)
    names = initials(systems)
    lines = [_line(pair.base, along, systems, names) for pair, _ in pairs[:MAX_PAIRS]]
    n_moved = sum(not pair.is_stable for pair, _ in pairs)
    n_open = min(n_moved or len(lines), MAX_OPEN)
    named = {system for line in lines for system in line.systems}
    return Glance(
        dataset,
        pairs[0][0].base["metric"],
        tuple((_title(axis.sweep), _headers(axis.sweep)) for axis in along),
        tuple(lines[:n_open]),
        tuple(lines[n_open:]),
        len(pairs) - len(lines),
        tuple((names[system], system) for system in systems if system in named and names[system] != system),
    )


def _title(sweep: Sweep) -> str:
    if is_train_share(sweep):
        return "Data in train"
    is_parameter = sweep.is_numeric and sweep.parameter != sweep.varied.key
    return f"{sweep.varied.name}, {sweep.parameter}" if is_parameter else sweep.varied.name


def _headers(sweep: Sweep) -> tuple[tuple[str, bool], ...]:
    return tuple((number_of(sweep, option) if sweep.is_numeric else option.text, option.is_base) for option in sweep.options)


def _line(base: Mapping[str, Any], along: Sequence[Axis], systems: Sequence[str], names: Mapping[str, str]) -> Line:
    return Line((base["system_a"], base["system_b"]), tuple(_marks(base, along, systems, names)))


def _marks(base: Mapping[str, Any], along: Sequence[Axis], systems: Sequence[str], names: Mapping[str, str]) -> Iterator[Mark]:
    for axis in along:
        for place, (_, row) in enumerate(axis.along(pair_of(base))):
            if row is None:
                yield Mark("", "none", 0, "not compared", place == 0)
            elif winner := row["winner"]:
                kind = "against" if base["winner"] and winner != base["winner"] else "won"
                colour = systems.index(winner) % N_COLOURS + 1
                yield Mark(names[winner], kind, colour, f"{winner} wins, {p_claim(row['p_adjusted'])}", place == 0)
            else:
                yield Mark("–", "open", 0, f"nobody wins, {p_claim(row['p_adjusted'])}", place == 0)
