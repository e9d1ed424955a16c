"""The report: one page with everything that a reader needs to judge a study; it opens without a network."""

import base64
import math
import os
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd

from recsens.arrays import grouped, in_order
from recsens.artefacts.storage import read_bytes
from recsens.conclusions.design_space import DesignSpace, ranking_folder
from recsens.conclusions.scorecard import scorecard_lines
from recsens.conclusions.verdicts.best import Standings, base_standings, order_systems
from recsens.conclusions.verdicts.components import designs_of, direction, folds_in_words, ranks_systems, splits_in_words
from recsens.conclusions.verdicts.influence import influences
from recsens.conclusions.verdicts.pairs import PairVerdicts, changed_verdicts, experiment_verdicts
from recsens.conclusions.verdicts.study_tables import Results, empty_table, records
from recsens.report.alerts import alerts, moved_by_ties
from recsens.report.explorer import explorer, why_no_explorer
from recsens.report.figures import caption_of_scorecard
from recsens.report.frame import Frame
from recsens.report.glance import glances
from recsens.report.html.templates import templates
from recsens.report.metric_order import all_metric_orders, metric_ranking, metrics_judged
from recsens.report.sections import experiment_section, metric_definitions, page_figure, system_definitions, varied_decisions
from recsens.report.sentences.answers import FirstScreen
from recsens.report.sentences.best import base_sentences
from recsens.report.sentences.contradictions import contradictions
from recsens.report.sentences.counts import base_counts, counted_as_zero
from recsens.report.sentences.evidence import holm_sentence, interval_name, over_splits, p_values_disagree, value_difference
from recsens.report.sentences.groups import contrary_sentences
from recsens.report.sentences.headline import headline, said_together, ways_to_another_verdict
from recsens.report.sentences.meaning import base_design_is, meaning
from recsens.report.sentences.turning import what_would_turn
from recsens.report.sentences.unrated import summary_lines
from recsens.report.settings.decisions import Setting
from recsens.report.settings.paragraph import lowest_relevant, methods_paragraph
from recsens.report.settings.statement import statement
from recsens.report.system_remarks import calibrated, unpromised, untuned_sentence, untuned_systems
from recsens.report.tables.costs import PAGE
from recsens.report.tables.coverage import overlap_tables
from recsens.report.tables.datasets import dataset_table, filter_table, split_table, target_table
from recsens.report.tables.of_dataset import MAX_ROWS, TablesOfDataset, shorten_tables, tables_by_dataset
from recsens.report.tables.published import agreement_with_print, published_tables
from recsens.report.tables.scorecard import scorecard_sentences, scorecard_tables
from recsens.report.tables.tuning import leaders_at_edges, tuning_tables
from recsens.report.tables.verdicts import (
    changed_table,
    claim_table,
    copies_table,
    in_short,
    influence_table,
    joint_table,
    robustness_table,
)
from recsens.study import Decisions, Study
from recsens.study.design import Design
from recsens.study.taxonomy import DECISIONS
from recsens.tables.numbers import MISSING, estimate, p_not_below, p_value, plus_minus, score
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug

MAX_SYSTEMS = 10
"""Largest number of systems in the table at the top of a page; the tables of results have all systems."""

MAX_METRICS = 6


def leader_tables(
    verdicts: PairVerdicts, summary: pd.DataFrame, ties: pd.DataFrame | None = None, counted: pd.DataFrame | None = None
) -> list[Table]:
    """Show the best systems on each of an experiment's data sets, by the first metric that ranks systems."""
    by_dataset = grouped((standings.dataset, standings) for standings in base_standings(verdicts, summary))
    base = summary[summary["is_base"]]
    ties, counted = empty_table("ties") if ties is None else ties, empty_table("counted") if counted is None else counted
    return [
        _leader_table(verdicts, by_metric, base[base["dataset"] == dataset], moved_by_ties(dataset, base, ties), counted)
        for dataset, by_metric in by_dataset.items()
    ]


