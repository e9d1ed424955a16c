"""Two systems differ, whichever is better."""

from __future__ import annotations

from typing import ClassVar

from recsens.claims._apart import Apart


class Differ(Apart):
    """Systems ``a`` and ``b`` differ, whichever is better: the opposite of ``tied``.

    With a ``margin``: held if the interval of their difference over users lies outside ± margin, not held if it lies within, else
    undecided. Without one: held if the design's test tells them apart, not held if it does not, undecided if it gives no p-value.
    """

    is_apart: ClassVar[bool] = True

    def verb(self) -> str:
        """Say that they differ."""
        return "differ"
