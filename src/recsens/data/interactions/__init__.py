"""Interactions of users with items, and side information."""

from recsens.arrays import read_only
from recsens.data.interactions._interactions import Interactions
from recsens.data.interactions._side_information import NAMING, SideColumn, SideTable, refuse_missing
from recsens.files.scale import Scale

__all__ = ["NAMING", "Interactions", "Scale", "SideColumn", "SideTable", "read_only", "refuse_missing"]