def _leader_table(
    verdicts: PairVerdicts, standings: Sequence[Standings], summary: pd.DataFrame, moved: str, counted: pd.DataFrame
) -> Table:
    first, columns = standings[0], standings[:MAX_METRICS]
    order = [system for alike in order_systems(first.scores, direction(first.metric)) for system in alike]
    order += [system for system in first.scores if system not in order]
    rows = {(row["system"], row["metric_full"]): row for row in records(summary)}
    best = {standing.metric: order_systems(standing.scores, direction(standing.metric))[0] for standing in columns}
    lines = []
    for system in order[:MAX_SYSTEMS]:
        values = [_value_cell(rows.get((system, each.metric)), is_best=system in best[each.metric]) for each in columns]
        lines.append(Row(system, (*values, *(_difference_cells(first, system, verdicts.part.alpha) if first.duels else ()))))
    over = counted_as_zero(verdicts.part, first, counted)
    behind = (f"gap to {first.leader} ({first.written})", interval_name(verdicts.part), "p") if first.duels else ()
    notes = [*_leader_notes(summary, len(order), len(standings), moved), *([f"{first.written}: averages{over}."] if over else [])]
    caption = f"{first.dataset}: scores under the base design, best on {first.written} first"
    headers, groups = (*(standing.written for standing in columns), *behind), (RowGroup("", tuple(lines)),)
    return Table(f"leaders-{slug(first.dataset)}", caption, "System", headers, groups, tuple(notes))


def _value_cell(row: Mapping[str, Any] | None, *, is_best: bool) -> TableCell:
    if row is None:
        return TableCell(MISSING)
    numbers = row["value"], row["spread"], row["n_folds"]
    return TableCell(score(*numbers), is_best=is_best, extra=plus_minus(*numbers))


def _difference_cells(first: Standings, system: str, alpha: float) -> tuple[TableCell, ...]:
    """Print the difference over users in favour of the best system, with its interval and p-value."""
    if system == first.leader:
        return (TableCell(MISSING), TableCell(MISSING), TableCell(MISSING))
    duel = first.duels.get((first.leader, system))
    if duel is None:
        return (TableCell("not compared"), TableCell(MISSING), TableCell(MISSING))
    difference, low, high = estimate(duel.difference, duel.low, duel.high)
    interval = MISSING if math.isnan(duel.low) else f"{low} to {high}"
    of_values = value_difference(duel.difference, duel.value_difference, duel.low, duel.high)
    uncorrected = "" if duel.correction == "none" else ", uncorrected"
    tested = f"({p_value(duel.resampled_p)} over splits, {splits_in_words(duel.n_splits)}{uncorrected})"
    over = tested if p_values_disagree(duel.p_value, duel.resampled_p, alpha) else ""
    behind = TableCell(difference, extra=f"({of_values} by values)" if of_values else "")
    return (behind, TableCell(interval), TableCell(p_value(duel.p_value), extra=over))


def _leader_notes(summary: pd.DataFrame, n_systems: int, n_metrics: int, moved: str) -> list[str]:
    notes = ["Bold: the best system on each metric."]
    if summary["spread"].notna().any():
        notes.append(f"±: sample standard deviation over {folds_in_words(designs_of(summary))}.")
    if n_systems > MAX_SYSTEMS:
        notes.append(f"Only the first {MAX_SYSTEMS} of {n_systems} systems are shown; summary.csv lists all systems.")
    if n_metrics > MAX_METRICS:
        notes.append(f"Only the first {MAX_METRICS} of {n_metrics} metrics are shown; summary.csv lists all metrics.")
    if moved:
        notes.append(f"Values depend on how items with equal scores are ordered: {moved}.")
    return notes


MAX_EMBEDDED = 64 * 1024
"""Files up to this size, in bytes, are embedded in the page."""

_TYPES = {
    ".csv": "text/csv",
    ".tex": "text/x-tex",
    ".md": "text/markdown",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".pdf": "application/pdf",
}


@dataclass(frozen=True, slots=True)
class Download:
    """A file to download: its name and its link."""

    name: str
    href: str


