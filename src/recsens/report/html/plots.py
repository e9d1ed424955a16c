"""Plots of results in a notebook. matplotlib is imported only for a plot, so code that only shows tables does not need it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recsens.arrays import Floats
from recsens.errors import explain_missing_library

if TYPE_CHECKING:
    from recsens.report.figures import Estimate
    from recsens.report.html.picture import Drawn, Picture


def estimates(title: str, rows: Sequence[Estimate], *, along: str, reference: float = math.nan) -> Picture:
    """Plot estimates with their intervals, one below another, and a guide line.

    Raises
    ------
    RecsensError
        If matplotlib is not installed; all functions in this module raise this error.
    """
    draw = _load_figures("figures").draw_estimates
    picture: Picture = _load_figures("html.picture").Picture.drawn(lambda: draw(rows, along=along, reference=reference), title)
    return picture


def shares(title: str, values: Mapping[str, Floats]) -> Picture:
    """Plot, for each metric, the share of users who reach each value."""
    draw = _load_figures("figures").draw_shares
    picture: Picture = _load_figures("html.picture").Picture.drawn(lambda: draw(values), title)
    return picture


def drawn_by_run(path: Path) -> Drawn:
    """Show a figure drawn by a run."""
    drawn: Drawn = _load_figures("html.picture").Drawn(path)
    return drawn


def _load_figures(module: str) -> Any:
    with explain_missing_library():
        return import_module(f"recsens.report.{module}")
