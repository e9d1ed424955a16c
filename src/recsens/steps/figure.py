"""Step: draw one figure of a study."""

from __future__ import annotations

from recsens.config import load_study
from recsens.errors import ConfigError
from recsens.studies.figures import draw, write_figure
from recsens.studies.results import read_comparisons, read_summary


def figure(*, study: str, name: str, summary: str, comparisons: str, svg: str, png: str) -> None:
    """Draw a figure of a study from its tables, as SVG and PNG.

    Parameters
    ----------
    study
        The study file.
    name
        One of the study's figures, as its file is named.
    summary, comparisons
        The study's tables.
    svg, png
        The files to write.

    Raises
    ------
    ConfigError
        If the study has no such figure.
    """
    figures = load_study(study).all_figures()
    if name not in figures:
        raise ConfigError(f"the study has no figure '{name}'", allowed=", ".join(figures))
    part, key = figures[name]
    write_figure(draw(key, part, read_summary(summary), read_comparisons(comparisons)), svg=svg, png=png)