def download(path: str | Path, page: str | Path) -> Download:
    """Return a page's link to a file of results: a small file is embedded, and any other file is linked by its relative path."""
    path = Path(path)
    if path.stat().st_size <= MAX_EMBEDDED:
        content = base64.b64encode(read_bytes(path)).decode()
        return Download(path.name, f"data:{_TYPES.get(path.suffix, 'application/octet-stream')};base64,{content}")
    return Download(path.name, Path(os.path.relpath(path, Path(page).parent)).as_posix())


SCORECARD = "truth"
"""File name of the figure."""


def scorecard_section(study: Study, results: Results, figures: Mapping[str, str]) -> dict[str, Any]:
    """Collect the content of the section that compares designs with the truth; empty in a study without a reference."""
    if results.truth.empty:
        return {}
    judged = scorecard_lines(results.truth, DesignSpace(results.of(study.own).summary))
    title = "Analyses by how close they come to the truth"
    picture = page_figure(SCORECARD, title, figures[SCORECARD], caption_of_scorecard(judged)) if SCORECARD in figures else None
    return {"sentences": scorecard_sentences(judged), "picture": picture, "tables": shorten_tables(scorecard_tables(judged))}


def divide_settings(study: Study, settings: Sequence[Setting]) -> tuple[list[Setting], list[Setting]]:
    """Divide a report's settings into decisions that the study changes or varies, and decisions that keep their defaults.

    A default that the study file writes out is a default too, because the results are the same. The lines about special cases of
    metrics, and about the root seed, count as defaults.
    """
    changed = {key for key in Decisions.model_fields if getattr(study.design, key) != getattr(Decisions(), key)}
    kept = {each.name for each in DECISIONS if each.key not in {*changed, *study.vary}}
    special = {line.name for line in settings} - {each.name for each in DECISIONS} - _WRITTEN
    is_default = [line.name in kept or (line.name in special and not line.name.startswith("Data set ")) for line in settings]
    own = [line for line, default in zip(settings, is_default, strict=True) if not default]
    return own, [line for line, default in zip(settings, is_default, strict=True) if default]


_WRITTEN = {"Systems", "Metrics", "Pairs compared", "Threshold of significance"}
"""Lines of a statement that count as the study's own, because they have no default or because the verdicts depend on them."""


_PACKAGES = (
    "recsens", "numpy", "scipy", "numba", "implicit", "scikit-learn", "pandas", "pyarrow", "matplotlib", "pydantic", "snakemake",
    "torch",
)  # fmt: skip


def versions() -> list[tuple[str, str]]:
    """List Python and all packages whose versions may change a result, with their versions."""
    listed = [("Python", platform.python_version())]
    for package in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            listed.append((package, metadata.version(package)))
    return listed


