"""Two systems are as good as each other."""

from __future__ import annotations

from typing import ClassVar

from recsens.claims._apart import Apart


class Tied(Apart):
    """Systems ``a`` and ``b`` are as good as each other.

    With a ``margin`` the claim is equivalence: held if the interval of their difference over users lies within ± margin, not held
    if it lies outside, else undecided. Without one it is only what a test said: held if the design's test does not tell them apart,
    not held if it does, undecided if it gives no p-value. A test of few users tells nothing apart: give a margin.
    """

    source = "Schuirmann (1987), on equivalence within a margin"
    is_apart: ClassVar[bool] = False

    def verb(self) -> str:
        """Say that they are tied."""
        return "are tied" if self.margin is not None else "are not told apart"
