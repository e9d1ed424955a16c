"""The tables of a study: scores with their p-values, comparisons, coverage, turned verdicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from recsens.config import Study
from recsens.ignored import ignored
from recsens.studies.counted import EFFECTIVE_USERS, counted_table, warnings_on, weigh_apart
from recsens.studies.datatables import dataset_table, filter_table
from recsens.studies.designset import DesignSet
from recsens.studies.judging import BESIDE, UNDECIDED, all_flips, judge
from recsens.studies.naming import (
    base_options,
    calibrated,
    change_in_words,
    change_of,
    improvement,
    in_order,
    measured,
    n_folds_of,
    option_in_words,
    ranks_systems,
    short,
    sweep_rows,
)
from recsens.studies.predictions import outside_the_scale
from recsens.studies.printed import MISSING, count, estimate, p_value, percentage, plus_minus, score
from recsens.studies.published import published_tables
from recsens.studies.results import Results, records
from recsens.studies.sweep import sweep
from recsens.studies.table import Cell, Group, Row, Table, slug, texts
from recsens.studies.taxonomy import COLUMNS, DECISIONS, Decision, decision
from recsens.studies.verdicts import interval_name, ranked

_MANY_SYSTEMS = 6
"""Beyond this number, systems are rows."""

MAX_DESIGNS = 30
"""Designs that a table shows; the CSV files hold all."""

MAX_FOLDS = 10
"""Folds whose own p-values a table shows."""

MAX_FLIPS = 60
"""Turned verdicts that a table shows; the CSV file holds all."""

_KINDS = {
    "contradicts": "Contradictions: the opposite winner",
    "undecides": "Significance lost",
    "decides": "Significance gained",
}

_ROBUSTNESS = (
    "An analysis is a design with a metric that ranks systems. Those with the same numbers, up to a constant factor, count "
    "once, and those with the base analysis's not at all: shares are of the distinct ones."
)

TIE = "tie"
"""Stands where there is no p-value of first and second, as several are first."""

_NAN = float("nan")

_Printer = Callable[[float], str]


def design_sets(study: Study, summary: pd.DataFrame) -> list[DesignSet]:
    """List what is shown together: the options of each varied decision, or every combination in a grid."""
    base = base_options(summary)
    if study.combine == "grid" and len(study.vary) > 1:
        found = _options_of(summary)
        labels = {change_in_words(change_of(dict(zip(COLUMNS, options, strict=True)), base)): options for options in found}
        return [DesignSet("grid", "in every combination", "Design", labels)]
    return [_varied(decision(key), summary, base) for key in study.vary if len(_swept(decision(key), summary)) > 1]


def result_table(
    study: Study,
    summary: pd.DataFrame,
    comparisons: pd.DataFrame,
    dataset: str,
    *,
    ranking: bool = True,
    predictions: pd.DataFrame | None = None,
) -> Table:
    """Show every system's scores on a data set under the base design, the best in bold, p-values beside them.

    ``ranking=False`` shows the metrics that only describe, without a best one and without p-values. A note tells of ``predictions``
    that are outside the scale.
    """
    rows = summary[(summary["dataset"] == dataset) & summary["is_base"]]
    tests = comparisons[(comparisons["dataset"] == dataset) & comparisons["is_base"] & (comparisons["fold"] == "all")]
    metrics = [str(metric) for metric in study.metrics if ranks_systems(str(metric)) == ranking]
    systems = list(study.systems)
    lines = tuple(Row(short(metric), _scores(systems, rows, tests, metric)) for metric in metrics)
    what = "scores under the base design" if ranking else "descriptive measures under the base design"
    table = Table(
        f"{'scores' if ranking else 'descriptive'}-{slug(dataset)}",
        f"{dataset}: {what}",
        "Metric",
        (*systems, *_p_header(systems, ranking=ranking)),
        (Group("", lines),) if lines else (),
        (
            *_score_notes(metrics, study, summary, {"": tests}, ranking=ranking),
            *_tie_note(lines),
            *_predictions_note(metrics, predictions, dataset),
        ),
    )
    return table.transposed("System") if lines and len(systems) > _MANY_SYSTEMS else table


def sweep_table(
    study: Study, shown: DesignSet, summary: pd.DataFrame, comparisons: pd.DataFrame, dataset: str, *, ranking: bool = True
) -> Table:
    """Show every system's scores on a data set under each design of a set, one group a metric."""
    metrics = [str(metric) for metric in study.metrics if ranks_systems(str(metric)) == ranking]
    systems = list(study.systems)
    pooled = comparisons[(comparisons["fold"] == "all") & (comparisons["dataset"] == dataset)]
    unmoved = set(map(str, ignored(study).get(shown.key, ()))) & set(metrics)
    scores_of = _by_design(summary[summary["dataset"] == dataset])
    tests_of = _by_design(pooled)
    groups = tuple(
        Group(
            f"{short(metric)}, which ignores {shown.key}" if metric in unmoved else short(metric),
            tuple(
                Row(label, _scores(systems, scores_of(options), tests_of(options), metric))
                for label, options in list(shown.designs.items())[:MAX_DESIGNS]
            ),
        )
        for metric in metrics
    )
    labelled = {label: tests_of(options) for label, options in list(shown.designs.items())[:MAX_DESIGNS]}
    table = Table(
        f"{shown.key}-{'scores' if ranking else 'descriptive'}-{slug(dataset)}",
        f"{dataset}: {'scores' if ranking else 'descriptive measures'} {shown.title}",
        shown.corner,
        (*systems, *_p_header(systems, ranking=ranking)),
        groups,
        (
            *_score_notes(metrics, study, summary, labelled, ranking=ranking),
            *_tie_note(row for group in groups for row in group.rows),
            *_ignored_note(unmoved, shown),
            *_cut_note(shown),
        ),
    )
    return table.transposed("System") if groups and len(systems) > _MANY_SYSTEMS else table


