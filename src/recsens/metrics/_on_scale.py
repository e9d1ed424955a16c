"""Ratings on the scale that they are said to be on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DesignError
from recsens.interactions import Scale
from recsens.metrics._judged import Judged

_ROUNDING = 1e-9
"""How far above or below the scale a rating may lie: values of a scale are rounded to nine decimals."""


def check_scale(rating: NDArray[np.float64], scale: Scale, place: Callable[[int], str]) -> None:
    """Refuse a scale that does not rise, and ratings outside of it; NaN is no rating.

    Parameters
    ----------
    rating
        Shape (n,).
    scale
        The scale that they should be on.
    place
        Says where a rating stands, given its index.

    Raises
    ------
    DesignError
        If the scale does not rise, or a rating is below or above it; with its place.
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
            where=place(row),
            allowed=f"ratings from {scale.lowest:g} to {scale.highest:g}",
            remedy=f"correct the rating, or give the scale that holds all ratings: {lowest:.15g} to {highest:.15g}",
        )


def scale_given(given: Scale | Sequence[float] | None) -> Scale | None:
    """Take a scale as it is, or its lowest and highest value; None stays.

    Raises
    ------
    DesignError
        If it is neither.
    """
    if given is None or isinstance(given, Scale):
        return given
    try:
        lowest, highest = map(float, given)
    except (TypeError, ValueError) as error:
        raise DesignError(f"scale = {given!r}", allowed="the lowest and the highest rating: (1, 5)") from error
    return Scale(lowest, highest, 1.0 if lowest.is_integer() and highest.is_integer() else 0.0)


def on_scale_of(relevance: float, scale: Scale) -> float:
    """Return a threshold of relevance that the scale holds.

    Raises
    ------
    DesignError
        If it is below or above the scale, or no number.
    """
    if not (isinstance(relevance, int | float | np.number) and scale.lowest <= relevance <= scale.highest):
        raise DesignError(
            f"relevance = {relevance!r} is not on the scale from {scale.lowest:g} to {scale.highest:g}",
            allowed="a rating of the scale",
            remedy="say from which rating on an item is relevant, or give the scale: --scale 1 5, scale=(1, 5)",
        )
    return float(relevance)


def on_scale(judged: Judged) -> NDArray[np.float64]:
    """Return the ratings of judged items, shape (n,): what rounding left beyond an end of the scale is that end; NaN stays.

    Raises
    ------
    DesignError
        As `check_scale` does, with the row of the judged item and its user.
    """
    check_scale(judged.rating, judged.scale, lambda row: f"row {row}, user {judged.user[row]}")
    return np.clip(judged.rating, judged.scale.lowest, judged.scale.highest)
