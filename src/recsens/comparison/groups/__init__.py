"""Groupings of users or items, by which a study divides the users' differences between systems."""

from recsens.comparison.groups._base import Grouping, Groups, Side

__all__ = ["Grouping", "Groups", "Side"]
