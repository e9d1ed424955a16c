"""Two systems are as good as each other."""

from typing import ClassVar

from recsens.conclusions.claims._difference import Apart


class Tied(Apart):
    """Systems ``a`` and ``b`` are as good as each other.

    With a ``margin`` the claim is equivalence: held if the interval of their difference over users lies within ± margin, not held
    if it lies outside, else undecided. Without one, the verdict on the pair decides: held if the study's own ``margin`` makes them
    equivalent or their difference is zero for every user, not held if one wins, else undecided, whatever p is. That a test found no
    difference is the claim ``not_significant``.
    """

    source = "Schuirmann (1987), on equivalence within a margin"
    is_apart: ClassVar[bool] = False