def comparison_table(study: Study, comparisons: pd.DataFrame, dataset: str) -> Table:
    """Show every pair of systems under the base design: difference, interval, effect size, p-values, each fold's own one."""
    rows = comparisons[(comparisons["dataset"] == dataset) & comparisons["is_base"]]
    folds = [fold for fold in in_order(rows["fold"]) if fold != "all"]
    folds = folds if len(folds) > 1 else []
    shown = folds if len(folds) <= MAX_FOLDS else []
    pooled = rows[rows["fold"] == "all"]
    columns = {
        "effect": ("d_z", score),
        "p_value": ("p", p_value),
        **({"p_adjusted": ("adjusted p", p_value)} if study.design.correction != "none" else {}),
        "users": ("users", count),
        **({"effective_users": ("effective users", count)} if weigh_apart(pooled, "users") else {}),
        **({"share_significant": ("share of samples", percentage)} if pooled["share_significant"].notna().any() else {}),
        **({"resampled_p": ("resampled p", p_value)} if pooled["resampled_p"].notna().any() else {}),
        **({"median_p": ("median p", p_value)} if folds else {}),
    }
    groups = []
    for metric in (str(metric) for metric in study.metrics):
        found: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
        for row in records(rows[rows["metric"] == metric]):
            found.setdefault((row["system_a"], row["system_b"]), {})[row["fold"]] = row
        lines = [_comparison(*pair, found[pair], columns, shown) for pair in study.pairs() if pair in found]
        groups.append(Group(short(metric), tuple(lines)))
    return Table(
        f"comparisons-{slug(dataset)}",
        f"{dataset}: systems compared under the base design",
        "Systems",
        ("difference", interval_name(study), *(header for header, _ in columns.values()), *shown),
        tuple(group for group in groups if group.rows),
        (*_comparison_notes(study, columns, n_hidden=len(folds) - len(shown)), *_hypotheses({"": pooled})),
    )


