"""The report: one page that holds everything a reader needs to judge a study, and opens without a network."""

from __future__ import annotations

import base64
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from recsens.config import Study
from recsens.design import Design
from recsens.ignored import ignored
from recsens.plugins import Plugin
from recsens.recommenders.tuned import Tuned
from recsens.specs import Spec
from recsens.studies.alerts import alerts
from recsens.studies.claims import contradictions, headline, meaning
from recsens.studies.contents import (
    comparison_table,
    copies_table,
    coverage_table,
    design_sets,
    flip_table,
    result_table,
    robustness_table,
    sweep_table,
)
from recsens.studies.costs import PAGE
from recsens.studies.counted import base_counts, counted_table, warnings
from recsens.studies.datatables import dataset_table, filter_table, split_table, target_table
from recsens.studies.figures import DESIGNS, caption
from recsens.studies.judging import all_flips, judge
from recsens.studies.naming import built, calibrated, concept, definition, in_full, in_order, option_in_full, ranks_systems, remarks
from recsens.studies.page import templates
from recsens.studies.published import agreement_with_print, published_tables
from recsens.studies.results import Results
from recsens.studies.settings import address, base_designs, differences, is_by_rating, paragraph, statement
from recsens.studies.svg import inline
from recsens.studies.table import Table, slug
from recsens.studies.taxonomy import decision
from recsens.studies.tuning import how_tuned
from recsens.studies.unranked import below_random
from recsens.studies.verdicts import base_sentence, base_verdicts

_PACKAGES = (
    "recsens", "numpy", "scipy", "numba", "implicit", "scikit-learn", "pandas", "pyarrow", "matplotlib", "pydantic", "snakemake",
)  # fmt: skip

MAX_EMBEDDED = 64 * 1024
"""Files up to this size, in bytes, travel inside the page."""

MAX_ROWS = 400
"""Longest table on the page; the CSV files are complete."""

_TYPES = {".csv": "text/csv", ".tex": "text/x-tex", ".md": "text/markdown", ".svg": "image/svg+xml", ".png": "image/png"}


@dataclass(frozen=True, slots=True)
class Download:
    """A file to take away: its name and where a link finds it."""

    name: str
    href: str


def download(path: str | Path, page: str | Path) -> Download:
    """Make a file of results available on a page: inside it where the file is small, else by its relative path."""
    path = Path(path)
    if path.stat().st_size <= MAX_EMBEDDED:
        content = base64.b64encode(path.read_bytes()).decode()
        return Download(path.name, f"data:{_TYPES.get(path.suffix, 'application/octet-stream')};base64,{content}")
    return Download(path.name, Path(os.path.relpath(path, Path(page).parent)).as_posix())


def render(
    study: Study,
    results: Results,
    *,
    name: str,
    designs: Mapping[str, Design],
    figures: Mapping[str, str],
    downloads: Sequence[Download] = (),
    tuning: Sequence[Table] = (),
    overlap: Sequence[Table] = (),
) -> str:
    """Write the report of a study as one HTML page.

    Parameters
    ----------
    study, results
        What was asked, and what came out.
    name
        The study's name.
    designs
        The base design on each data set, by its label.
    figures
        Name of a figure's file: its SVG text.
    downloads
        Files to take away.
    tuning
        What the candidates of tuned systems came to.
    overlap
        How alike the lists of the systems are.
    """
    own = study.parts()[0]
    thresholds = _thresholds(study, results.datasets)
    settings = statement(designs, systems=own.systems, metrics=own.metrics, thresholds=thresholds, comparing=own)
    labels = in_order(results.splits["dataset"])
    return (
        templates()
        .get_template("report.html.jinja")
        .render(
            study=study,
            name=name,
            settings=settings,
            paragraph=paragraph(settings),
            addresses={label: address(design) for label, design in designs.items()},
            varied=_varied(own, results.of(own).summary),
            dataset_table=dataset_table(study, results.datasets),
            filter_table=filter_table(results.datasets),
            digests=_digests(results.datasets),
            metrics=_metrics(study),
            systems=_systems(study, designs),
            versions=_versions(),
            downloads=downloads,
            costs=PAGE,
            agreement=agreement_with_print(results.summary),
            calibrated=calibrated(study),
            published=published_tables(study, results),
            tuning=_shown(tuning),
            overlap=_shown(overlap),
            splits=_shown(split_table(results.splits, dataset) for dataset in labels),
            targets=_shown(target_table(results.splits, dataset) for dataset in labels),
            parts=[_part(part, study, results.of(part), figures) for part in study.parts()],
            **_verdicts(study, results),
        )
    )


