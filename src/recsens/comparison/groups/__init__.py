"""Groupings of users or items, by which a study divides the users' differences between systems."""

from recsens.comparison.groups._base import FEWEST_IN_GROUP, Grouping, Groups, Side

__all__ = ["FEWEST_IN_GROUP", "Grouping", "Groups", "Side"]
