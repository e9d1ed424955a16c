"""The evidence for a difference: its interval, its p-value, the splits and fits that the p-value treats as fixed, and the users."""

import math
from collections.abc import Collection

from recsens.comparison.significance import fixed_by_test
from recsens.conclusions.verdicts.best import Duel
from recsens.conclusions.verdicts.components import confidence_of, scale_of
from recsens.outcomes.winner import significant
from recsens.study import Experiment
from recsens.tables.numbers import SPACE, deviation_of, estimate, p_claim, users


def interval_name(study: Experiment) -> str:
    """Name the intervals of the base design's test, such as ``95 % CI``."""
    return f"{100 * confidence_of(str(study.design.test)):g}{SPACE}%{SPACE}CI"


def evidence(study: Experiment, duel: Duel, aggregate: str, n_folds: float) -> tuple[str, str]:
    """Print a difference and the evidence for it.

    Parameters
    ----------
    study
        The experiment; its base design gives the level of the intervals.
    duel
        The comparison, from the point of view of the system that is ahead; if it has no interval, none is printed.
    aggregate
        The design's aggregate, which determines what is subtracted.
    n_folds
        The design's number of folds, which p treats as fixed.
    """
    size, low, high = estimate(duel.difference, duel.low, duel.high)
    limits = "" if math.isnan(duel.low) else f"{interval_name(study)} {low}{SPACE}to{SPACE}{high}, "
    p = p_and_fixed(duel.p_value, duel.resampled_p, study.alpha, n_folds, duel.correction)
    of_values = beside_values(duel.difference, duel.value_difference, duel.low, duel.high)
    grounds = f"{limits}{p}, {users(duel.n_users, duel.n_effective)}{of_values}"
    return f"{size}{scale_of(aggregate)}", grounds


def value_difference(tested: float, of_values: float, low: float, high: float) -> str:
    """Print the difference between two values; empty if it prints like the tested difference, or if either one is missing."""
    if math.isnan(tested) or math.isnan(of_values):
        return ""
    text = deviation_of(tested, of_values, (high - low) / 2)
    return "" if text == estimate(tested, low, high)[0] else text


def beside_values(tested: float, of_values: float, low: float, high: float) -> str:
    """Say by how much the values differ, for the end of a bracket in a sentence; empty if `value_difference` is empty."""
    text = value_difference(tested, of_values, low, high)
    return f"; this is the tested difference, and the two scores differ by {text}" if text else ""


def p_and_fixed(p_value: float, resampled_p: float, alpha: float, n_folds: float, correction: str) -> str:
    """Print a p-value over users, what it treats as fixed, and the p-value over splits if the two p-values disagree."""
    p = p_claim(p_value)
    return (
        p if math.isnan(p_value) else f"{p} for {fixed_by_test(n_folds)}{but_over_splits(p_value, resampled_p, alpha, correction)}"
    )


def but_over_splits(p_value: float, resampled_p: float, alpha: float, correction: str) -> str:
    """Print the p-value over splits, after the p-value over users; empty unless exactly one of the two is below alpha."""
    if not disagree(p_value, resampled_p, alpha):
        return ""
    return f", but {resampled({correction})} {p_claim(resampled_p)} over other splits"


def resampled(corrections: Collection[str]) -> str:
    """Name the p-value over splits. It is never corrected, so it is called ``uncorrected`` next to corrected p-values."""
    return "resampled" if set(corrections) <= {"none"} else "uncorrected resampled"


def disagree(p_value: float, resampled_p: float, alpha: float) -> bool:
    """Whether exactly one of p over users and p over splits is below alpha; False if one of them is missing."""
    known = not math.isnan(p_value) and not math.isnan(resampled_p)
    return known and bool(significant(p_value, alpha) != significant(resampled_p, alpha))
