"""The page of costs: what each system took to fit and rank, beside what it covers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import pandas as pd

from recsens.config import Study
from recsens.studies.naming import in_full
from recsens.studies.page import templates
from recsens.studies.printed import MISSING, percentage
from recsens.studies.results import records
from recsens.studies.table import Cell, Group, Row, Table, slug, texts

PAGE = "benchmarks/costs.html"
"""Where the page lies, from the study's folder: among the files that differ from run to run."""


_NOTE = (
    "Times: means over folds of fitting alone, and of scoring and ranking the targets of all users. Peak memory: of the largest of "
    "a system's jobs, with libraries and data. Both are those of the run that made the results, on its machine."
)


@dataclass(frozen=True, slots=True)
class Cost:
    """What a system took on one fold under the base design.

    Attributes
    ----------
    dataset, system, fold
        Labels of the data set or experiment and of the system, and the fold.
    fit_seconds, rank_seconds
        Time of fitting, and of scoring and ranking the targets of all users.
    peak_mib
        Largest memory of these jobs, libraries and data included.
    tune_seconds
        Time of trying the candidates of a system that is tuned.
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
        """Join the records that the jobs of a system left."""
        seconds = {part: time for job in jobs for part, time in job["seconds"].items()}
        peak = max(job["peak_mib"] for job in jobs)
        return cls(dataset, system, fold, seconds["fit"], seconds["rank"], peak, seconds.get("tune", 0.0))


def cost_table(part: Study, costs: Sequence[Cost], summary: pd.DataFrame, dataset: str) -> Table:
    """Show each system's times and memory under the base design, means and maxima over folds, with its coverage."""
    rows = records(summary[(summary["dataset"] == dataset) & summary["is_base"]])
    by_rating = any(not math.isnan(row["rating_coverage"]) for row in rows)
    tunes = any(cost.tune_seconds for cost in costs if cost.dataset == dataset)
    lines = []
    for system, spec in part.systems.items():
        own = [cost for cost in costs if (cost.dataset, cost.system) == (dataset, system)]
        row = next((row for row in rows if row["system"] == system), {})
        cells = (
            *texts([str(in_full("recommender", str(spec)))]),
            *([Cell(_seconds(fmean(cost.tune_seconds for cost in own)) if own[0].tune_seconds else MISSING)] if tunes else []),
            Cell(_seconds(fmean(cost.fit_seconds for cost in own))),
            Cell(_seconds(fmean(cost.rank_seconds for cost in own))),
            Cell(f"{max(cost.peak_mib for cost in own):,.0f}"),
            Cell(percentage(row.get("rating_coverage" if by_rating else "user_coverage", float("nan")))),
            Cell(percentage(row.get("coverage_at_cutoff", float("nan")))),
        )
        lines.append(Row(system, cells))
    times = [*(["tune, s"] if tunes else []), "fit, s", "rank, s"]
    first = part.metrics[0]
    depth = "–" if first.is_whole else str(first.cutoff)
    return Table(
        f"costs-{slug(dataset)}",
        f"{dataset}: times, memory and coverage under the base design",
        "System",
        ("recommender", *times, "peak memory, MiB", "ratings ranked" if by_rating else "user coverage", f"Coverage@{depth}"),
        (Group("", tuple(lines)),),
        (_NOTE,),
    )


def cost_page(study: Study, costs: Sequence[Cost], summary: pd.DataFrame) -> str:
    """Write the page: one table a data set, or experiment."""
    found = [cost_table(part, costs, summary, label) for part in study.parts() for label in part.datasets]
    return templates().get_template("costs.html.jinja").render(title=study.title, tables=found)


def _seconds(value: float) -> str:
    return f"{value:,.1f}" if value >= 1 else f"{value:.2f}"
