"""Write a study's report page and its tables for papers."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from recsens.artefacts.storage import read_bytes, write_text
from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.study_tables import read_results
from recsens.plugins.specs import parse
from recsens.report.frame import Frame
from recsens.report.page_content import download, render
from recsens.report.settings.paragraph import methods_paragraph, write_methods
from recsens.report.tables.all_tables import make_tables, write_tables
from recsens.report.tables.of_dataset import tables_by_dataset
from recsens.study.keys_by_step import load_part
from recsens.vocabulary import FIGURE_FORMS


def report(
    *,
    study: str,
    name: str,
    results: Sequence[str],
    further: Sequence[str] = (),
    figures: Sequence[str],
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
    results, further
        The tables that every study has, and those that only some studies have, each named after the table.
    figures
        The study's figures in every form; the name of a file is the name of the figure.
    scorecard
        The figure of how well designs agree with the truth, as an SVG file, in a study with a reference design.
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
    asked, found = load_part(study, "report", decisions), read_results([*results, *further])
    of_datasets = tables_by_dataset(asked, found)
    write_tables(asked, make_tables(asked, found, of_datasets), tables, tex=tex, md=md)
    designs = base_designs(asked.own, {label: parse(spec) for label, spec in (addresses or {}).items()})
    drawn = sorted([*figures, *scorecard], key=lambda path: FIGURE_FORMS.index(Path(path).suffix[1:]))
    page = render(
        asked,
        found,
        name=name,
        designs=designs,
        figures={Path(path).stem: read_bytes(path).decode() for path in drawn if path.endswith(".svg")},
        downloads=[download(path, html) for path in (*results, *further, tex, md, *drawn)],
        of_datasets=of_datasets,
        frame=frame,
    )
    write_text(html, page)
    write_methods(methods_paragraph(asked, designs, found.datasets), methods)
