"""Show an evaluation in a notebook: as a table of means and a figure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from recsens.comparison.significance import SignificanceTest
from recsens.report.html.plots import estimates
from recsens.report.html.templates import cell
from recsens.runs.evaluation._matched import Matched
from recsens.runs.evaluation._settings import Settings
from recsens.seeds import Stream
from recsens.tables.numbers import MISSING, estimate, score
from recsens.tables.table import Row, RowGroup, Table, TableCell

if TYPE_CHECKING:
    from recsens.report.html.picture import Picture

_MOST_ROWS = 40

_OF_MEANS = "Means over users"


class _Evaluated(Protocol):
    """The parts of an evaluation to show."""

    @property
    def labels(self) -> list[str]: ...

    @property
    def pooled(self) -> dict[str, float]: ...

    @property
    def counts(self) -> NDArray[np.bool_]: ...

    @property
    def settings(self) -> Settings: ...

    @property
    def matched(self) -> Matched: ...

    @property
    def totals(self) -> frozenset[str]: ...

    @property
    def by_ties(self) -> Mapping[str, tuple[float, float]]: ...

    @property
    def unbounded(self) -> frozenset[str]: ...

    @property
    def notes(self) -> tuple[str, ...]: ...

    @property
    def means(self) -> dict[str, float]: ...

    @property
    def population(self) -> str: ...

    def column(self, label: str) -> NDArray[np.float64]: ...


def page_of(evaluation: _Evaluated) -> str:
    """Return an evaluation as part of a page."""
    has_ties = any(_ties(evaluation, label) for label in evaluation.labels)
    rows = []
    for label in evaluation.labels:
        mean, low, high = _interval(evaluation, label)
        value, lower, upper = estimate(mean, low, high) if not math.isnan(low) else (score(mean), "", "")
        cells = [value, f"{lower} to {upper}" if lower else MISSING]
        rows.append(Row(label, tuple(map(TableCell, (*cells, *([_ties(evaluation, label)] if has_ties else []))))))
    table = Table(
        "evaluation",
        _OF_MEANS,
        f"Metric ({evaluation.settings.convention})",
        ("value", "95 % interval", *(["by ties"] if has_ties else [])),
        (RowGroup("", tuple(rows)),),
        (f"Settings: {evaluation.settings}.",),
    )
    said = [text for text in (evaluation.matched.in_words, evaluation.matched.warning, *evaluation.notes) if text]
    shown = table.first(_MOST_ROWS, "All further metrics are in .means.")
    return cell(f"Evaluation: {evaluation.population}", said=["; ".join(said)] if said else [], tables=[shown])


def picture_of(evaluation: _Evaluated) -> Picture:
    """Draw the means of an evaluation."""
    rows = [(label, *_interval(evaluation, label), "") for label in evaluation.labels if label not in evaluation.totals]
    return estimates(f"{_OF_MEANS}, with 95 % intervals", rows, along="mean over users")


def _interval(evaluation: _Evaluated, label: str) -> tuple[float, float, float]:
    """Return a mean with its interval; pooled values and sums have no interval."""
    if label in evaluation.pooled:
        return evaluation.means[label], math.nan, math.nan
    values = evaluation.column(label)[evaluation.counts]
    values = values[~np.isnan(values)]
    against_zero = SignificanceTest.build("t").compare(values, np.zeros_like(values), Stream.of(0, "evaluate", label))
    return evaluation.means[label], against_zero.low, against_zero.high


def _ties(evaluation: _Evaluated, label: str) -> str:
    if label in evaluation.unbounded:
        return "not bounded"
    if label not in evaluation.by_ties:
        return ""
    low, high = map(score, evaluation.by_ties[label])
    return "" if low == high else f"{low} to {high}"
