"""Check that ratings and thresholds are on the rating scale."""

from collections.abc import Callable, Sequence

import numpy as np

from recsens.arrays import Floats
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.metrics._judged import Judged

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


def on_scale_of(relevance: float, scale: Scale) -> float:
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


def on_scale(judged: Judged) -> Floats:
    """Return judged items' ratings, shape (n,), without rounding errors beyond the ends of the scale; NaN stays NaN.

    Raises DesignError as `check_scale` does; the message names the judged item's row and its user.
    """
    check_scale(judged.rating, judged.scale, lambda row: f"row {row}, user {judged.user[row]}")
    return np.clip(judged.rating, judged.scale.lowest, judged.scale.highest)
