"""What a difference rests on: its interval, its p-value, its users."""

from __future__ import annotations

import math

from recsens.report.components import confidence_of, scale_of
from recsens.report.numbers import SPACE, estimate, p_claim, users
from recsens.study import Experiment


def interval_name(study: Experiment) -> str:
    """Return what the intervals of the base design's test are: ``95 % CI``."""
    return f"{100 * confidence_of(str(study.design.test)):g}{SPACE}%{SPACE}CI"


def evidence(
    study: Experiment,
    difference: float,
    interval: tuple[float, float],
    p_value: float,
    n_users: tuple[float, float],
    aggregate: str,
) -> tuple[str, str]:
    """Print a difference, and beside it what it rests on.

    Parameters
    ----------
    study
        The experiment, whose base design says how sure its intervals are.
    difference, interval, p_value
        What the test says, seen from the system that is ahead; without limits, no interval is printed.
    n_users
        Users compared, and their effective number.
    aggregate
        The design's aggregate, which says what the difference is a difference of.
    """
    size, low, high = estimate(difference, *interval)
    limits = "" if math.isnan(interval[0]) else f"{interval_name(study)} {low}{SPACE}to{SPACE}{high}, "
    return f"{size}{scale_of(aggregate)}", f"{limits}{p_claim(p_value)}, {users(*n_users)}"
