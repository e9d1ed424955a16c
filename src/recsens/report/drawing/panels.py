"""The panels of a figure: lines over a number, dots over categories, intervals around a reference."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, NullLocator

from recsens.conclusions.verdicts.sweep import Sweep
from recsens.report.drawing.ink import BAND, PAPER, SOFT, TEXT, Ink, ScoreTicks
from recsens.tables.numbers import tick


@dataclass(frozen=True, slots=True)
class Point:
    """One system under one option: its score, its spread over folds (NaN where unknown), whether it wins there."""

    value: float
    spread: float
    wins: bool


@dataclass(frozen=True, slots=True)
class Interval:
    """A labelled value with its interval (NaN where unknown) and a remark at the margin."""

    label: str
    value: float
    low: float
    high: float
    remark: str
    ink: Ink


Curve = Sequence[Point | None]
"""One system's points, in the order of the options."""


def draw_numeric(
    axes: Axes, swept: Sweep, curves: Mapping[str, Curve], inks: Mapping[str, Ink], flips: Sequence[tuple[int, int]]
) -> None:
    """Draw a line for each system over the number in which the options differ, and a band where the winner changes."""
    numbers = [option.number or 0.0 for option in swept.options]
    _number_axis(axes, swept, numbers)
    for before, after in flips:
        axes.axvspan(numbers[before], numbers[after], color=BAND, linewidth=0, zorder=0)
    for system, curve in curves.items():
        known = [(number, point) for number, point in zip(numbers, curve, strict=True) if point is not None]
        _line(axes, [number for number, _ in known], [point.value for _, point in known], inks[system])
        for number, point in known:
            if not math.isnan(point.spread):
                axes.errorbar(
                    number, point.value, yerr=point.spread, color=inks[system].colour, linewidth=0.9, capsize=1.8, zorder=2
                )
            _dot(axes, number, point.value, inks[system], filled=point.wins)
    axes.grid(axis="y")
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(ScoreTicks())


def draw_categories(axes: Axes, swept: Sweep, curves: Mapping[str, Curve], inks: Mapping[str, Ink], remarks: Sequence[str]) -> None:
    """Draw a row for each option, the base on top, with a dot for each system and a remark at the margin."""
    _rows(axes, [option.text for option in swept.options], [option.is_base for option in swept.options], remarks)
    for nth, (system, curve) in enumerate(curves.items()):
        # A small step aside keeps equal scores visible.
        step = 0.12 * (nth - (len(curves) - 1) / 2) / max(1, len(curves) / 4)
        known = [(row + step, point) for row, point in enumerate(curve) if point is not None]
        _line(axes, [point.value for _, point in known], [row for row, _ in known], inks[system])
        for row, point in known:
            if not math.isnan(point.spread):
                axes.errorbar(point.value, row, xerr=point.spread, color=inks[system].colour, linewidth=0.9, capsize=1.8, zorder=2)
            _dot(axes, point.value, row, inks[system], filled=point.wins)


def draw_intervals(axes: Axes, intervals: Sequence[Interval], reference: float) -> None:
    """Draw a row for each interval, and a line at the reference: an interval that does not reach it differs from it."""
    _rows(axes, [interval.label for interval in intervals], [False] * len(intervals), [i.remark for i in intervals])
    if not math.isnan(reference):
        axes.axvline(reference, color=SOFT, linewidth=0.8, zorder=1)
    for row, interval in enumerate(intervals):
        if not math.isnan(interval.low):
            axes.hlines(row, interval.low, interval.high, color=interval.ink.colour, linewidth=1.6, zorder=2)
        _dot(axes, interval.value, row, interval.ink, filled=True)


def in_lines(label: str, n_letters: int = 26, n_lines: int | None = None) -> str:
    """Break a label into lines of at most so many letters, between words where it can; an ellipsis marks what does not fit.

    A word that is longer than a line breaks before its brackets, as specs within specs do, before it breaks anywhere.
    """
    words = (re.sub(r"(?<=\w)\(", " (", word) if len(word) > n_letters else word for word in label.split(" "))
    return "\n".join(wrap(" ".join(words), n_letters, max_lines=n_lines, placeholder="…", break_on_hyphens=False))


def _line(axes: Axes, x: Sequence[float], y: Sequence[float], style: Ink) -> None:
    axes.plot(x, y, color=style.colour, linestyle=style.line if style.line[1] else "-", linewidth=1.3, zorder=2)


def _dot(axes: Axes, x: float, y: float, style: Ink, *, filled: bool) -> None:
    face = style.colour if filled else PAPER
    axes.plot(
        [x],
        [y],
        marker=style.marker,
        color=style.colour,
        markerfacecolor=face,
        markersize=5,
        markeredgewidth=1.1,
        zorder=3 + filled,
    )


def _number_axis(axes: Axes, swept: Sweep, numbers: Sequence[float]) -> None:
    if min(numbers) > 0 and max(numbers) / min(numbers) >= 30:
        axes.set_xscale("log")
    scaled = [math.log(number) if axes.get_xscale() == "log" else number for number in numbers]
    labelled = _with_room(scaled, [tick(number) for number in numbers], [option.is_base for option in swept.options])
    axes.set_xticks([numbers[index] for index in labelled], [tick(numbers[index]) for index in labelled])
    axes.xaxis.set_minor_locator(NullLocator())
    for label, index in zip(axes.get_xticklabels(), labelled, strict=True):
        label.set_fontweight("bold" if swept.options[index].is_base else "normal")
    axes.set_xlabel(
        f"{swept.varied.name.lower()}: {swept.parameter}" if swept.parameter != swept.varied.key else swept.varied.name.lower()
    )


def _with_room(positions: Sequence[float], labels: Sequence[str], is_base: Sequence[bool]) -> list[int]:
    """Choose ticks whose labels do not overlap; positions rise, and the base always has a tick."""
    span = (positions[-1] - positions[0]) or 1.0
    chosen: list[int] = [index for index, base in enumerate(is_base) if base]
    for index in range(len(positions)):
        width = 0.022 * len(labels[index]) + 0.03
        if all(abs(positions[index] - positions[other]) / span >= width for other in chosen):
            chosen.append(index)
    return sorted(chosen)


def _rows(axes: Axes, labels: Sequence[str], is_base: Sequence[bool], remarks: Sequence[str]) -> None:
    axes.set_yticks(range(len(labels)), [in_lines(breakable(label)) for label in labels])
    for label, base in zip(axes.get_yticklabels(), is_base, strict=True):
        label.set_fontweight("bold" if base else "normal")
    axes.set_ylim(max(len(labels), 1) - 0.5, -0.5)
    axes.grid(axis="both")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(ScoreTicks())
    for row, remark in enumerate(remarks):
        axes.annotate(
            remark, (1.0, row), xycoords=("axes fraction", "data"), xytext=(4, 0), textcoords="offset points",
            va="center", fontsize=7.5, color=TEXT, annotation_clip=False,
        )  # fmt: skip


def breakable(label: str, longest: int = 26) -> str:
    """Let a spec of more than so many letters break after its commas and before its bracket."""
    return re.sub(r"(?<! )\(", " (", re.sub(r",(?! )", ", ", label), count=1) if len(label) > longest else label
