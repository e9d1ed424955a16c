"""Drop: items without a score are left out of the ranking."""

import numpy as np
from numpy.typing import NDArray

from recsens.plugins.specs import Spec
from recsens.ranking.nc._base import NotComputable


class Drop(NotComputable):
    """Leave items without a score out of the ranking, which may then be shorter than the target set, or empty."""

    source = "Cañamares, Castells & Moffat (2020), section 4.6, 'None'"
    also_called = ("skip", "ignore", "none")

    def prose(self) -> str:
        """Say that items without a score were left out."""
        return "Items that a system cannot score were left out of its ranking."

    @property
    def fallback(self) -> Spec | None:
        """None: items without a score are not ranked."""
        return None

    def fills(self, train_counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return False for all users."""
        return np.zeros(len(train_counts), dtype=np.bool_)
