"""The contract of a filter."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from recsens.interactions import Interactions
from recsens.plugins import Plugin
from recsens.seeds import Stream


class Filter(Plugin):
    """Selects the interactions of a data set that take part, or the form they take (decision A1)."""

    kind: ClassVar[str] = "filter"
    synonyms: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("min", "minimum", "min_ratings", "threshold"), "at_least"),
        **dict.fromkeys(("max", "maximum", "max_ratings"), "at_most"),
        **dict.fromkeys(("k", "core"), "users and items have a number of ratings each: k_core(users=5,items=5)"),
    }
    keeps_ratings: ClassVar[bool] = False
    """Whether ratings that stay are what they were, on the scale on which they were."""
    needs_timestamps: ClassVar[bool] = False
    """Whether data without time stamps cannot be filtered this way."""

    @abstractmethod
    def apply(self, interactions: Interactions, stream: Stream) -> Interactions:
        """Return what is left, of the same users and items: the step renumbers those that still have interactions.

        Most filters return ``interactions.take(...)``; one that changes ratings returns its scale with them.
        """