def coverage_table(study: Study, summary: pd.DataFrame, dataset: str, shown: DesignSet | None = None) -> Table:
    """Show who is averaged and covered, with full and reduced averages side by side.

    Under the base design one group a metric; of a set of designs one group a design, by the first metric.
    """
    rows = summary[summary["dataset"] == dataset]
    find, metrics = _by_design(rows), list(study.metrics)
    if shown is None:
        base = find(next(iter(_options_of(rows[rows["is_base"]])), ()))
        found = [(measured.short, base, str(measured)) for measured in metrics]
    else:
        designs = list(shown.designs.items())[:MAX_DESIGNS]
        found = [(label, find(options), str(metrics[0])) for label, options in designs]
    depth = f"Coverage@{metrics[0].cutoff}" if shown or len({metric.cutoff for metric in metrics}) == 1 else "Coverage@d"
    columns = _coverage_columns(pd.concat([rows.iloc[:0], *(chosen for _, chosen, _ in found)]), depth)
    groups = tuple(
        Group(title, tuple(_coverage(chosen[chosen["metric"] == metric], system, columns) for system in study.systems))
        for title, chosen, metric in found
    )
    by = f" by {shown.corner.lower()}, {metrics[0].short}" if shown else " under the base design"
    return Table(
        f"coverage-{shown.key if shown else 'base'}-{slug(dataset)}",
        f"{dataset}: coverage{by}",
        "System",
        (*columns.values(), "full average", "reduced average"),
        groups,
        tuple(filter(None, [*_coverage_notes(columns, depth), *_cut_note(shown), calibrated(study)])),
    )


def flip_table(study: Study, found: Sequence[Mapping[str, Any]]) -> Table:
    """Show the verdicts that a single change of one decision turns, contradictions first."""
    shown = found[:MAX_FLIPS]
    groups = [Group(title, tuple(_flip(row) for row in shown if row["kind"] == kind)) for kind, title in _KINDS.items()]
    notes = ["d_z: standardised effect size, first system minus second, before and after; p: after the change."]
    if any(row["verdict"] == UNDECIDED and row["p"] < study.alpha for row in shown):
        notes.append("Nobody wins where values are equal or differ the other way than the test says, whatever p is.")
    if any(row["also"] for row in shown):
        notes.append("Also: further changes with the same numbers, which count once.")
    if len(found) > len(shown):
        notes.append(f"Only the first {len(shown)} of {len(found)} are shown; flips.csv holds all.")
    notes += filter(None, [calibrated(study)])
    return Table(
        "flips",
        "Verdicts that a single change of one decision turns",
        "Systems",
        ("decision", "from", "to", "base verdict", "verdict", "d_z", "p"),
        tuple(group for group in groups if group.rows),
        tuple(notes),
    )


def robustness_table(found: Sequence[Mapping[str, Any]]) -> Table:
    """Show what all other analyses of each pair say beside its base verdict."""
    groups: dict[str, list[Row]] = {}
    for row in found:
        n = row["analyses"]
        if n:
            distinct = row["distinct"]
            shares = [f"({percentage(row[kind] / distinct)})" if distinct else "" for kind in BESIDE]
            cells = [Cell(f"{row[kind]:,}", extra=share) for kind, share in zip(BESIDE, shares, strict=True)]
            numbers = (Cell(f"{n:,}"), Cell(f"{distinct:,}"))
            line = Row(f"{row['system_a']} and {row['system_b']}", (*texts([row["base_verdict"]]), *numbers, *cells))
            groups.setdefault(row["dataset"], []).append(line)
    return Table(
        "robustness",
        "All analyses beside the base verdict",
        "Systems",
        ("base verdict", "other analyses", "distinct", "agree", "opposite winner", "significance lost", "significance gained"),
        tuple(Group(dataset, tuple(rows)) for dataset, rows in groups.items()),
        (_ROBUSTNESS,),
    )


