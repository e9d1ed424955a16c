"""D: whether one system's users are better served than another's."""

from recsens.significance._base import Comparison, SignificanceTest

__all__ = ["Comparison", "SignificanceTest"]
