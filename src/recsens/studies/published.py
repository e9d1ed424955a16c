"""Values that a paper printed, beside ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from recsens.config import Study
from recsens.studies.naming import (
    base_options,
    calibrated,
    change_in_words,
    change_of,
    improvement,
    n_folds_of,
    ranks_systems,
    short,
)
from recsens.studies.printed import MINUS, MISSING, count, deviation_of, p_value, quantity, score, spread_of
from recsens.studies.results import Results, records
from recsens.studies.table import Cell, Group, Row, Table, texts
from recsens.studies.taxonomy import COLUMNS

_PRINTED = ("dataset", "published", "value", "spread", "source", "note")

_PAIR = ("dataset", "system_a", "system_b", "metric")


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed value and ours.

    Attributes
    ----------
    what
        What it is a value of.
    dataset
        Label of the data set or experiment.
    published, value, spread
        The printed value, ours, and our standard deviation over folds.
    source, note
        Where it is printed, and what a reader should know of the difference.
    n_folds
        How many folds our standard deviation is over.
    """

    what: str
    dataset: str
    published: float
    value: float
    spread: float
    source: str
    note: str
    n_folds: float = math.inf


def published_tables(study: Study, results: Results) -> list[Table]:
    """Set printed values beside ours: scores, p-values, statistics of data sets; empty tables are left out."""
    summary, comparisons, datasets = results.summary, results.comparisons, results.datasets
    scores = [
        Printed(
            f"{row['system']}, {short(row['metric'])}",
            **{key: row[key] for key in _PRINTED},
            n_folds=n_folds_of(row["split"], row["repeats"]),
        )
        for row in records(summary[summary["published"].notna()])
    ]
    statistics = [
        Printed(row["metric"].replace("_", " "), **{key: row[key] for key in _PRINTED})
        for row in records(datasets[datasets["published"].notna()])
    ]
    note = "Deviation: ours minus the printed value, and as a share of it. Spread: sample standard deviation over folds."
    tables = [
        _published("published-scores", "Scores, printed and ours", scores, score, note),
        order_table(summary),
        _p_values(comparisons),
        _published("published-data", "Data sets, printed and ours", statistics, quantity, note),
    ]
    chosen = tuple(filter(None, [calibrated(study)]))
    return [replace(table, notes=(*table.notes, *chosen)) for table in tables if not table.is_empty]


def order_table(summary: pd.DataFrame) -> Table:
    """Show how far the order of the systems is the printed one, by Kendall's τ over pairs of systems.

    τ = (n_same - n_other) / n over all pairs whose printed values differ, and over those alone that differ by a tenth of the
    larger or more. Systems that come to the same value by every printed metric rank alike, and count as one, the first. A metric
    needs three systems printed under the same design.
    """
    rows = summary[summary["published"].notna() & summary["value"].notna()]
    base = base_options(summary)
    groups: dict[str, list[Row]] = {}
    for (dataset, *options), found in rows.groupby(["dataset", *COLUMNS], sort=False):
        change = change_of(dict(zip(COLUMNS, map(str, options), strict=True)), base)
        for metric, group in _distinct(found).groupby("metric", sort=False):
            if len(group) > 2 and ranks_systems(str(metric)):
                printed, ours = group["published"].to_numpy(), improvement(str(metric)) * group["value"].to_numpy()
                cells = [cell for least in (0.0, 0.1) for cell in _agreement(improvement(str(metric)) * printed, ours, least)]
                label = f"{short(str(metric))}{f', {change_in_words(change)}' if change else ''}"
                groups.setdefault(str(dataset), []).append(Row(label, (Cell(count(len(group))), *cells)))
    notes = (
        "Pairs 10 % apart: their printed values differ by a tenth of the larger or more.",
        "Systems that rank alike count as one.",
    )
    return Table(
        "published-order",
        "Order of the systems, printed and ours",
        "Metric",
        ("systems", "pairs", "Kendall's τ", "pairs 10 % apart", "Kendall's τ of these"),
        tuple(Group(title, tuple(lines)) for title, lines in groups.items()),
        notes,
    )


def _distinct(found: pd.DataFrame) -> pd.DataFrame:
    """Leave out systems whose values are those of an earlier one by every metric."""
    values = found.pivot_table(index="system", columns="metric", values="value", sort=False)
    return found[found["system"].isin(values.index[~values.duplicated()])]


def _agreement(printed: NDArray[np.float64], ours: NDArray[np.float64], least: float) -> tuple[Cell, Cell]:
    first, second = np.triu_indices(len(printed), 1)
    gap = printed[first] - printed[second]
    # A hair below: .30 and .27 are a tenth apart, which floating point may not find.
    apart = np.abs(gap) >= least * np.maximum(np.abs(printed[first]), np.abs(printed[second])) - 1e-12
    counts = (gap != 0) & apart
    same = np.sign(gap[counts]) * np.sign(ours[first] - ours[second])[counts]
    return Cell(count(len(same))), Cell(score(float(same.mean())) if len(same) else MISSING)


