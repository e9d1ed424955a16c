"""The users who are averaged and those whom systems cover, and the overlap of systems' lists."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from recsens.arrays import in_order
from recsens.conclusions.design_space import DesignSpace, change_in_words
from recsens.conclusions.verdicts.study_tables import records
from recsens.metrics import MeasuredAt
from recsens.report.sentences.counts import EFFECTIVE_USERS, percentiles, weigh_apart
from recsens.report.system_remarks import calibrated
from recsens.study import Experiment
from recsens.study.ignored import ignored
from recsens.study.taxonomy import FULL_COLUMNS, decision
from recsens.tables.cells import count_cell, score_cell, share_cell
from recsens.tables.numbers import percentage, span
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug

MAX_DESIGNS = 30
"""Largest number of designs that a table shows; the CSV files have all designs."""


@dataclass(frozen=True)
class DesignSet:
    """Designs shown together.

    Attributes
    ----------
    key, title
        A short name, and the words that follow ‘scores’ in a caption.
    corner
        The header of the labels.
    designs
        Each design's option for every decision in full, in the order of the columns, by the design's label. The label of the base
        design has a mark.
    ignored_by
        The metrics that ignore the varied decision.
    """

    key: str
    title: str
    corner: str
    designs: Mapping[str, tuple[str, ...]]
    ignored_by: Sequence[MeasuredAt] = ()


def design_sets(study: Experiment, summary: pd.DataFrame) -> list[DesignSet]:
    """List the designs shown together: the options of each varied decision, or every combination in a grid."""
    space = DesignSpace(summary)
    if study.combine == "grid" and len(study.vary) > 1:
        rows = records(summary.drop_duplicates(list(FULL_COLUMNS)))
        labels = {change_in_words(space.change(row)): tuple(row[column] for column in FULL_COLUMNS) for row in rows}
        return [DesignSet("grid", "in every combination", "Design", labels)]
    ignoring, listed = ignored(study), []
    for varied in map(decision, study.vary):
        along = space.along(varied)
        in_full = dict(zip(along.rows[varied.column], along.rows[varied.full_column], strict=True))
        designs = {
            f"{option.text} (base)" if option.is_base else option.text: tuple(
                in_full[option.text] if column == varied.full_column else space.base[column] for column in FULL_COLUMNS
            )
            for option in along.sweep(varied).options
        }
        if len(designs) > 1:
            listed.append(DesignSet(varied.key, f"by {varied.name.lower()}", varied.name, designs, ignoring.get(varied.key, ())))
    return listed


def cut_note(shown: DesignSet | None) -> list[str]:
    """Say that a table shows only the first designs of a set; empty if it shows all designs."""
    n = len(shown.designs) if shown else 0
    return [f"Only the first {MAX_DESIGNS} of {n} designs are shown; summary.csv lists all designs."] if n > MAX_DESIGNS else []


MAX_FOLDS = 10
"""Largest number of folds that a table shows one by one; the CSV file has all folds."""

_COUNTED_NOTE = (
    "Only users with a relevant test rating can score above zero on most metrics; the definition of each metric says what value "
    "other users get. Lost: the test ratings of users who are not averaged."
)


def counted_table(counted: pd.DataFrame, dataset: str, shown: DesignSet | None = None) -> Table:
    """Show which users are averaged on a data set: fold by fold under the base design, or under each design in a set.

    If a number differs between folds, the table has its range. The table of a set is empty if all designs of the set count the same
    users.
    """
    rows = counted[counted["dataset"] == dataset]
    if shown is None:
        rows_by_label, key, title, corner = _rows_by_fold(rows[rows["is_base"]]), "base", "under the base design", "Fold"
    else:
        space = DesignSpace(rows)
        rows_by_label = {label: space.rows_of(options) for label, options in shown.designs.items() if options in space.designs}
        key, title, corner = shown.key, shown.title, shown.corner
    cut = len(rows_by_label) > MAX_DESIGNS
    rows_by_label = dict(list(rows_by_label.items())[:MAX_DESIGNS])
    every = pd.concat([rows.iloc[:0], *rows_by_label.values()])
    columns = _counted_columns(every)
    lines = tuple(Row(label, tuple(_counted_cell(chosen, column) for column in columns)) for label, chosen in rows_by_label.items())
    alike = shown is not None and len({tuple(cell.numbers for cell in line.cells) for line in lines}) == 1
    notes = [_COUNTED_NOTE]
    if "effective_users" in columns:
        notes.append(EFFECTIVE_USERS)
    notes += [
        f"{label}: {sentence}" if shown else sentence for label, chosen in rows_by_label.items() for sentence in percentiles(chosen)
    ]
    if cut:
        notes.append(f"Only the first {MAX_DESIGNS} rows are shown; counted.csv lists all rows.")
    key, caption = f"counted-{key}-{slug(dataset)}", f"{dataset}: who is averaged {title}"
    groups = () if alike or not lines else (RowGroup("", lines),)
    return Table(key, caption, corner, tuple(columns.values()), groups, tuple(in_order(notes)))


def _rows_by_fold(rows: pd.DataFrame) -> Mapping[str, pd.DataFrame]:
    folds = in_order(rows["fold"])
    if len(folds) > MAX_FOLDS:
        return {f"all {len(folds)} folds": rows}
    named = [row["fold"] if row["systems"] == "all" else f"{row['fold']}, {row['systems']}" for row in records(rows)]
    return {label: rows.iloc[[index]] for index, label in enumerate(named)}


def _counted_columns(rows: pd.DataFrame) -> dict[str, str]:
    """Name the columns; effective users are included only if weights differ, and rankings only if each rating has its own."""
    headers = {
        "averaged": ("users averaged", True),
        "with_test": ("with test ratings", True),
        "with_relevant": ("with relevant test ratings", True),
        "effective_users": ("effective users", weigh_apart(rows, "averaged")),
        "rankings": ("rankings", rows["rankings"].notna().any()),
        "test_ratings": ("test ratings", True),
        "lost_ratings": ("lost", True),
    }
    return {name: header for name, (header, said) in headers.items() if said}


def _counted_cell(rows: pd.DataFrame, column: str) -> TableCell:
    ends = (float(rows[column].min()), float(rows[column].max()))
    cell = TableCell(span(rows[column]), numbers=tuple(dict.fromkeys(ends)))
    if column == "lost_ratings" and (test := rows["test_ratings"].sum()):
        return replace(cell, extra=f"({percentage(rows[column].sum() / test)})")
    return cell


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
    groups = tuple(RowGroup(title, _coverage_rows(chosen, metric, study.systems, columns)) for title, chosen, metric in shown_rows)
    by = f" by {design_set.corner.lower()}, {metrics[0].written}" if design_set else " under the base design"
    headers = (*columns.values(), "full average", "reduced average")
    notes = tuple(filter(None, [*_coverage_notes(columns, depth), *cut_note(design_set), calibrated(study)]))
    key = f"coverage-{design_set.key if design_set else 'base'}-{slug(dataset)}"
    return Table(key, f"{dataset}: coverage{by}", "System", headers, groups, notes)


def _coverage_notes(columns: Mapping[str, str], depth: str) -> Iterator[str]:
    if "scored" in columns:
        yield "Items scored: of these users' target items, the share that the system itself scores."
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
        "scored": ("items scored", (rows["scored"] < 1).any()),
        "user_coverage": ("user coverage", not by_rating.all() or rows.empty),
        "rating_coverage": ("ratings ranked", by_rating.any()),
        "coverage_at_cutoff": (depth, True),
    }
    return {column: header for column, (header, said) in headers.items() if said}


def _coverage_rows(rows: pd.DataFrame, metric: str, systems: Iterable[str], columns: Collection[str]) -> tuple[Row, ...]:
    own = rows.loc[rows["metric_full"] == metric, ["system", "metric", "full", "reduced", "spread", "n_folds", *columns]]
    row_of = {row["system"]: row for row in records(own)}
    return tuple(_coverage_row(system, row_of.get(system, {}), columns) for system in systems)


def _coverage_row(system: str, row: Mapping[str, Any], columns: Iterable[str]) -> Row:
    counts = {"n_users", "effective_users"}
    shares = [(count_cell if column in counts else share_cell)(row.get(column, math.nan)) for column in columns]
    spread, folds, metric = row.get("spread", math.nan), row.get("n_folds", 0), row.get("metric", "")
    means = [score_cell(row.get(column, math.nan), spread, folds, of=metric) for column in ("full", "reduced")]
    return Row(system, (*shares, *(replace(mean, extra="") for mean in means)))


_OVERLAP_NOTE = (
    "Shared: the number of items within the cut-off that both lists contain, divided by the cut-off, or by the length of the "
    "longer list if both lists end before the cut-off. RBO (extrapolated, φ = .9) gives more weight to the top. Values are means "
    "over the users "
    "with a list from both systems, then over folds. The overlaps always use full rankings of all users, even if the study uses "
    "condensed rankings or averages only some users."
)


def overlap_tables(overlaps: pd.DataFrame) -> list[Table]:
    """Show the overlap of each pair's lists in one table per data set or experiment; there is no table under 1R."""
    return [_overlap_table(label, overlaps[overlaps["dataset"] == label]) for label in in_order(overlaps["dataset"])]


def _overlap_table(label: str, rows: pd.DataFrame) -> Table:
    cutoffs = sorted(set(rows["cutoff"].astype(int)))
    lines = []
    means_of = rows.groupby(["system_a", "system_b", "cutoff"])[["overlap", "rbo", "n_users"]].mean().to_dict()
    for a, b in dict.fromkeys(zip(rows["system_a"], rows["system_b"], strict=True)):
        shown = [score_cell(means_of[name][a, b, n], of=name) for name in ("overlap", "rbo") for n in cutoffs]
        lines.append(Row(f"{a} and {b}", (*shown, count_cell(means_of["n_users"][a, b, cutoffs[0]]))))
    columns = (*(f"shared@{n}" for n in cutoffs), *(f"RBO@{n}" for n in cutoffs), "users")
    key, caption = f"overlap-{slug(label)}", f"{label}: overlap of lists under the base design"
    return Table(key, caption, "Systems", columns, (RowGroup("", tuple(lines)),), (_OVERLAP_NOTE,))
