"""Significance tests (decision D), which compare how well two systems serve users."""

from recsens.comparison.significance._base import FEWEST_USERS, Comparison, SignificanceTest
from recsens.comparison.significance._corrections import adjusted, first_step
from recsens.comparison.significance._joint_hypothesis import SAMPLES, family_of
from recsens.comparison.significance._joint_result import Family
from recsens.comparison.significance._repeated_splits import corrected_resampled_p

__all__ = [
    "FEWEST_USERS",
    "SAMPLES",
    "Comparison",
    "Family",
    "SignificanceTest",
    "adjusted",
    "corrected_resampled_p",
    "family_of",
    "first_step",
]
