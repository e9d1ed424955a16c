"""The figures of an experiment by their names: drawn, written, and captioned."""

from io import BytesIO
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from recsens.artefacts.storage import write_file
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.results import rows_of
from recsens.errors import ConfigError
from recsens.report.drawing.difference_by_option import caption_of_differences, draw_differences
from recsens.report.drawing.fitting import settle
from recsens.report.drawing.grid import MAX_DATASETS
from recsens.report.drawing.ink import house_style
from recsens.report.drawing.scores_by_option import caption_of_scores, draw_scores
from recsens.report.drawing.specification_curve import caption_of_curves, draw_curves
from recsens.report.drawing.specifications import curves
from recsens.report.drawing.systems import caption_of_systems, draw_systems
from recsens.report.remarks import calibrated
from recsens.study import Experiment
from recsens.study.taxonomy import decision

SYSTEMS = "systems"
"""Name of the figure of a study that varies nothing."""

DESIGNS = "designs"
"""Name of the specification curve."""

_COMPARING = ("test", "correction")
"""Decisions that leave the systems' scores alone and change what is said of their differences."""


def draw(name: str, study: Experiment, summary: pd.DataFrame, verdicts: pd.DataFrame) -> Figure:
    """Draw one of the figures that an experiment has (see `recsens.study.Study.figures`), from the tables of the whole study.

    Raises
    ------
    ConfigError
        If the study has no such figure.
    """
    names = study.figures()
    if name not in names:
        raise ConfigError(f"the study has no figure '{name}'", allowed=", ".join(names))
    with house_style():
        figure = _draw(name, study, rows_of(study, summary), PairVerdicts.of(study, verdicts))
        settle(figure)
    return figure


def _draw(name: str, study: Experiment, values: pd.DataFrame, verdicts: PairVerdicts) -> Figure:
    if name == SYSTEMS:
        return draw_systems(values, verdicts)
    if name == DESIGNS:
        return draw_curves(study, curves(values, verdicts, list(study.datasets)[:MAX_DATASETS]))
    if name in _COMPARING:
        return draw_differences(decision(name), values, verdicts)
    return draw_scores(decision(name), values, verdicts)


_UNDATED = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""Form -> what its files would otherwise state of when and with what they were made."""


def write_figure(figure: Figure, **files: str | Path) -> None:
    """Write a figure to a file of each form (`FIGURE_FORMS`), with 300 dots an inch; the bytes depend on the figure alone."""
    with house_style():
        for form, file in files.items():
            _write(figure, form, file)


def _write(figure: Figure, form: str, file: str | Path) -> None:
    # In memory first: where a disk is full, what matplotlib does to close a half-written file hides the reason.
    drawn = BytesIO()
    figure.savefig(drawn, format=form, dpi=300, metadata=_UNDATED[form])
    write_file(file, lambda path: path.write_bytes(drawn.getbuffer()))


def caption(name: str, study: Experiment, summary: pd.DataFrame) -> str:
    """Say what a figure shows and how to read it."""
    return " ".join(filter(None, [_caption(name, study, rows_of(study, summary)), calibrated(study)]))


def _caption(name: str, study: Experiment, summary: pd.DataFrame) -> str:
    if name == SYSTEMS:
        return caption_of_systems(study, summary)
    if name == DESIGNS:
        return caption_of_curves(study, summary)
    if name in _COMPARING:
        return caption_of_differences(decision(name), study)
    return caption_of_scores(decision(name), study, summary)
