"""Figures of results: the figures that a study declares, and the usual figures."""

from recsens.report.figures._base import Drawing, FigureData, Need, RankedItems
from recsens.report.figures._canvas import svg_of, write_figure
from recsens.report.figures._intervals import Estimate, draw_estimates, draw_shares
from recsens.report.figures._scorecard import caption_of_scorecard, draw_scorecard

__all__ = ["Drawing", "FigureData", "Need", "RankedItems"]
