"""D: significance tests of whether one system serves its users better than another."""

from recsens.significance._base import Comparison, SignificanceTest
from recsens.significance._corrections import adjusted
from recsens.significance._resampled import corrected_resampled_p

__all__ = ["Comparison", "SignificanceTest", "adjusted", "corrected_resampled_p"]
