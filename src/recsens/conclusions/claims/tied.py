"""Two systems that are equally good."""

from typing import ClassVar

from recsens.conclusions.claims._difference import Apart


class Tied(Apart):
    """Systems ``a`` and ``b`` are equally good.

    With a ``margin``, the claim is equivalence. It is held if the interval of their difference over users lies within ± margin, not
    held if it lies outside, and otherwise undecided. Without a ``margin``, the verdict on the pair decides: the claim is held if
    the study's ``margin`` makes the systems equivalent or if their difference is zero for every user, not held if one system wins,
    and otherwise undecided. To claim that a test found no difference, use ``not_significant``.
    """

    source = "Schuirmann (1987), on equivalence within a margin"
    is_apart: ClassVar[bool] = False