def copies_table(found: Sequence[Mapping[str, Any]]) -> Table:
    """Show which analyses have the numbers of which other ones."""
    groups: dict[str, list[Row]] = {}
    for row in found:
        groups.setdefault(row["dataset"], []).append(Row(row["analysis"], (*texts([row["same_as"]]), Cell(f"{row['pairs']:,}"))))
    return Table(
        "copies",
        "Analyses with the same numbers, up to a constant factor, under another name",
        "Analysis",
        ("the same numbers as", "pairs of systems"),
        tuple(Group(dataset, tuple(rows)) for dataset, rows in groups.items()),
        ("The users compared, their differences up to a constant factor, their weights and what the test says are the same.",),
    )


def paper_tables(study: Study, results: Results) -> list[Table]:
    """List every table that a paper may want, in the order of the report."""
    judgements = [judge(part, results.summary, results.comparisons) for part in study.parts()]
    tables = [
        flip_table(study, all_flips(judgements)),
        robustness_table([row for found in judgements for row in found.robustness()]),
        copies_table([row for found in judgements for row in found.copied()]),
        dataset_table(study, results.datasets),
        filter_table(results.datasets),
    ]
    for part in study.parts():
        tables += _part_tables(part, results.of(part))
    tables += published_tables(study, results)
    return [table for table in tables if not table.is_empty]


def _part_tables(part: Study, results: Results) -> list[Table]:
    summary, comparisons = results.summary, results.comparisons
    sets, tables = design_sets(part, summary), []
    for dataset in part.datasets:
        for ranking in (True, False):
            scores = result_table(part, summary, comparisons, dataset, ranking=ranking, predictions=results.predictions)
            tables.append(scores.noted(*warnings_on(results.counted, dataset, base_only=True)))
            for shown in sets:
                swept = sweep_table(part, shown, summary, comparisons, dataset, ranking=ranking)
                tables.append(swept.noted(*warnings_on(results.counted, dataset, shown)))
        tables += [counted_table(results.counted, dataset, shown) for shown in (None, *sets)]
        tables += [comparison_table(part, comparisons, dataset), coverage_table(part, summary, dataset)]
    return tables


def _varied(varied: Decision, summary: pd.DataFrame, base: Mapping[str, str]) -> DesignSet:
    options = sweep(varied, _swept(varied, summary), base[varied.column]).options
    designs = {
        f"{option.label} (base)" if option.is_base else option.label: tuple(
            option.text if column == varied.column else base[column] for column in COLUMNS
        )
        for option in options
    }
    return DesignSet(varied.key, f"by {varied.name.lower()}", varied.name, designs)


def _swept(varied: Decision, summary: pd.DataFrame) -> list[str]:
    return in_order(sweep_rows(summary, varied)[varied.column])


def _options_of(rows: pd.DataFrame) -> list[tuple[str, ...]]:
    return list(dict.fromkeys(rows[list(COLUMNS)].itertuples(index=False, name=None)))


def _by_design(rows: pd.DataFrame) -> Callable[[tuple[str, ...]], pd.DataFrame]:
    groups = dict(iter(rows.groupby(list(COLUMNS), sort=False)))
    return lambda options: groups.get(options, rows.iloc[:0])


def _scores(systems: Sequence[str], rows: pd.DataFrame, tests: pd.DataFrame, metric: str) -> tuple[Cell, ...]:
    chosen = rows[rows["metric"] == metric]
    found = {row["system"]: row for row in records(chosen)}
    values = {system: row["value"] for system, row in found.items()}
    places = ranked(values, improvement(metric)) if ranks_systems(metric) else []
    best = places[0] if sum(map(len, places)) > 1 else []
    cells = [_score(found[system], is_best=system in best) if system in found else Cell(MISSING) for system in systems]
    if len(systems) > 1 and ranks_systems(metric):
        cells.append(Cell(_p_of_first(places, tests[tests["metric"] == metric])))
    return tuple(cells)


def _score(row: Mapping[str, Any], *, is_best: bool) -> Cell:
    numbers = row["value"], row["spread"], n_folds_of(row["split"], row["repeats"])
    return Cell(score(*numbers), is_best=is_best, extra=plus_minus(*numbers))


