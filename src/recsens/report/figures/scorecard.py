"""The scorecard of designs: how near each analysis comes to the truth, condition by condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from recsens.report.changes import change_of
from recsens.report.figures.ink import GRID, SOFT, TEXT, ink
from recsens.report.results import in_order, records

MOST = 40
"""Analyses shown of each condition, those with the highest tau: more would not fit a page. The table has all."""

_WIDTH, _ROW, _HEAD = 6.85, 0.135, 0.75
"""Inches."""

_SHARES = (("right", ink(0).colour, ""), ("open", GRID, ""), ("wrong", ink(1).colour, "////"))
"""Shares of pairs, with the colour and hatching of each."""


def draw_scorecard(rows: pd.DataFrame, base: Mapping[str, str]) -> Figure:
    """Draw tau with its interval, and the shares of pairs decided rightly, wrongly or not at all.

    Parameters
    ----------
    rows
        The table ``truth.csv``.
    base
        The base design's options (`recsens.report.changes.base_options`): labels name what an analysis changes.
    """
    named = rows.assign(label=[_label(row, base) for row in records(rows)])
    conditions = in_order(named["data"]) or [""]
    parts = [_ordered(named[named["data"] == condition]) for condition in conditions]
    heights = [_HEAD + _ROW * max(len(labels), 1) for labels, _ in parts]
    figure = Figure(figsize=(_WIDTH, sum(heights)), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(len(parts), 2, height_ratios=heights, width_ratios=(1, 1))
    for nth, (condition, (labels, n_all)) in enumerate(zip(conditions, parts, strict=True)):
        of = named[named["data"] == condition]
        left, right = (figure.add_subplot(grid[nth, column]) for column in range(2))
        shown = "" if n_all == len(labels) else f": {len(labels)} of {n_all} analyses, those with the highest tau"
        left.set_title(f"{condition}{shown}", loc="left")
        _draw_tau(left, of, labels)
        _draw_shares(right, of, labels)
    return figure


def _label(row: Mapping[str, object], base: Mapping[str, str]) -> str:
    changes = [f"{key}: {option}" for key, option in change_of(row, base)]
    return ", ".join([str(row["metric"]), *changes])


def _ordered(rows: pd.DataFrame) -> tuple[list[str], int]:
    """Return the labels of the analyses to show, the highest tau first, and how many there are."""
    tau = rows[rows["quantity"] == "tau"].sort_values("value", ascending=False, kind="stable", na_position="last")
    return list(tau["label"])[:MOST], len(tau)


def _of(rows: pd.DataFrame, quantity: str, labels: Sequence[str]) -> pd.DataFrame:
    return rows[rows["quantity"] == quantity].set_index("label").loc[list(labels)]


def _draw_tau(axes: Axes, rows: pd.DataFrame, labels: Sequence[str]) -> None:
    found, places = _of(rows, "tau", labels), np.arange(len(labels))
    axes.hlines(places, found["low"], found["high"], color=SOFT, linewidth=0.8)
    axes.plot(found["value"], places, linestyle="none", marker="o", markersize=2.5, color=TEXT)
    axes.set_yticks(places, [label if len(label) <= 64 else f"{label[:62]} ..." for label in labels], fontsize=5)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlim(-1.05, 1.05)
    axes.axvline(0, color=GRID, linewidth=0.6, zorder=0)
    axes.set_xlabel("tau-b with the truth")


def _draw_shares(axes: Axes, rows: pd.DataFrame, labels: Sequence[str]) -> None:
    places, so_far = np.arange(len(labels)), np.zeros(len(labels))
    for quantity, colour, hatch in _SHARES:
        share = _of(rows, quantity, labels)["value"].to_numpy(dtype=float)
        axes.barh(places, share, left=so_far, color=colour, hatch=hatch, edgecolor="white", linewidth=0.2, label=quantity)
        so_far = so_far + np.nan_to_num(share)
    axes.set_yticks([])
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the pairs that the truth decides")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
