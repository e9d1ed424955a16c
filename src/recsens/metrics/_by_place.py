"""How a metric's value follows from the gain at each place of a list, for items whose gain is not known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from recsens.arrays import Floats, Ints
from recsens.metrics._judged import Judged

Rule = Literal["sum", "stop", "precision"]
"""How gains g(k) at places k make a value, with weights w(k):

=========  ===============================
sum        Σ w(k) g(k)
stop       Σ w(k) g(k) Π_{i<k} (1 - g(i))
precision  Σ w(k) g(k) (1 + Σ_{i<k} g(i))
=========  ===============================
"""


@dataclass(frozen=True)
class ByPlace:
    """A metric as a function of gains by place; the value is ``scale`` times the rule's sum.

    Attributes
    ----------
    rule
        The rule.
    weight
        The weight of each place down to the cut-off, never rising, shape (n,).
    gain
        The gain of each judged item, shape (n_judged,).
    highest
        The gain of the best rating: what an unrated item gains if it is relevant.
    scale
        One over the divisor of each user, as measured, shape (n_users,); 0 if the value is 0 whatever the list.
    """

    rule: Rule
    weight: Floats
    gain: Floats
    highest: float
    scale: Floats

    @classmethod
    def of_hits(cls, rule: Rule, weight: Floats, judged: Judged, divisor: Floats | Ints | None = None) -> ByPlace:
        """Describe a metric that counts relevant items, divided by each user's ``divisor``, shape (n_users,), if there is one."""
        return cls(rule, weight, judged.is_relevant.astype(np.float64), 1.0, scale_of(judged, divisor))


def scale_of(judged: Judged, divisor: Floats | Ints | None) -> Floats:
    """Return one over the divisor of each user, 0 where it is 0; without a divisor, 1 for every user."""
    if divisor is None:
        return np.ones(judged.n_users)
    return np.divide(1.0, divisor, out=np.zeros(judged.n_users), where=divisor > 0)
