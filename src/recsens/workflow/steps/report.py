"""Write a study's report page and its tables for papers."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from recsens.artefacts.storage import read_bytes, write_text
from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.study_tables import read_results
from recsens.plugins.specs import parse
from recsens.report.downloads import download
from recsens.report.frame import Frame
from recsens.report.page_content import render
from recsens.report.settings.paragraph import methods_paragraph, write_methods
from recsens.report.tables.all_tables import TableInputs, made_tables, write_tables
from recsens.report.tables.of_dataset import tables_by_dataset
from recsens.report.tables.overlap import overlap_tables, read_overlap
from recsens.report.tables.tuning import read_tuning, tuning_tables
from recsens.study.keys_by_step import load_part


def report(
    *,
    study: str,
    name: str,
    summary: str,
    comparisons: str,
    verdicts: str,
    counted: str,
    datasets: str,
    splits: str,
    tuning: str | None = None,
    predictions: str | None = None,
    matched: str | None = None,
    ties: str,
    claims: str | None = None,
    findings: Sequence[str] = (),
    multiverse: str,
    joint: str,
    flips: str,
    influence: str,
    shortest: str,
    overlap: str,
    figures: Sequence[str],
    pictures: Sequence[str],
    prints: Sequence[str] = (),
    truth: str | None = None,
    scorecard: Sequence[str] = (),
    html: str,
    tex: str,
    md: str,
    tables: Sequence[str] = (),
    methods: Sequence[str] = (),
    addresses: Mapping[str, str] | None = None,
    decisions: str | None = None,
    frame: Frame | None = None,
) -> None:
    """Write the report page and the tables for papers.

    Parameters
    ----------
    study, name
        The study file, and the study's name.
    summary, comparisons, verdicts, counted, datasets, splits
        The study's tables.
    tuning
        The table of tuning, in a study with tuned systems.
    predictions
        The table of predicted ratings, in a study with a metric that reads them.
    matched
        The table of users and items that are only in a score file or only in the data, in a study with scores from files.
    ties
        The table with the range of values over orders of equal scores.
    claims
        The table of claims, in a study with claims.
    findings
        The tables of findings, in a study with analyses of metrics.
    multiverse, joint
        The tables of the joint results of all analyses.
    flips, influence, shortest
        Three tables, for download: the verdicts that a single decision changes, each decision's effect, and the shortest ways to
        another winner.
    overlap
        The table of the overlap of systems' lists.
    figures
        The study's figures as SVG files; the name of a file is the name of the figure.
    pictures, prints
        The same figures as PNG and PDF files.
    truth, scorecard
        In a study with a reference design: the table of how well designs agree with the truth, and the same as an SVG figure.
    html
        The page.
    tex, md
        All tables for papers in one file, as LaTeX and as Markdown.
    tables
        A separate file for each of these tables, named after the table and the form.
    methods
        Files with the methods paragraph, in several forms.
    addresses
        The spec in each data set's address, by label; by default the spec in the study file.
    decisions
        Digest of the part of the study that this step depends on; None if nothing was planned.
    frame
        The text around the content of an audit's page; None for a study.
    """
    asked = load_part(study, "report", decisions)
    results = read_results(
        summary=summary,
        comparisons=comparisons,
        verdicts=verdicts,
        datasets=datasets,
        splits=splits,
        counted=counted,
        predictions=predictions,
        matched=matched,
        ties=ties,
        claims=claims,
        findings=findings,
        joint=joint,
        multiverse=multiverse,
        truth=truth,
    )
    tuned = pd.DataFrame() if tuning is None else read_tuning(tuning)
    overlaps = read_overlap(overlap)
    of_datasets = tables_by_dataset(asked, results)
    printed = made_tables(asked, TableInputs(results, overlaps, tuned), of_datasets)
    write_tables(asked, printed, tables, tex=tex, md=md)
    designs = base_designs(asked.own, {label: parse(spec) for label, spec in (addresses or {}).items()})
    drawings = {Path(path).stem: read_bytes(path).decode() for path in (*figures, *scorecard)}
    about_pairs = [comparisons, multiverse, joint, verdicts, flips, influence, shortest]
    further = [*filter(None, [truth, claims]), *findings, *filter(None, [tuning, predictions, matched])]
    files = [summary, counted, *about_pairs, overlap, ties, datasets, splits, *further, tex, md, *figures, *scorecard]
    links = [download(path, html) for path in (*files, *pictures, *prints)]
    page = render(
        asked,
        results,
        name=name,
        designs=designs,
        figures=drawings,
        downloads=links,
        tuning=tuning_tables(tuned) if len(tuned) else (),
        overlap=overlap_tables(overlaps),
        of_datasets=of_datasets,
        frame=frame,
    )
    write_text(html, page)
    write_methods(methods_paragraph(asked, designs, results.datasets), methods)
