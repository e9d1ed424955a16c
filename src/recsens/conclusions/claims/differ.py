"""Two systems that differ, whichever is better."""

from typing import ClassVar

from recsens.conclusions.claims._difference import Apart


class Differ(Apart):
    """Systems ``a`` and ``b`` differ, whichever is better. This is the opposite of ``tied``.

    With a ``margin``, the claim is held if the interval of their difference over users lies outside ± margin, not held if it lies
    within ± margin, and otherwise undecided. Without a ``margin``, the verdict on the pair decides: the claim is held if one of the
    systems wins, not held if the study's ``margin`` makes them equivalent or if their difference is zero for every user, and
    otherwise undecided. For a metric that describes rankings and has no better direction, p below ``alpha`` replaces the win.
    """

    is_apart: ClassVar[bool] = True
