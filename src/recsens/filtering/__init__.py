"""A1: which interactions of a data set take part."""

from recsens.filtering._base import Filter

__all__ = ["Filter"]