def render(
    study: Study,
    results: Results,
    *,
    name: str,
    designs: Mapping[str, Design],
    figures: Mapping[str, str],
    downloads: Sequence[Download] = (),
    of_datasets: Mapping[str, TablesOfDataset] | None = None,
    frame: Frame | None = None,
) -> str:
    """Write a study's report as one HTML page.

    Parameters
    ----------
    study, results
        The study, and its results.
    name
        The study's name.
    designs
        The base design on each data set, by the data set's label.
    figures
        The SVG text of each figure, by its file name.
    downloads
        Files that the page offers for download.
    of_datasets
        The tables of each data set, if they were made before.
    frame
        The text of an audit around the content; None for a study.
    """
    own = study.own
    thresholds = lowest_relevant(own, results.datasets)
    settings = statement(designs, systems=own.systems, metrics=own.metrics, thresholds=thresholds, comparing=own)
    labels = in_order(results.splits["dataset"])
    orders = all_metric_orders(study, results.findings)
    digests = dict.fromkeys(zip(results.datasets["dataset"], results.datasets["digest"], strict=True))
    own_tables = of_datasets or tables_by_dataset(study, results)
    return (
        templates()
        .get_template("sections_in_order.html.jinja")
        .render(
            study=study,
            name=name,
            frame=frame,
            settings=dict(zip(("own", "default"), divide_settings(study, settings), strict=True)),
            paragraph=methods_paragraph(study, designs, results.datasets),
            addresses={label: ranking_folder(design) for label, design in designs.items()},
            varied=varied_decisions(own, results.of(own).summary),
            dataset_table=dataset_table(study, results.datasets),
            filter_table=filter_table(results.datasets),
            digests=[pair for pair in digests if pair[1]],
            metrics=metric_definitions(study),
            systems=system_definitions(study, designs),
            versions=versions(),
            downloads=downloads,
            costs=PAGE,
            agreement=agreement_with_print(results.summary),
            calibrated=calibrated(*study.all_experiments()),
            base_design_is=base_design_is(study),
            published=published_tables(study, results),
            believed=scorecard_section(study, results, figures),
            metrics_judged=metrics_judged(orders, named=len({order.dataset for order in orders}) > 1),
            metric_rankings=shorten_tables([metric_ranking(orders)]) if orders else [],
            tuning=shorten_tables(tuning_tables(results.tuning)),
            overlap=shorten_tables(overlap_tables(results.overlap)),
            splits=shorten_tables(split_table(results.splits, dataset) for dataset in labels),
            targets=shorten_tables(target_table(results.splits, dataset) for dataset in labels),
            parts=[experiment_section(part, study, results.of(part), figures, own_tables) for part in study.all_experiments()],
            **_verdict_content(study, results, designs, counts=frame is None),
        )
    )


def _verdict_content(study: Study, results: Results, designs: Mapping[str, Design], *, counts: bool) -> dict[str, Any]:
    judgements = experiment_verdicts(study, results.verdicts, results.effort)
    bests = [sentence for verdicts in judgements for sentence in base_sentences(verdicts, results.summary)]
    edges = leaders_at_edges(judgements, results.summary, results.tuning)
    return {
        "not_below": p_not_below(study.alpha),
        "turning": what_would_turn(study, judgements, results) if counts else [],
        "over_unrated": summary_lines(study.all_experiments(), results),
        "in_groups": [said for part in study.all_experiments() for said in contrary_sentences(part, results)],
        "over_splits": over_splits(judgements),
        "over_all": holm_sentence(judgements),
        "first": FirstScreen.of(study, judgements, results, counts=counts),
        "untuned": untuned_systems(*study.all_experiments()),
        "untuned_means": " ".join(filter(None, [untuned_sentence(*study.all_experiments()), *edges])),
        "unpromised": unpromised(*study.all_experiments()),
        "claims": claim_table(results.claims),
        "claims_in_short": in_short(results.claims),
        "leaders": leader_tables(judgements[0], results.summary, results.ties, results.counted),
        "glances": [glance for verdicts in judgements for glance in glances(verdicts)],
        "explorer": explorer(study, judgements, designs, results),
        "too_many": why_no_explorer(judgements),
        "headline": headline(judgements),
        "first_metric": next((metric.written for metric in study.metrics if ranks_systems(str(metric))), ""),
        "contradictions": contradictions(judgements),
        "bests": bests,
        "counts": [sentence for part in study.all_experiments() for sentence in base_counts(part, results.counted)],
        "warnings": alerts(study, results),
        "meaning": meaning(study, results.comparisons),
        "flips": changed_table(study, changed_verdicts(judgements)),
        "robustness": robustness_table([row for verdicts in judgements for row in verdicts.robustness()]).first(
            MAX_ROWS, "verdicts.csv lists them all."
        ),
        "together": said_together(results.joint, study.alpha),
        "ways": ways_to_another_verdict(judgements),
        "joint_tables": shorten_tables([joint_table(results.joint)]),
        "influence": shorten_tables([influence_table([line for verdicts in judgements for line in influences(verdicts)])]),
        "copies": copies_table([row for verdicts in judgements for row in verdicts.copied()]).first(
            MAX_ROWS, "verdicts.csv lists them all."
        ),
    }
