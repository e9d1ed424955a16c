"""No filter: all interactions are used."""

from recsens.data.filtering._base import Filter
from recsens.data.interactions import Interactions
from recsens.seeds import Stream


class Everything(Filter):
    """Keep every interaction."""

    keeps_ratings = True

    def prose(self, when: str = "Before the split") -> str:
        """Say that nothing was dropped."""
        return "All ratings were used."

    def apply(self, interactions: Interactions, stream: Stream) -> Interactions:
        """Return all interactions."""
        return interactions
