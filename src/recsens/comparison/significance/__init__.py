"""D: significance tests of whether one system serves its users better than another."""

from recsens.comparison.significance._base import Comparison, SignificanceTest
from recsens.comparison.significance._corrections import adjusted, first_step
from recsens.comparison.significance._family import Family
from recsens.comparison.significance._resampled import corrected_resampled_p
from recsens.comparison.significance._together import SAMPLES, family_of

__all__ = ["SAMPLES", "Comparison", "Family", "SignificanceTest", "adjusted", "corrected_resampled_p", "family_of", "first_step"]
