"""The page of costs: the time and memory that each system takes to fit and rank, with its coverage."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import pandas as pd

from recsens.conclusions.verdicts.components import in_full
from recsens.conclusions.verdicts.study_tables import records
from recsens.report.html.templates import templates
from recsens.study import Experiment, Study
from recsens.tables.numbers import MISSING, percentage
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug, texts

PAGE = "benchmarks/costs.html"
"""The page's path in the study's folder; it is one of the files that differ from run to run."""


_NOTE = (
    "Times are means over folds. Fit: the time of fitting only. Rank: the time of scoring and ranking the targets of all users. "
    "Peak memory: the memory of the system's largest job, including libraries and data. All values were measured in the run that "
    "produced the results, on the machine of that run."
)


@dataclass(frozen=True, slots=True)
class Cost:
    """One system's time and memory on one fold under the base design.

    Attributes
    ----------
    dataset, system, fold
        Labels of the data set or experiment and of the system, and the fold.
    fit_seconds, rank_seconds
        Time for fitting, and for scoring and ranking the targets of all users.
    peak_mib
        Peak memory of the largest of these jobs, including libraries and data.
    tune_seconds
        Time for trying the candidates of a tuned system.
    """

    dataset: str
    system: str
    fold: str
    fit_seconds: float
    rank_seconds: float
    peak_mib: float
    tune_seconds: float = 0.0

    @classmethod
    def of(cls, dataset: str, system: str, fold: str, jobs: Sequence[Mapping[str, Any]]) -> Cost:
        """Join the cost records of a system's jobs."""
        seconds = {part: time for job in jobs for part, time in job["seconds"].items()}
        peak = max(job["peak_mib"] for job in jobs)
        return cls(dataset, system, fold, seconds["fit"], seconds["rank"], peak, seconds.get("tune", 0.0))


def cost_table(part: Experiment, costs: Sequence[Cost], summary: pd.DataFrame, dataset: str) -> Table:
    """Show each system's mean times and largest memory over the folds of the base design, with its coverage."""
    rows = records(summary[(summary["dataset"] == dataset) & summary["is_base"]])
    by_rating = any(not math.isnan(row["rating_coverage"]) for row in rows)
    tunes = any(cost.tune_seconds for cost in costs if cost.dataset == dataset)
    lines = []
    for system, spec in part.systems.items():
        own = [cost for cost in costs if (cost.dataset, cost.system) == (dataset, system)]
        row = next((row for row in rows if row["system"] == system), {})
        cells = (
            *texts([str(in_full("recommender", str(spec)))]),
            *([TableCell(_seconds(fmean(cost.tune_seconds for cost in own)) if own[0].tune_seconds else MISSING)] if tunes else []),
            TableCell(_seconds(fmean(cost.fit_seconds for cost in own))),
            TableCell(_seconds(fmean(cost.rank_seconds for cost in own))),
            TableCell(f"{max(cost.peak_mib for cost in own):,.0f}"),
            TableCell(percentage(row.get("rating_coverage" if by_rating else "user_coverage", math.nan))),
            TableCell(percentage(row.get("coverage_at_cutoff", math.nan))),
        )
        lines.append(Row(system, cells))
    times = [*(["tune, s"] if tunes else []), "fit, s", "rank, s"]
    first = part.metrics[0]
    depth = "–" if first.is_whole else str(first.cutoff)
    covered = "ratings ranked" if by_rating else "user coverage"
    columns = ("recommender", *times, "peak memory, MiB", covered, f"Coverage@{depth}")
    caption = f"{dataset}: times, memory and coverage under the base design"
    return Table(f"costs-{slug(dataset)}", caption, "System", columns, (RowGroup("", tuple(lines)),), (_NOTE,))


def cost_page(study: Study, costs: Sequence[Cost], summary: pd.DataFrame) -> str:
    """Write the page, one table per data set or experiment."""
    tables = [cost_table(part, costs, summary, label) for part in study.all_experiments() for label in part.datasets]
    return templates().get_template("costs.html.jinja").render(title=study.title, tables=tables)


def _seconds(value: float) -> str:
    return f"{value:,.1f}" if value >= 1 else f"{value:.2f}"
