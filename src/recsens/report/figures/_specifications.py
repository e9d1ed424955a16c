"""A pair's analyses in the order of their effect sizes, and the choices of each analysis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from recsens.conclusions.verdicts.components import direction, measured
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import in_order
from recsens.outcomes.winner import FIRST, NOBODY, SECOND, Side
from recsens.study.taxonomy import DECISIONS
from recsens.tables.numbers import tick

_NO_CUTOFF = "none"
"""The text for the cut-off of a metric of the whole ranking."""

MANY = 150
"""A panel with more analyses than this has bands and bars instead of marks."""

_LONGEST = 34
"""Largest number of letters of an option; longer options are cut."""


@dataclass(frozen=True)
class Choices:
    """One decision's options, as rows of the matrix below the curve.

    Attributes
    ----------
    title
        The decision.
    labels
        Its options.
    base
        Index of the base design's option; -1 if it is not among the options.
    taken
        Whether each option is used by each analysis, or by an analysis with the same numbers; shape (n_options, n_analyses).
    colours
        A colour for each option; empty if all options have the usual colour.
    """

    title: str
    labels: tuple[str, ...]
    base: int
    taken: NDArray[np.bool_]
    colours: tuple[str, ...] = ()


@dataclass(frozen=True)
class Specifications:
    """Every analysis of one pair on one data set, smallest effect first; analyses with the same numbers are merged.

    Attributes
    ----------
    dataset, first, second
        Labels of the data set and of the systems; the system that is better under the base design comes first.
    effects, lows, highs
        Standardised effect sizes and their intervals, positive if the first system is better; shape (n_analyses,).
    winners
        The winner of each analysis (`recsens.outcomes.winner.Side`), shape (n_analyses,).
    base
        Index of the base analysis; None if it has no effect size.
    choices
        The decisions that differ between analyses.
    n_analyses
        Number of analyses, including those that repeat the numbers of another analysis.
    """

    dataset: str
    first: str
    second: str
    effects: NDArray[np.float64]
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]
    winners: Side
    base: int | None
    choices: tuple[Choices, ...]
    n_analyses: int

    @property
    def title(self) -> str:
        """The title of the panel."""
        return f"{self.dataset}: {self.first} over {self.second}"

    @property
    def is_crowded(self) -> bool:
        """Whether there are too many analyses to draw a mark for each."""
        return len(self.effects) > MANY


def curves(summary: pd.DataFrame, verdicts: PairVerdicts, datasets: Sequence[str]) -> list[Specifications]:
    """Trace each data set's curve for the base design's two best systems or, if they were not compared, the best compared pair."""
    best = summary[summary["is_base"]]
    traced = []
    for dataset in datasets:
        pairs = [pair for pair in verdicts.base if pair[0] == dataset]
        if pairs:
            metric = verdicts.base[pairs[0]]["metric_full"]
            rows = best[(best["dataset"] == dataset) & (best["metric_full"] == metric)]
            traced.append(_curve(verdicts, _best_pair(pairs, rows, direction(metric))))
    return [curve for curve in traced if len(curve.effects)]


def _best_pair(pairs: Sequence[tuple[str, str, str]], rows: pd.DataFrame, sign: int) -> tuple[str, str, str]:
    values = dict(zip(rows["system"], sign * rows["value"], strict=True))
    ranked = sorted(values, key=lambda system: -values[system] if not math.isnan(values[system]) else math.inf)
    # The best pair is the pair whose worse system ranks highest; among several such pairs, the better system's rank decides.
    return min(pairs, key=lambda pair: sorted((ranked.index(pair[1]), ranked.index(pair[2])), reverse=True))


def _curve(verdicts: PairVerdicts, pair: tuple[str, str, str]) -> Specifications:
    dataset, a, b = pair
    rows = verdicts.rows
    named = rows[(rows["dataset"] == dataset) & (rows["system_a"] == a) & (rows["system_b"] == b) & rows["effect"].notna()]
    rows = named[named["original"] == named.index]
    base = verdicts.base[pair]
    is_turned = base["better"] == SECOND
    signs = rows["metric_full"].map(direction).to_numpy(dtype=np.float64) * (-1 if is_turned else 1)
    first, second = (b, a) if is_turned else (a, b)
    effects = signs * rows["effect"].to_numpy()
    ends = np.sort(np.stack([signs * rows["effect_low"].to_numpy(), signs * rows["effect_high"].to_numpy()]), axis=0)
    order = np.argsort(effects, kind="stable")
    winners = np.select([rows["winner"] == first, rows["winner"] == second], [FIRST, SECOND], NOBODY)
    is_base = (rows["is_base"] & rows["is_base_metric"]).to_numpy()[order]
    index_of = pd.Series(np.arange(len(order)), index=rows.index[order], dtype=np.int64)
    return Specifications(
        dataset,
        first,
        second,
        effects[order],
        ends[0][order],
        ends[1][order],
        winners[order],
        int(np.flatnonzero(is_base)[0]) if is_base.any() else None,
        tuple(_choices(verdicts, named, index_of[named["original"]].to_numpy(), base)),
        len(named),
    )


def _choices(verdicts: PairVerdicts, rows: pd.DataFrame, columns: NDArray[np.int64], base: Mapping[str, Any]) -> list[Choices]:
    """List the decisions in which analyses differ; ``columns`` has each row's index on the curve."""
    matrix, space = [], verdicts.space
    for varied in space.varied:
        swept = space.sweep(varied)
        lines = {option.text: line for line, option in enumerate(swept.options)}
        labels = [tick(option.number) if option.number is not None else _cut(option.text) for option in swept.options]
        title, chosen = f"{varied.code} {swept.titled(varied.name)}", space.base[varied.column]
        matrix.append(_lines_of(title, labels, lines, rows[varied.column], columns, chosen))
    metrics = [metric.written for metric in verdicts.part.metrics if str(metric) in set(verdicts.rows["metric_full"])]
    for title, of in (("C2 Metric", _bare), ("C2 Cut-off", _cutoff)):
        labels = in_order(map(of, metrics))
        if len(labels) > 1:
            if of is _cutoff:
                labels = sorted(labels, key=lambda label: math.inf if label == _NO_CUTOFF else int(label))
            lines = {label: line for line, label in enumerate(labels)}
            matrix.append(_lines_of(title, labels, lines, rows["metric"].map(of), columns, of(base["metric"])))
    order = {decision.code: rank for rank, decision in enumerate(DECISIONS)}
    return sorted(matrix, key=lambda choices: order[choices.title.partition(" ")[0]])


def _lines_of(
    title: str, labels: Sequence[str], lines: Mapping[str, int], options: pd.Series[str], columns: NDArray[np.int64], base: str
) -> Choices:
    taken = np.zeros((len(labels), len(set(columns.tolist()))), dtype=np.bool_)
    taken[np.asarray(options.map(dict(lines)), dtype=np.int64), columns] = True
    return Choices(title, tuple(labels), lines.get(base, -1), taken)


def _bare(metric: str) -> str:
    return measured(metric).spelling


def _cutoff(metric: str) -> str:
    at = measured(metric)
    return _NO_CUTOFF if at.is_whole else str(at.cutoff)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