def _p_of_first(places: Sequence[Sequence[str]], tests: pd.DataFrame) -> str:
    """Print the p-value of the best system and the second best, the largest where several are second; no p-value of a tie."""
    if not places or len(places[0]) > 1:
        return TIE if places else MISSING
    second = places[1] if len(places) > 1 else []
    pairs = [{places[0][0], system} for system in second]
    found = [float(row["p_adjusted"]) for row in records(tests) if {row["system_a"], row["system_b"]} in pairs]
    known = [p for p in found if not math.isnan(p)]
    return p_value(max(known, default=_NAN))


def _p_header(systems: Sequence[str], *, ranking: bool) -> tuple[str, ...]:
    if len(systems) < 2 or not ranking:
        return ()
    return ("p",) if len(systems) == 2 else ("p, 1st and 2nd",)


def _score_notes(
    metrics: Sequence[str], study: Study, summary: pd.DataFrame, tests: Mapping[str, pd.DataFrame], *, ranking: bool
) -> tuple[str, ...]:
    systems, notes = study.systems, []
    if len(systems) > 1 and ranking:
        notes.append("Bold: the best system.")
    if len(systems) > 2 and ranking:
        notes.append("p: of the best and the second best; where several are second best, the largest.")
    if len(systems) > 1 and ranking:
        notes += _hypotheses({label: rows[rows["metric"].isin(metrics)] for label, rows in tests.items()})
    if summary["spread"].notna().any():
        notes.append("±: sample standard deviation over folds.")
    longer = [f"{short(metric)} is {metric}." for metric in metrics if short(metric) != metric]
    lower = [short(metric) for metric in metrics if ranking and not measured(metric).metric.higher_is_better]
    return tuple(filter(None, [*notes, *longer, f"Lower is better: {', '.join(lower)}." if lower else "", calibrated(study)]))


def _predictions_note(metrics: Sequence[str], predictions: pd.DataFrame | None, dataset: str) -> list[str]:
    reads_them = any(measured(metric).metric.reads == "predictions" for metric in metrics)
    note = outside_the_scale(predictions, dataset) if reads_them and predictions is not None else ""
    return [note] if note else []


def _hypotheses(tests: Mapping[str, pd.DataFrame]) -> list[str]:
    """Say which null hypothesis p-values are of; where it differs, under which of the designs, by their labels."""
    found: dict[str, list[str]] = {}
    for label, rows in tests.items():
        for hypothesis in in_order(rows[rows["p_value"].notna()]["hypothesis"]):
            found.setdefault(hypothesis, []).append(label)
    where = [f"Under {', '.join(labels)}, p" if len(found) > 1 else "p" for labels in found.values()]
    return [f"{lead} is of the hypothesis that {hypothesis}." for hypothesis, lead in zip(found, where, strict=True)]


def _tie_note(rows: Iterable[Row]) -> list[str]:
    is_tied = any(cell.text == TIE for row in rows for cell in row.cells)
    return [f"{TIE.capitalize()}: several systems have the best value, so that there is no first and second."] * is_tied


def _ignored_note(unmoved: Collection[str], shown: DesignSet) -> list[str]:
    if not unmoved:
        return []
    return [f"Metrics that ignore {shown.key} have the same numbers by definition, which say nothing about it."]


def _comparison(
    a: str, b: str, by_fold: Mapping[str, Mapping[str, Any]], columns: Mapping[str, tuple[str, _Printer]], folds: Sequence[str]
) -> Row:
    main = by_fold["all"]
    difference, low, high = estimate(main["difference"], main["low"], main["high"])
    interval = MISSING if math.isnan(main["low"]) else f"{low} to {high}"
    own = [Cell(p_value(by_fold[fold]["p_value"] if fold in by_fold else _NAN)) for fold in folds]
    rest = [Cell(printed(main[column])) for column, (_, printed) in columns.items()]
    return Row(f"{a} and {b}", (Cell(difference), Cell(interval), *rest, *own))


