"""Rating scales: lowest value, highest value, and the step between values; checks of ratings and thresholds on a scale."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Floats
from recsens.errors import DesignError

_TOLERANCE = 1e-3
"""Largest distance of a rating from a value of the scale, in steps: 32-bit fractions, and fractions rounded in a file, are not
exact."""

MAX_RATING = 1e15
"""Largest absolute value of a rating. Whole numbers up to it are exact, and their sums and squares do not overflow."""

MAX_STEPS, FINEST_STEP = 1_000_000_000, 1e-6
"""Largest number of steps of a scale, and its smallest step: ratings are stored with nine decimals, and may differ from a scale
value by a thousandth of a step.
"""

_FINER = (0.5, 0.25, 0.2, 0.1, 0.05, 0.01)
"""Common distances between neighbouring ratings."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A data set's rating scale: lowest value, highest value, and the distance between neighbours (0 allows any value).

    ``relevant`` is the data set's own threshold of relevance; None for the scale's (`default_threshold`).
    """

    lowest: float = 1.0
    highest: float = 5.0
    step: float = 1.0
    relevant: float | None = None

    @property
    def relevance(self) -> float:
        """The default threshold of relevance: the data set's own, or else the scale's."""
        return default_threshold(self.lowest, self.highest, self.step) if self.relevant is None else self.relevant

    def threshold(self, relevance: float | None) -> float:
        """Return the given threshold of relevance, or else the default."""
        return self.relevance if relevance is None else relevance

    def describe(self) -> str:
        """Say which ratings are on the scale."""
        return f"a number from {self.lowest:g} to {self.highest:g}{f' in steps of {self.step:g}' if self.step else ''}"

    def holds(self, ratings: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return whether each rating is on the scale; NaN and infinities are not."""
        with np.errstate(invalid="ignore"):
            inside = (ratings >= self.lowest) & (ratings <= self.highest)
            return np.asarray(inside & _is_whole((ratings - self.lowest) / self.step) if self.step else inside)

    def snapped(self, ratings: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ratings as exact scale values, to nine decimals: 3.8 in single precision becomes 3.8 again.

        Otherwise, because of rounding, a rating that equals the threshold of relevance could lie just below it. Without steps,
        ratings stay unchanged.
        """
        if not self.step:
            return ratings
        steps = np.rint((ratings - self.lowest) / self.step)
        return np.asarray(np.round(self.lowest + steps * self.step, 9))

    def miss_in_words(self, rating: float) -> tuple[str, str | None]:
        """Say how a finite rating misses the scale, and how to declare a finer or wider scale that contains it.

        The declaration is None if the rating is at least one step outside this scale, because such a rating may mean "no rating".
        """
        is_between, offset = self.lowest <= rating <= self.highest, rating - self.lowest
        where = "lies between two values of the declared scale" if is_between else "is outside the declared scale"
        problem = f"the rating {rating:g} {where}"
        is_near = self.lowest - self.step < rating < self.highest + self.step
        if not self.step or not is_near or _is_whole(offset / self.step):
            return problem, None
        step = next((step for step in _FINER if step < self.step and _is_whole(offset / step)), 0)
        end = f"lowest={rating:g}," if rating < self.lowest else f"highest={rating:g}," if rating > self.highest else ""
        return problem, f"{end}step={step:g}"


def _is_whole(steps: Any) -> Any:
    return np.abs(steps - np.rint(steps)) <= _TOLERANCE


def default_threshold(lowest: float, highest: float, step: float) -> float:
    """Return the lowest relevant rating: the upper quarter of the scale, rounded up to a scale value (4 on 1-5).

    A step of 0 means that the scale has no steps.
    """
    cut = lowest + 0.75 * (highest - lowest)
    if step == 0:
        return cut
    steps = math.ceil(round((cut - lowest) / step, 9))
    # On a scale in tenths, return 3.8 and not 3.8000000000000003, which a rating of 3.8 would not reach.
    return round(lowest + steps * step, 9)


_ROUNDING = 1e-9
"""Tolerance at both ends of the scale, because scale values are rounded to nine decimals."""


def check_scale(rating: Floats, scale: Scale, where_of: Callable[[int], str]) -> None:
    """Refuse an empty scale, and ratings outside the scale; NaN is not a rating.

    Raises DesignError if the scale's highest rating is not above its lowest, or if a rating is outside the scale; the message
    locates that rating.

    Parameters
    ----------
    rating
        The ratings, shape (n,).
    scale
        The scale on which they should be.
    where_of
        Function that returns, in words, where the rating of a row comes from.
    """
    if not -np.inf < scale.lowest < scale.highest < np.inf:
        raise DesignError(
            f"a rating scale from {scale.lowest:g} to {scale.highest:g}",
            allowed="the lowest rating, then a higher one",
            remedy="--scale 1 5, scale=Scale(1, 5)",
        )
    is_outside = (rating < scale.lowest - _ROUNDING) | (rating > scale.highest + _ROUNDING)
    if is_outside.any():
        row = int(np.argmax(is_outside))
        lowest, highest = min(scale.lowest, float(np.nanmin(rating))), max(scale.highest, float(np.nanmax(rating)))
        raise DesignError(
            f"the rating {rating[row]:.15g} is outside the scale from {scale.lowest:g} to {scale.highest:g}",
            where=where_of(row),
            allowed=f"ratings from {scale.lowest:g} to {scale.highest:g}",
            remedy=f"correct the rating, or give a scale that contains all ratings: {lowest:.15g} to {highest:.15g}",
        )


def scale_given(given: Scale | Sequence[float] | None) -> Scale | None:
    """Return a scale, given as a `Scale` or as its lowest and highest value; None stays None.

    Raises DesignError for anything else.
    """
    if given is None or isinstance(given, Scale):
        return given
    try:
        lowest, highest = map(float, given)
    except (TypeError, ValueError) as error:
        raise DesignError(f"scale = {given!r}", allowed="the lowest and the highest rating: (1, 5)") from error
    return Scale(lowest, highest, 1.0 if lowest.is_integer() and highest.is_integer() else 0.0)


def check_on_scale(relevance: float, scale: Scale) -> float:
    """Return a relevance threshold after checking that it is on the scale.

    Raises DesignError if the threshold is outside the scale, or is not a number.
    """
    is_number = isinstance(relevance, int | float | np.number) and not isinstance(relevance, bool)
    if not (is_number and scale.lowest <= relevance <= scale.highest):
        raise DesignError(
            f"relevance = {relevance!r} is not on the scale from {scale.lowest:g} to {scale.highest:g}",
            allowed="a rating of the scale",
            remedy="give the lowest rating that is relevant, or give the scale: --scale 1 5, scale=(1, 5)",
        )
    return float(relevance)
