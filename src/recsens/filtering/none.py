"""No filter: all interactions take part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsens.filtering._base import Filter
from recsens.interactions import Interactions
from recsens.seeds import Stream


class Everything(Filter):
    """Keep every interaction."""

    def keep(self, interactions: Interactions, stream: Stream) -> NDArray[np.bool_]:
        """Keep all."""
        return np.ones(len(interactions), dtype=np.bool_)
