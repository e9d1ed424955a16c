"""Significance tests (decision D), which compare how well two systems serve users."""

from recsens.comparison.significance._base import FEWEST_USERS, Comparison, Family, Pairs, SignificanceTest, fixed_by_test
from recsens.comparison.significance._corrections import adjusted, corrected_resampled_p, first_step
from recsens.comparison.significance._joint_hypothesis import SAMPLES, family_of

__all__ = ["Comparison", "Family", "Pairs", "SignificanceTest"]
