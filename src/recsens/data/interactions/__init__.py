"""Interactions of users with items, and what is known of users and items beside them."""

from recsens.data.interactions._interactions import Interactions, read_only
from recsens.data.interactions._side_information import NAMING, SideColumn, SideTable, refuse_missing
from recsens.files.scale import Scale

__all__ = ["NAMING", "Interactions", "Scale", "SideColumn", "SideTable", "read_only", "refuse_missing"]
