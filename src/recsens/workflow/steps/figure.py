"""Draw one figure of a study."""

from collections.abc import Mapping, Sequence
from typing import Unpack

import numpy as np

from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import InteractionFiles
from recsens.artefacts.folds import read_interactions, read_roles
from recsens.conclusions.verdicts.study_tables import Results
from recsens.errors import ConfigError
from recsens.report.figure_style import house_style
from recsens.report.figures import Drawing, FigureData, RankedItems, write_figure
from recsens.report.which_drawing import usual_drawing
from recsens.study import Study
from recsens.workflow.steps._tables import TableFiles, read_part


def figure(
    *,
    name: str,
    svg: str,
    png: str,
    pdf: str,
    drawing: str = "",
    experiment: str = "",
    data: Sequence[InteractionFiles] = (),
    datasets: Sequence[str] = (),
    positions: Sequence[str] = (),
    ranked: Sequence[tuple[str, str]] = (),
    roles: Sequence[str] = (),
    splits: Sequence[tuple[str, str]] = (),
    **files: Unpack[TableFiles],
) -> None:
    """Draw a figure of a study from its tables, as SVG, PNG and PDF.

    Parameters
    ----------
    name
        One of the study's figures, by its file name.
    svg, png, pdf
        The files to write.
    drawing
        The plug-in of a declared figure; empty for one of the usual figures.
    experiment
        Label of the further experiment that a declared figure shows; empty for the study's own.
    data, datasets
        The filtered data sets that a declared figure needs, and their labels.
    positions, ranked
        The positions of the rankings that a declared figure needs, and the data set and system of each.
    roles, splits
        The roles of ratings that a declared figure needs, and the data set and split of each.
    files
        The study and its tables.

    Raises
    ------
    ConfigError
        If the study has no such figure, or has changed since the run was planned.
    """
    study_part, results = read_part("figure", **files)
    if not drawing:
        _draw_usual(study_part, name, results, svg=svg, png=png, pdf=pdf)
        return
    interactions = {label: read_interactions(own) for label, own in zip(datasets, data, strict=True)}
    by_split = {(label, split): read_roles(path, interactions[label]) for path, (label, split) in zip(roles, splits, strict=True)}
    part, ranked_items = study_part.shown(experiment), _positions_by_system(positions, ranked)
    figure_data = FigureData(part, results, interactions=interactions, positions=ranked_items, roles=by_split)
    _draw_and_write(Drawing.build(drawing), figure_data, svg=svg, png=png, pdf=pdf)


def usual_figures(drawn: Mapping[str, Mapping[str, str]], **files: Unpack[TableFiles]) -> None:
    """Draw several of a study's usual figures from the same tables; ``drawn`` has the files of each figure, by form."""
    study_part, results = read_part("figure", **files)
    for name, by_form in drawn.items():
        _draw_usual(study_part, name, results, **by_form)


def _draw_usual(study: Study, name: str, results: Results, **files: str) -> None:
    figures = study.all_figures()
    if name not in figures:
        raise ConfigError(f"the study has no figure '{name}'", allowed=", ".join(figures))
    part, key = figures[name]
    _draw_and_write(usual_drawing(key), FigureData(part, results), **files)


def _draw_and_write(drawn: Drawing, figure_data: FigureData, **files: str) -> None:
    with house_style():
        picture = drawn.draw(figure_data)
    write_figure(picture, **files)


def _positions_by_system(positions: Sequence[str], ranked: Sequence[tuple[str, str]]) -> dict[tuple[str, str], list[RankedItems]]:
    """Read the ranked judged items of every system, fold by fold."""
    items: dict[tuple[str, str], list[RankedItems]] = {}
    for path, (dataset, system) in zip(positions, ranked, strict=True):
        table = storage.read_table(path, schemas.POSITIONS, ["user", "position", "rating"])
        position = table.column("position").fill_null(0).to_numpy()
        user, kept = table.column("user").to_numpy(), position > 0
        rating = table.column("rating").fill_null(np.nan).to_numpy()
        ranked_items = (user[kept].astype(np.int32), position[kept].astype(np.int32), rating[kept])
        items.setdefault((dataset, system), []).append(ranked_items)
    return items
