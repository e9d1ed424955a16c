"""A1: data sets, from the publisher's file to interactions."""

from recsens.datasets._base import DataSet, Loaded, RawFile, to_interactions
from recsens.datasets._fetch import destinations, digest, fetch, locate

__all__ = ["DataSet", "Loaded", "RawFile", "destinations", "digest", "fetch", "locate", "to_interactions"]
