"""Figures that a study declares: what to draw from its results."""

from recsens.report.figures._base import Drawing, FigureData, Need, RankedItems

__all__ = ["Drawing", "FigureData", "Need", "RankedItems"]
