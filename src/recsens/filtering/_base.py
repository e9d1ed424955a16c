"""The contract of a filter."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from recsens.interactions import Interactions
from recsens.plugins import Plugin
from recsens.seeds import Stream


class Filter(Plugin):
    """Selects the interactions of a data set that take part, or the form they take (decision A1)."""

    kind: ClassVar[str] = "filter"

    @abstractmethod
    def apply(self, interactions: Interactions, stream: Stream) -> Interactions:
        """Return what is left, of the same users and items: the step renumbers those that still have interactions.

        Most filters return ``interactions.take(...)``; one that changes ratings returns its scale with them.
        """
