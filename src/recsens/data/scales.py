"""The rating scale that undeclared numbers appear to use."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from recsens.files.scale import FINEST_STEP, MAX_STEPS, Scale

_USUAL = (Scale(), Scale(0.5, 5, 0.5), Scale(1, 10, 1), Scale(0, 10, 1), Scale(0, 1, 1))
"""Common rating scales. A common scale is chosen if all ratings lie on it, even if some of its values do not occur."""

_TOP = 0.8
"""A common scale is chosen only if the highest rating lies at or above this share of the scale's range."""

_MOST_STEPS = 1000
"""If ratings with fractions have more distinct values than this, the scale is treated as having no steps."""

_MOST_OF_TOP, MOST_STARS = 0.2, 10
"""Counts are skewed: their median is less than this share of the highest count, which is larger than any number of stars."""


def counted(ratings: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the distinct ratings in ascending order, and how often each occurs."""
    # Hashing is much faster than np.unique, which sorts all ratings.
    found = pc.value_counts(pa.array(ratings + 0.0))
    values, n = np.asarray(found.field("values")), np.asarray(found.field("counts"))
    order = np.argsort(values)
    return values[order], n[order]


def guess_scale(ratings: NDArray[np.float64]) -> Scale | None:
    """Return the scale that the ratings appear to use; None if all ratings are equal.

    Examples
    --------
    >>> scale_of(np.array([2.0, 4.0, 5.0])).describe(), scale_of(np.array([0.0, 12.5])).describe()
    ('a number from 1 to 5 in steps of 1', 'a number from 0 to 12.5 in steps of 12.5')
    """
    values, _ = counted(ratings)
    if len(values) < len(("lowest", "highest")):
        return None
    usual = next(
        (
            scale
            for scale in _USUAL
            if scale.holds(values).all() and values[-1] >= scale.lowest + _TOP * (scale.highest - scale.lowest)
        ),
        None,
    )
    return usual or Scale(float(values[0]), float(values[-1]), _step(values))


def is_usual(ratings: NDArray[np.float64]) -> bool:
    """Whether ratings have several values, all stars."""
    values = np.unique(ratings)
    return len(values) > 1 and are_stars(values)


def are_stars(values: NDArray[np.float64]) -> bool:
    """Whether all values are whole or half numbers from 0 to 10."""
    return bool((values >= 0).all() and (values <= MOST_STARS).all() and not (2 * values % 1).any())


def looks_like_counts(ratings: NDArray[np.float64]) -> bool:
    """Whether whole numbers from 1 (or 0) look like counts, such as plays: 1 is the most frequent, and few are large."""
    every, n = counted(ratings)
    values, n = every[every > 0], n[every > 0]
    if not len(values) or every[0] < 0 or not np.isfinite(values[-1]) or (values % 1).any():
        return False
    return bool(values[0] == 1 and n[0] == n.max() and values[-1] > MOST_STARS and np.median(ratings) < _MOST_OF_TOP * values[-1])


def _step(values: NDArray[np.float64]) -> float:
    """Return the largest step such that every value is a whole number of steps above the lowest; 0 if there is no such step."""
    gaps = np.diff(values)
    if len(values) > _MOST_STEPS and (values % 1).any():
        return 0.0
    for parts in range(1, 5):
        step = float(gaps.min()) / parts
        steps = gaps / step
        if step >= FINEST_STEP and np.abs(steps - np.rint(steps)).max() < 1e-3 and (values[-1] - values[0]) / step <= MAX_STEPS:
            return round(step, 9)
    return 0.0
