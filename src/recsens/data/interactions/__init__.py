"""Interactions of users with items, and what is known of users and items beside them."""

from recsens.data.interactions._interactions import Interactions, read_only
from recsens.data.interactions._side_information import NAMING, SideColumn, SideTable, refuse_missing

__all__ = ["NAMING", "Interactions", "SideColumn", "SideTable", "read_only", "refuse_missing"]
