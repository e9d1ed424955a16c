"""The users who are averaged and covered, with full and reduced averages."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from recsens.conclusions.design_space import DesignSpace
from recsens.conclusions.verdicts.components import n_folds_of
from recsens.conclusions.verdicts.study_tables import records
from recsens.report.effective_users import EFFECTIVE_USERS, weigh_apart
from recsens.report.system_remarks import calibrated
from recsens.report.tables.design_sets import MAX_DESIGNS, DesignSet, cut_note
from recsens.study import Experiment
from recsens.tables.cells import count_cell, score_cell, share_cell
from recsens.tables.table import Row, RowGroup, Table, slug

_NAN = float("nan")


def coverage_table(study: Experiment, summary: pd.DataFrame, dataset: str, design_set: DesignSet | None = None) -> Table:
    """Show which users are averaged and covered, with full and reduced averages side by side.

    The base design has one group of rows per metric; a set of designs has one group per design, for the first metric.
    """
    rows = summary[summary["dataset"] == dataset]
    space, metrics = DesignSpace(rows), list(study.metrics)
    if design_set is None:
        base = space.rows_of(next(iter(DesignSpace(rows[rows["is_base"]]).designs), ()))
        shown_rows = [(measured.written, base, str(measured)) for measured in metrics]
    else:
        designs = list(design_set.designs.items())[:MAX_DESIGNS]
        shown_rows = [(label, space.rows_of(options), str(metrics[0])) for label, options in designs]
    is_one = not metrics[0].is_whole and (design_set is not None or len({metric.cutoff for metric in metrics}) == 1)
    depth = f"Coverage@{metrics[0].cutoff if is_one else 'd'}"
    columns = _coverage_columns(pd.concat([rows.iloc[:0], *(chosen for _, chosen, _ in shown_rows)]), depth)
    groups = tuple(RowGroup(title, _coverages(chosen, metric, study.systems, columns)) for title, chosen, metric in shown_rows)
    by = f" by {design_set.corner.lower()}, {metrics[0].written}" if design_set else " under the base design"
    return Table(
        f"coverage-{design_set.key if design_set else 'base'}-{slug(dataset)}",
        f"{dataset}: coverage{by}",
        "System",
        (*columns.values(), "full average", "reduced average"),
        groups,
        tuple(filter(None, [*_coverage_notes(columns, depth), *cut_note(design_set), calibrated(study)])),
    )


def _coverage_notes(columns: Mapping[str, str], depth: str) -> Iterator[str]:
    if "user_coverage" in columns:
        yield "User coverage: of the users with something to rank, the share who have a ranking."
    if "rating_coverage" in columns:
        yield (
            "Ratings ranked: each relevant rating has its own ranking; this is the share of these rankings that contain the rated "
            "item."
        )
    yield f"{depth}: of the first {depth.removeprefix('Coverage@')} places of these rankings, the share that is filled."
    if "effective_users" in columns:
        yield EFFECTIVE_USERS
    if depth.endswith("@d"):
        yield "d is the cut-off of the metric."
    yield (
        "The full and the reduced average are both arithmetic means over users, and then over folds. A user without a ranking "
        "counts as 0 in the full average, and is left out of the reduced average."
    )
    if "user_coverage" in columns:
        yield (
            "On each fold, full average = user coverage × reduced average, if all users have the same weight and all have "
            "something to rank."
        )


def _coverage_columns(rows: pd.DataFrame, depth: str) -> dict[str, str]:
    """Name the columns; effective users are included only if weights differ, and coverage is of users or, under 1R, of ratings."""
    by_rating = rows["rating_coverage"].notna()
    headers = {
        "n_users": ("users averaged", True),
        "effective_users": ("effective users", weigh_apart(rows, "n_users")),
        "user_coverage": ("user coverage", not by_rating.all() or rows.empty),
        "rating_coverage": ("ratings ranked", by_rating.any()),
        "coverage_at_cutoff": (depth, True),
    }
    return {column: header for column, (header, said) in headers.items() if said}


def _coverages(rows: pd.DataFrame, metric: str, systems: Iterable[str], columns: Collection[str]) -> tuple[Row, ...]:
    own = rows.loc[rows["metric_full"] == metric, ["system", "metric", "split", "repeats", "full", "reduced", "spread", *columns]]
    row_of = {row["system"]: row for row in records(own)}
    return tuple(_coverage(system, row_of.get(system, {}), columns) for system in systems)


def _coverage(system: str, row: Mapping[str, Any], columns: Iterable[str]) -> Row:
    counts = {"n_users", "effective_users"}
    shares = [(count_cell if column in counts else share_cell)(row.get(column, _NAN)) for column in columns]
    folds = n_folds_of(row["split"], row["repeats"]) if row else math.inf
    means = [
        replace(score_cell(row.get(column, _NAN), row.get("spread", _NAN), folds, of=row.get("metric", "")), extra="")
        for column in ("full", "reduced")
    ]
    return Row(system, (*shares, *means))
