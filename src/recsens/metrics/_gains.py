"""Gains and discounts: how much an item with a given rating is worth, and how much each position counts."""

import re
from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, Field

from recsens.arrays import Floats, Ints
from recsens.errors import DesignError
from recsens.files.scale import check_scale
from recsens.metrics._base import Ignorable, Metric
from recsens.metrics._judged import Judged

UnitGain = Literal["binary", "exp", "linear", "chapelle"]
"""Gains in [0, 1] of a rating r on a scale lo..hi. Unjudged items gain 0.

========  =====================================  =======================================================================
binary    1 if r is relevant, else 0             g1 of Cañamares, Castells & Moffat (2020), Table 3
exp       (2^(r-lo) - 1) / (2^(hi-lo) - 1)       g2 of that paper, section 3.6, where lo = 1 and hi = 5
linear    r / hi
chapelle  (2^(r-lo) - 1) / 2^(hi-lo)             Chapelle et al. (2009), whose grades start at 0
========  =====================================  =======================================================================
"""

Gain = Literal["binary", "exp", "linear", "chapelle", "power", "above", "ranksys"]
"""Gains without a bound: those of `UnitGain` and, with a threshold τ of relevance:

========  =====================================  =======================================================================
power     2^r - 1                                Burges et al. (2005); Bellogín (2012)
above     r - τ + 1 if r >= τ, else 0            rec_eval's nDCG45: rating 4 gains 1, 5 gains 2
ranksys   2^(r-τ+1) - 1 if r >= τ, else 0        RankSys
========  =====================================  =======================================================================
"""

_BY_THRESHOLD: frozenset[Gain] = frozenset({"binary", "above", "ranksys"})

_WIDEST = 1000.0
"""Largest exponent of an exponential gain; 2^1024 is beyond float64."""

_UNIT_MEANING = (
    "gain of a rating r on a scale lo..hi: 1 if relevant (binary), (2^(r-lo)-1)/(2^(hi-lo)-1) (exp), r/hi (linear), "
    "(2^(r-lo)-1)/2^(hi-lo) (chapelle)"
)

UNIT_GAIN_MEANING = _UNIT_MEANING
"""Meaning of the parameter ``gain`` of a metric, in one line, for gains that are probabilities."""

GAIN_MEANING = (
    f"{_UNIT_MEANING}, 2^r-1 (power); for ratings at or above the relevance threshold τ, r-τ+1 (above), 2^(r-τ+1)-1 (ranksys)"
)
"""Meaning of the parameter ``gain`` of a metric, in one line."""


class GainMetric(Metric):
    """A metric of gains, whose gain is its first parameter."""

    gain: Gain = Field("binary", description=GAIN_MEANING)

    @property
    def ignored(self) -> frozenset[str]:
        """The decisions in ``ignores``, and also relevance if gains depend only on the rating."""
        return super().ignored | ignored_by(self.gain)


def ignored_by(gain: Gain) -> frozenset[Ignorable]:
    """Return the decisions that never change a gain: relevance, if the gain depends only on the rating."""
    return frozenset() if gain in _BY_THRESHOLD else frozenset({"relevance"})


def gains(judged: Judged, gain: Gain) -> Floats:
    """Return each judged item's gain, at least 0, shape (n,); 1 if the data set has no ratings.

    Raises DesignError if a rating is outside the scale, if the scale has negative ratings, which linear and power gains would turn
    into losses, or if the scale is so wide that an exponential gain would overflow float64.
    """
    if gain == "binary":
        return judged.is_relevant.astype(np.float64)
    check_scale(judged.rating, judged.scale, lambda row: f"row {row}, user {judged.user[row]}")
    # Ratings on a scale are rounded to nine decimals.
    rating, scale = np.clip(judged.rating, judged.scale.lowest, judged.scale.highest), judged.scale
    match gain:
        case "exp":
            _check_width(judged, scale.highest - scale.lowest)
            values = _exponential_gain(rating - scale.lowest) / _exponential_gain(scale.highest - scale.lowest)
        case "linear":
            _check_sign(judged, gain)
            values = rating / scale.highest
        case "chapelle":
            _check_width(judged, scale.highest - scale.lowest)
            values = _exponential_gain(rating - scale.lowest) / 2.0 ** (scale.highest - scale.lowest)
        case "power":
            _check_sign(judged, gain)
            _check_width(judged, scale.highest)
            values = _exponential_gain(rating)
        case "above":
            values = np.where(judged.is_relevant, rating - judged.relevance + 1, 0.0)
        case "ranksys":
            _check_width(judged, scale.highest - judged.relevance + 1)
            values = np.where(judged.is_relevant, _exponential_gain(np.maximum(rating - judged.relevance + 1, 0.0)), 0.0)
    return np.where(np.isnan(rating), 1.0, values)


def highest_gain(judged: Judged, gain: Gain) -> float:
    """Return the gain of the highest rating of the scale, or of every item if the data set has no ratings."""
    has_ratings = not np.isnan(judged.rating).all() or not len(judged.rating)
    rating = np.array([judged.scale.highest if has_ratings else np.nan])
    only, place = np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.int64)
    one = Judged(only, place, rating, place, judged.scale, judged.relevance)
    return float(gains(one, gain)[0])


def _exponential_gain(rating: Floats | float) -> Floats:
    # expm1 is exact to the last bit even for small steps of a scale.
    return np.asarray(np.expm1(np.multiply(rating, np.log(2))))


def _check_width(judged: Judged, exponent: float) -> None:
    if exponent > _WIDEST:
        raise DesignError(
            f"exponential gains overflow on a scale from {judged.scale.lowest:g} to {judged.scale.highest:g}",
            allowed="gain=binary, gain=linear",
        )


def _check_sign(judged: Judged, gain: str) -> None:
    if judged.scale.lowest < 0:
        raise DesignError(
            f"{gain} gains are not meaningful on a scale from {judged.scale.lowest:g}",
            allowed="gain=binary, gain=exp, gain=chapelle",
        )


_JK = re.compile(r"jk([2-9]|[1-9][0-9]{1,5})")


def _check_discount(text: str) -> str:
    if text != "log2" and not _JK.fullmatch(text):
        raise ValueError("must be log2, or jk with an integer base of at least 2, such as jk2")
    return text


Discount = Annotated[str, AfterValidator(_check_discount)]
"""log2: 1 / log2(k + 1) at position k. jk2, jk10, ...: the discount of Järvelin & Kekäläinen (2002) with base b, which is 1 for k <
b, and 1 / log_b(k) for k >= b."""

DISCOUNT_MEANING = "1 / log2(k + 1) at position k (log2); 1 for k < b, else 1 / log_b(k) (jk with the base b, such as jk2)"
"""Meaning of the parameter ``discount`` of a metric, in one line."""


def discount_at(discount: Discount) -> Callable[[Ints], Floats]:
    """Return the discount as a function of the position, which is at least 1."""
    if discount == "log2":
        return lambda position: np.asarray(1.0 / np.log2(position + 1.0))
    base = int(discount.removeprefix("jk"))
    return lambda position: np.asarray(np.log(base) / np.log(np.maximum(position, base)))
