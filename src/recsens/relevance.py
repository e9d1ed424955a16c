"""The default relevance threshold: which ratings are relevant if a study does not say."""

import math


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
