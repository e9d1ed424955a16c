"""Widen the interval of a leak's size, because without the leak the model would have been fitted on other data."""

import math

import numpy as np

from recsens.runs.leakage._material import Material, SearchedRun, place_in_list
from recsens.runs.leakage._sizes import NORMAL, Inflation

_DRAWS = 8


def over_fits(size: Inflation, material: Material, run: SearchedRun, *, n_further: float = 0) -> Inflation:
    """Widen an interval by two effects of a new fit, which the files cannot show.

    A size is the amount that the leak adds to the value of these lists. Without the leak, the model would have been fitted on other
    data, and every user's list could differ. The interval is widened for:

    - Chance. Models fitted on nearly the same ratings differ in the order of neighbours in lists. The interval is widened by the
      standard error of the mean if each two neighbours (positions 1 and 2, 3 and 4, ..., or 2 and 3, 4 and 5, ...) were swapped
      with probability 1/2.
    - Learning, if the fit saw ``n_further`` ratings that it should not have seen. If the learning curve is concave, each such
      rating added at most as much to the value as a train rating did on average. Together they added at most the value times
      ``n_further``, divided by the number of train ratings. Only the upper end is raised by this amount.
    """
    learned = material.given(run).mean * n_further / max(len(material.train), 1)
    return size.widened(NORMAL * material.once(("exchanged", run.name), lambda: _error(material, run)), learned)


def _error(material: Material, run: SearchedRun) -> float:
    """Return the standard error of the mean's change if neighbours in lists are swapped at random."""
    pairs, given, measure = material.top(run, beyond=1), material.given(run).values, material.measure(material.test)
    place, stream = place_in_list(pairs.user), material.stream.child("fits", run.name)
    n_counted, total = int(np.count_nonzero(~np.isnan(given))), 0.0
    if measure is None or not n_counted:
        return math.nan
    for number in range(_DRAWS):
        is_shifted, keys = stream.uniform(number, 0, pairs.user) < 1 / 2, stream.uniform(number, 1, np.arange(len(place)))
        changed = measure(pairs.with_value(-((place + is_shifted) // 2 + keys))).values
        total += float(np.nansum((changed - given) ** 2))
    return math.sqrt(total / _DRAWS) / n_counted
