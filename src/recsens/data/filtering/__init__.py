"""A1: filters, which choose the interactions that take part."""

from recsens.data.filtering._base import Filter

__all__ = ["Filter"]
