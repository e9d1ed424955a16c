"""Filters (decision A1), which choose the interactions to use."""

from recsens.data.filtering._base import Filter

__all__ = ["Filter"]
