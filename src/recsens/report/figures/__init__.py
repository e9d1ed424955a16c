"""Figures of results: those that a study declares, and the usual ones."""

from recsens.report.figures._base import Drawing, FigureData, Need, RankedItems
from recsens.report.figures._canvas import write_figure
from recsens.report.figures._scorecard import caption_of_scorecard, draw_scorecard

__all__ = ["Drawing", "FigureData", "Need", "RankedItems", "caption_of_scorecard", "draw_scorecard", "write_figure"]