def _verdicts(study: Study, results: Results) -> dict[str, Any]:
    judgements = [judge(part, results.summary, results.comparisons) for part in study.parts()]
    sentences = [
        base_sentence(part, verdict)
        for part in study.parts()
        for verdict in base_verdicts(part, results.of(part).summary, results.of(part).comparisons)
    ]
    return {
        "headline": headline(judgements),
        "first_metric": next((metric.short for metric in study.metrics if ranks_systems(str(metric))), ""),
        "contradictions": contradictions(judgements),
        "bests": sentences,
        "counts": [sentence for part in study.parts() for sentence in base_counts(part, results.counted)],
        "warnings": alerts(study, results.summary, results.comparisons, results.counted),
        "meaning": meaning(study, results.comparisons),
        "flips": flip_table(study, all_flips(judgements)),
        "robustness": robustness_table([row for found in judgements for row in found.robustness()]).first(
            MAX_ROWS, "verdicts.csv holds all."
        ),
        "copies": copies_table([row for found in judgements for row in found.copied()]).first(MAX_ROWS, "verdicts.csv holds all."),
    }


def _part(part: Study, study: Study, results: Results, figures: Mapping[str, str]) -> dict[str, Any]:
    """Gather what is shown of one experiment."""
    is_own = not set(part.datasets) & set(study.experiments)
    drawings = {
        key: figures[name]
        for name, (owner, key) in study.all_figures().items()
        if list(owner.datasets) == list(part.datasets) and name in figures
    }
    return {
        "study": part,
        "key": "own" if is_own else slug(part.title),
        "is_own": is_own,
        "dataset": "" if is_own else study.dataset_of(part.title),
        "differences": [] if is_own else differences(part, study),
        "by_rating": is_by_rating(next(iter(base_designs(part).values()))),
        "has_own_systems": part.systems != study.systems,
        "folders": {} if is_own else {label: address(design) for label, design in base_designs(part).items()},
        "varied": _varied(part, results.summary),
        "warnings": warnings(part, results.counted),
        "below_random": below_random(part, results.summary),
        **_scores(part, results, drawings, prefix="" if is_own else f"{slug(part.title)}-"),
    }


def _scores(study: Study, results: Results, figures: Mapping[str, str], *, prefix: str) -> dict[str, Any]:
    summary, comparisons, datasets = results.summary, results.comparisons, list(study.datasets)
    sets = design_sets(study, summary)
    by_set = {shown.key: _shown(sweep_table(study, shown, summary, comparisons, dataset) for dataset in datasets) for shown in sets}
    drawn = [
        {
            "name": f"{prefix}{key}",
            "title": f"By {decision(key).name.lower()}" if key in study.vary else "Systems side by side",
            "code": decision(key).code if key in study.vary else "",
            "svg": _figure(svg, f"{prefix}{key}", caption(key, study, summary)),
            "caption": caption(key, study, summary),
            "tables": by_set.get(key, []),
            "is_curve": key == DESIGNS,
        }
        for key, svg in figures.items()
    ]
    descriptive = [str(metric) for metric in study.metrics if not ranks_systems(str(metric))]
    return {
        "results": _shown(
            result_table(study, summary, comparisons, dataset, predictions=results.predictions) for dataset in datasets
        ),
        "counted": _shown(counted_table(results.counted, dataset) for dataset in datasets),
        "counted_by_set": _shown(counted_table(results.counted, dataset, shown) for shown in sets for dataset in datasets),
        "comparisons": _shown(comparison_table(study, comparisons, dataset) for dataset in datasets),
        "curves": [figure for figure in drawn if figure["is_curve"]],
        "drawn": [figure for figure in drawn if not figure["is_curve"]],
        "every_design": [table for key, tables in by_set.items() if key not in figures for table in tables],
        "measures_unrated": any(metric.startswith("Unrated") for metric in descriptive),
        "descriptive": _shown(result_table(study, summary, comparisons, dataset, ranking=False) for dataset in datasets),
        "descriptive_by_set": _shown(
            sweep_table(study, shown, summary, comparisons, dataset, ranking=False) for shown in sets for dataset in datasets
        )
        if descriptive
        else [],
        "coverage": _shown(coverage_table(study, summary, dataset) for dataset in datasets),
        "coverage_by_set": _shown(coverage_table(study, summary, dataset, shown) for shown in sets for dataset in datasets),
    }


