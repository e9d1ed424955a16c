"""Interactions of users with items, and what is known of users and items beside them."""

from recsens.interactions._interactions import Interactions, Scale, read_only
from recsens.interactions._side_information import NAMING, SideColumn, SideTable, refuse_missing

__all__ = ["NAMING", "Interactions", "Scale", "SideColumn", "SideTable", "read_only", "refuse_missing"]
