"""Data sets (decision A1): from the publisher's files to interactions."""

from recsens.data.datasets._base import DataSet, Described, Loaded, RawFile, names_of_codes, to_interactions
from recsens.data.datasets._raw_files import destinations, fetch, locate, locate_side, sha256_of
from recsens.data.datasets._statistics import Description, correlation, describe

__all__ = ["DataSet", "Described", "Loaded", "RawFile", "names_of_codes"]