def agreement_with_print(summary: pd.DataFrame) -> str:
    """Say how far our scores are from the printed ones and whether the same systems win; empty without printed scores.

    Where print has all systems level, nobody is ahead and nothing can agree.
    """
    printed = summary[summary["published"].notna()]
    if printed.empty:
        return ""
    farthest = max(records(printed), key=lambda row: abs(row["value"] - row["published"]))
    value, deviation = farthest["value"], abs(farthest["value"] - farthest["published"])
    folds = n_folds_of(farthest["split"], farthest["repeats"])
    gap = deviation_of(value, deviation, farthest["spread"], folds) if farthest["spread"] > 0 else score(deviation)
    where = f"{farthest['system']}, {short(str(farthest['metric']))}"
    text = f"{len(printed)} score{'s' * (len(printed) > 1)} beside printed ones; the largest deviation is {gap} ({where})."
    n_same, n = 0, 0
    for (_, metric), group in printed.groupby(["dataset", "metric"], sort=False):
        rows = records(group)
        if len({row["published"] for row in rows}) > 1 and ranks_systems(str(metric)):
            sign = improvement(str(metric))
            ours = max(rows, key=lambda row: sign * row["value"])
            n += 1
            n_same += sign * ours["published"] == max(sign * row["published"] for row in rows)
    if not n:
        return text
    same = f"all {n} cases" if n_same == n and n > 1 else f"{n_same} of {n} case{'s' * (n > 1)}"
    return f"{text} The same system is ahead in {same} in which print has one system ahead of another."


def _pair_and_metric(row: Mapping[str, Any]) -> str:
    return f"{row['system_a']} and {row['system_b']}, {short(row['metric'])}"


def _median_or_own(row: Mapping[str, Any]) -> float:
    return float(row["p_value"] if math.isnan(row["median_p"]) else row["median_p"])


def _p_values(comparisons: pd.DataFrame) -> Table:
    """Set the folds' p-values beside the printed ones, with who is ahead: a p-value has no direction of its own."""
    is_base = comparisons["is_base"].astype(bool)
    groups: dict[str, list[Row]] = {}
    for row in records(comparisons[comparisons["published"].notna() & (comparisons["fold"] == "all")]):
        same = comparisons[[*_PAIR]].eq([row[key] for key in _PAIR]).all(axis=1)
        folds = comparisons[same & is_base & (comparisons["fold"] != "all")]
        cells = (
            Cell(p_value(row["published"])),
            Cell(p_value(_median_or_own(row))),
            Cell(f"{p_value(folds['p_value'].min())} to {p_value(folds['p_value'].max())}" if len(folds) else "–"),
            *texts([_ahead(row, folds["difference"]), row["source"]]),
        )
        groups.setdefault(row["dataset"], []).append(Row(_pair_and_metric(row), cells))
    note = "A printed p-value rests on one split: beside it stand the median and the range of our folds' own p-values."
    columns = ("printed", "ours", "folds", "ahead in ours", "source")
    titled = tuple(Group(title, tuple(rows)) for title, rows in groups.items())
    return Table("published-p", "p-values, printed and ours", "What", columns, titled, (note,))


def _ahead(row: Mapping[str, Any], differences: pd.Series[float]) -> str:
    sign = improvement(str(row["metric"]))
    leader, turned = (row["system_a"], sign) if sign * row["difference"] >= 0 else (row["system_b"], -sign)
    n_agree = int((turned * differences > 0).sum())
    return f"{leader}, in {n_agree} of {len(differences)} folds" if len(differences) > 1 else str(leader)


def _published(key: str, caption: str, entries: Sequence[Printed], printed: Callable[[float], str], note: str) -> Table:
    has_spread = any(not math.isnan(entry.spread) for entry in entries)
    has_notes = any(entry.note for entry in entries)
    groups: dict[str, list[Row]] = {}
    for entry in entries:
        cells = (
            Cell(printed(entry.published)),
            Cell(score(entry.value, entry.spread, entry.n_folds) if entry.spread > 0 else printed(entry.value)),
            Cell(_signed(entry, printed)),
            Cell(_share(entry.value, entry.published)),
            *([Cell(spread_of(entry.value, entry.spread, entry.n_folds))] if has_spread else []),
            *texts([entry.source, *([entry.note] if has_notes else [])]),
        )
        groups.setdefault(entry.dataset, []).append(Row(entry.what, cells))
    spread = ["spread"] * has_spread
    columns = ("printed", "ours", "deviation", "in %", *spread, "source", *(["note"] if has_notes else []))
    return Table(key, caption, "What", columns, tuple(Group(title, tuple(rows)) for title, rows in groups.items()), (note,))


def _signed(entry: Printed, printed: Callable[[float], str]) -> str:
    """Print the deviation, with as many decimals as our value has."""
    deviation = entry.value - entry.published
    text = deviation_of(entry.value, deviation, entry.spread, entry.n_folds) if entry.spread > 0 else printed(deviation)
    return f"+{text}" if deviation > 0 else text


def _share(value: float, published: float) -> str:
    if published == 0 or math.isnan(value):
        return MISSING
    return f"{100 * (value / published - 1):+.1f}".replace("-", MINUS)
