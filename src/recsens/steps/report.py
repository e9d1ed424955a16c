"""Step: write the report page of a study, and its tables for papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from recsens.config import load_study
from recsens.specs import parse
from recsens.studies.contents import paper_tables
from recsens.studies.latex import to_latex
from recsens.studies.markdown import to_markdown
from recsens.studies.overlap import overlap_tables, read_overlap
from recsens.studies.report import download, render
from recsens.studies.results import read_results
from recsens.studies.settings import base_designs
from recsens.studies.tuning import read_tuning, tuning_tables
from recsens.tables import write_text


def report(
    *,
    study: str,
    name: str,
    summary: str,
    comparisons: str,
    counted: str,
    datasets: str,
    splits: str,
    tuning: Sequence[str] = (),
    predictions: Sequence[str] = (),
    verdicts: str,
    flips: str,
    overlap: str,
    figures: Sequence[str],
    html: str,
    tex: str,
    md: str,
    addresses: Mapping[str, str] | None = None,
) -> None:
    """Write everything that a study shows.

    Parameters
    ----------
    study, name
        The study file, and the study's name.
    summary, comparisons, counted, datasets, splits
        The study's tables.
    tuning
        The table of what tuning found, in a study with tuned systems.
    predictions
        The table of predicted ratings, in a study with a metric that reads them.
    verdicts, flips
        Its verdicts, and those that a single change turns, to be taken away.
    overlap
        How alike the lists of its systems are.
    figures
        Its figures as SVG files, each named as the figure is.
    html
        The page.
    tex, md
        The tables for papers.
    addresses
        Spec in the address of each data set, by label; by default what the study file says.
    """
    asked = load_study(study)
    results = read_results(
        summary=summary,
        comparisons=comparisons,
        datasets=datasets,
        splits=splits,
        counted=counted,
        predictions=next(iter(predictions), None),
    )
    tuned = [table for path in tuning for table in tuning_tables(read_tuning(path))]
    alike = overlap_tables(read_overlap(overlap))
    tables = [*paper_tables(asked, results), *tuned, *alike]
    write_text(tex, to_latex(tables))
    write_text(md, to_markdown(asked.title, tables))
    designs = base_designs(asked, {label: parse(spec) for label, spec in (addresses or {}).items()})
    drawings = {Path(path).stem: Path(path).read_text(encoding="utf-8") for path in figures}
    files = [summary, counted, comparisons, verdicts, flips, overlap, datasets, splits, *tuning, *predictions, tex, md, *figures]
    # The rule that draws a figure leaves both forms of it side by side.
    pictures = [str(picture) for path in figures if (picture := Path(path).with_suffix(".png")).exists()]
    links = [download(path, html) for path in (*files, *pictures)]
    page = render(asked, results, name=name, designs=designs, figures=drawings, downloads=links, tuning=tuned, overlap=alike)
    write_text(html, page)
