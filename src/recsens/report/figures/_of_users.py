"""Figures for one evaluation or comparison, without a study: means and differences with intervals, and the users' values."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from recsens.report.figure_style import ink
from recsens.report.figures._canvas import panels
from recsens.report.figures._fitting import add_legend, settle
from recsens.report.figures._intervals import Interval, draw_intervals

Estimate = tuple[str, float, float, float, str]
"""Label, value, both ends of its interval (NaN if unknown), and a remark."""


def draw_estimates(rows: Sequence[Estimate], *, along: str, reference: float = float("nan")) -> Figure:
    """Draw each row's label, value, interval and remark, and a reference line."""
    figure, [axes] = panels([""], 2, 0.75 + 0.3 * len(rows))
    draw_intervals(axes, [Interval(*row, ink(0)) for row in rows], reference)
    axes.set_xlabel(along)
    settle(figure)
    return figure


def draw_shares(values: Mapping[str, NDArray[np.float64]]) -> Figure:
    """Draw, for each metric and value, the share of users with at least this value; the lines fall from left to right."""
    figure, [axes] = panels([""], 2, 2.6)
    for number, (label, of_users) in enumerate(values.items()):
        known = np.sort(of_users[~np.isnan(of_users)])
        share = 1 - np.arange(len(known)) / max(len(known), 1)
        axes.step(known, share, where="pre", label=label, **ink(number).stroke)
    axes.set_xlabel("at least this value")
    axes.set_ylabel("share of users")
    axes.set_ylim(0, 1.02)
    add_legend(figure, axes.get_legend_handles_labels()[0])
    settle(figure)
    return figure