def _shown(tables: Any) -> list[Table]:
    note = f"Only the first {MAX_ROWS} rows are shown; the CSV file is complete."
    return [table.first(MAX_ROWS, note) for table in tables if not table.is_empty]


def _figure(svg: str, key: str, title: str) -> Markup:
    # The figure was drawn by us, from labels that cannot hold markup; its title is escaped.
    return Markup(inline(svg, name=f"figure-{key}", title=f"{title} The same numbers stand in the tables."))  # noqa: S704


def _thresholds(study: Study, datasets: pd.DataFrame) -> dict[str, float]:
    rows = datasets[(datasets["metric"] == "relevance") & datasets["value"].notna()]
    known = dict(zip(rows["dataset"], rows["value"], strict=True))
    return {label: float(known[label]) for label in study.datasets if label in known}


def _digests(datasets: pd.DataFrame) -> list[tuple[str, str]]:
    pairs = zip(datasets["dataset"], datasets["digest"], strict=True)
    return list(dict.fromkeys((dataset, digest) for dataset, digest in pairs if digest))


def _varied(study: Study, summary: pd.DataFrame) -> list[dict[str, Any]]:
    found, unmoved = [], ignored(study)
    for key in study.vary:
        varied = decision(key)
        options = [option_in_full(varied, text) for text in in_order(summary[varied.column])]
        by = [metric.short for metric in unmoved.get(key, ())]
        found.append({"code": varied.code, "name": varied.name, "options": options, "ignored_by": by})
    return found


def _metrics(study: Study) -> list[dict[str, str]]:
    return [
        {
            "printed": str(metric),
            "short": metric.short,
            "range": metric.metric.values_range,
            "better": _better(metric.metric.is_descriptive, metric.metric.higher_is_better),
            **_about(metric.metric),
        }
        for metric in study.metrics
    ]


def _better(is_descriptive: bool, higher: bool) -> str:
    if is_descriptive:
        return "describes only"
    return "higher is better" if higher else "lower is better"


def _systems(study: Study, designs: Mapping[str, Design]) -> list[dict[str, Any]]:
    found = {(label, str(spec)): spec for part in study.parts() for label, spec in part.systems.items()}
    return [_system(label, spec, designs) for (label, _), spec in found.items()]


def _system(label: str, spec: Spec, designs: Mapping[str, Design]) -> dict[str, Any]:
    component = built("recommender", spec)
    defined = component.inner if isinstance(component, Tuned) else component
    return {
        "label": label,
        "spec": str(in_full("recommender", str(spec))),
        "remarks": [*remarks(spec), *how_tuned(spec)],
        "addresses": [address(design, spec) for design in designs.values()],
        **(_about(defined) if defined else {"concept": "", "definition": "", "source": "", "parameters": []}),
    }


def _about(component: Plugin) -> dict[str, Any]:
    cls = type(component)
    parameters = [f"{name}: {field.description}" for name, field in cls.model_fields.items() if field.description]
    return {"concept": concept(cls), "definition": definition(cls), "source": cls.source, "parameters": parameters}


def _versions() -> list[tuple[str, str]]:
    found = [("Python", platform.python_version())]
    for package in _PACKAGES:
        try:
            found.append((package, metadata.version(package)))
        except metadata.PackageNotFoundError:
            continue
    return found
