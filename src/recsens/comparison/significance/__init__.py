"""Significance tests (decision D), which compare how well two systems serve users."""

from recsens.comparison.significance._base import FEWEST_USERS, Comparison, Family, Pairs, SignificanceTest, fixed_by_test
from recsens.comparison.significance._corrections import adjusted, corrected_resampled_p, strictest_threshold
from recsens.comparison.significance._max_t_family import SAMPLES, max_t_family

__all__ = ["Comparison", "Family", "Pairs", "SignificanceTest"]
