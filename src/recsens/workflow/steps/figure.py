"""Draw one figure of a study."""

from __future__ import annotations

from recsens.errors import ConfigError
from recsens.report.figures.draw import draw, write_figure
from recsens.report.results import read_comparisons, read_summary
from recsens.workflow.parts import load_part


def figure(*, study: str, name: str, summary: str, comparisons: str, svg: str, png: str, decisions: str | None = None) -> None:
    """Draw a figure of a study from its tables, as SVG and PNG.

    Parameters
    ----------
    study
        The study file.
    name
        One of the study's figures, by its file name.
    summary, comparisons
        The study's tables.
    svg, png
        The files to write.
    decisions
        Digest of the part of the study that the plan rests on; None if nothing was planned.

    Raises
    ------
    ConfigError
        If the study has no such figure, or changed since the run was planned.
    """
    figures = load_part(study, "figure", decisions).all_figures()
    if name not in figures:
        raise ConfigError(f"the study has no figure '{name}'", allowed=", ".join(figures))
    part, key = figures[name]
    write_figure(draw(key, part, read_summary(summary), read_comparisons(comparisons)), svg=svg, png=png)