def _comparison_notes(study: Study, columns: Mapping[str, object], *, n_hidden: int) -> Iterator[str]:
    yield "Difference: first system minus second, each user averaged over folds; d_z: its mean over the users' standard deviation."
    if "p_adjusted" in columns:
        yield f"Verdicts rest on the adjusted p ({study.design.correction}, over the pairs by one metric)."
    if "effective_users" in columns:
        yield EFFECTIVE_USERS
    if "share_significant" in columns:
        yield "Share of samples: how many of the subsamples of users the test draws have p below its α."
    if "resampled_p" in columns:
        yield "Resampled p: t-test over the folds, corrected for train sets that overlap; it speaks of other splits too."
    if n_hidden:
        yield f"Median p: of the {n_hidden} folds' own, which comparisons.csv holds."
    elif "median_p" in columns:
        yield "Each fold's own p and their median stand beside it: the spread is what one split alone would have shown."
    if found := calibrated(study):
        yield found


def _coverage_notes(columns: Mapping[str, str], depth: str) -> Iterator[str]:
    if "user_coverage" in columns:
        yield "User coverage: of the users with something to rank, how many have a ranking."
    if "rating_coverage" in columns:
        yield "Ratings ranked: of the relevant ratings, each with a ranking of its own, how many have their item ranked."
    yield f"{depth}: the share of the first places of these rankings that is filled."
    if "effective_users" in columns:
        yield EFFECTIVE_USERS
    if depth.endswith("@d"):
        yield "d is the cut-off of the metric."
    yield "Full and reduced: arithmetic means, averaged over folds, with users without a ranking as zero and without them."
    if "user_coverage" in columns:
        yield "Where every user counts the same and has something to rank, full = user coverage × reduced on each fold."


def _coverage_columns(rows: pd.DataFrame, depth: str) -> dict[str, str]:
    """Name the columns that some row has: effective users where users weigh differently, coverage of users or of ratings."""
    by_rating = rows["rating_coverage"].notna()
    shown = {
        "n_users": ("users averaged", True),
        "effective_users": ("effective users", weigh_apart(rows, "n_users")),
        "user_coverage": ("user coverage", not by_rating.all() or rows.empty),
        "rating_coverage": ("ratings ranked", by_rating.any()),
        "coverage_at_cutoff": (depth, True),
    }
    return {column: header for column, (header, said) in shown.items() if said}


def _coverage(rows: pd.DataFrame, system: str, columns: Iterable[str]) -> Row:
    row = next(iter(records(rows[rows["system"] == system])), {})
    counts = {"n_users", "effective_users"}
    shares = [Cell((count if column in counts else percentage)(row.get(column, _NAN))) for column in columns]
    folds = n_folds_of(row["split"], row["repeats"]) if row else math.inf
    means = [Cell(score(row.get(column, _NAN), row.get("spread", _NAN), folds)) for column in ("full", "reduced")]
    return Row(system, (*shares, *means))


def _flip(row: Mapping[str, Any]) -> Row:
    varied = next((found for found in DECISIONS if found.name == row["decision"]), None)
    before, after = [option_in_words(varied, row[side]) if varied else row[side] for side in ("from", "to")]
    changed = [*texts([f"{row['code']} {row['decision']}", before]), Cell(after, extra=_also(row), is_text=True)]
    effects = f"{score(row['base_effect'])} to {score(row['effect'])}"
    label = f"{row['dataset']}: {row['system_a']} and {row['system_b']}"
    return Row(label, (*changed, *texts([row["base_verdict"], row["verdict"]]), Cell(effects), Cell(p_value(row["p"]))))


def _also(row: Mapping[str, Any]) -> str:
    return f"(also {row['also']})" if row["also"] else ""


def _cut_note(shown: DesignSet | None) -> list[str]:
    n = len(shown.designs) if shown else 0
    return [f"Only the first {MAX_DESIGNS} of {n} designs are shown; summary.csv holds all."] if n > MAX_DESIGNS else []
