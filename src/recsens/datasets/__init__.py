"""A1: data sets, from the publisher's file to interactions."""

from recsens.datasets._base import DataSet, Loaded, RawFile

__all__ = ["DataSet", "Loaded", "RawFile"]
