"""Gain mappings: what a rating is worth at the head of a ranking."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DesignError
from recsens.metrics._judged import Judged

Gain = Literal["binary", "exp", "linear"]
"""binary: g1(r) = 1 if r is relevant, else 0. exp: g2(r) = (2^(r-lo) - 1) / (2^(hi-lo) - 1) on a scale lo..hi. linear: r / hi.

g1 and g2 are those of Cañamares, Castells & Moffat (2020), section 3.6 and Table 3, where lo = 1 and hi = 5. Unjudged items gain 0.
"""


_WIDEST = 1000.0
"""Widest scale for exponential gains: 2^1024 is beyond float64."""


GAIN_MEANING = "gain of a rating r on a scale lo..hi: 1 if relevant (binary), (2^(r-lo)-1)/(2^(hi-lo)-1) (exp) or r/hi (linear)"
"""What the parameter ``gain`` of a metric means, in one line."""


def gains(judged: Judged, gain: Gain) -> NDArray[np.float64]:
    """Gain of each judged item, in [0, 1], shape (n,); 1 where the data set has no ratings.

    Raises
    ------
    DesignError
        If linear gains are asked of a scale with ratings below zero, where a gain would be a loss, or exponential ones of a scale
        wider than float64 can raise two to.
    """
    scale = judged.scale
    match gain:
        case "binary":
            values = judged.is_relevant.astype(np.float64)
        case "exp":
            if scale.highest - scale.lowest > _WIDEST:
                raise DesignError(
                    f"exponential gains overflow on a scale from {scale.lowest:g} to {scale.highest:g}",
                    allowed="gain=binary, gain=linear",
                )
            values = np.expm1((judged.rating - scale.lowest) * np.log(2)) / np.expm1((scale.highest - scale.lowest) * np.log(2))
        case "linear":
            if scale.lowest < 0:
                raise DesignError(f"linear gains have no meaning on a scale from {scale.lowest:g}", allowed="gain=binary, gain=exp")
            values = judged.rating / scale.highest
    return np.where(np.isnan(judged.rating), 1.0, values)
