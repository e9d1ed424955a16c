"""Residual of rank-biased precision."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.metrics._base import Ignorable, Metric
from recsens.metrics._judged import Judged
from recsens.metrics._persistence import rbp_weight
from recsens.metrics._shares import capped


class RBPResidual(Metric):
    """residual@n = (1 - φ) Σ_{k<=m, unjudged} φ^(k-1) + φ^m with m = min(n, length of the list): what RBP could still gain.

    The unjudged items seen might all be perfect, and so might everything below the cut-off. The residual is therefore 1 minus the
    weight of the judged items above the cut-off. Range [0, 1]; 1 without a list.
    """

    label: ClassVar[str] = "RBPResidual"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "Moffat & Zobel (2008), section 3.3"
    higher_is_better: ClassVar[bool] = False
    is_descriptive: ClassVar[bool] = True
    ignores: ClassVar[frozenset[Ignorable]] = frozenset({"relevance"})

    phi: float = Field(0.8, gt=0, lt=1, description="probability of going on to the next item")

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Subtract the weight of the judged items from the whole weight, 1."""
        # If everything is judged, the sum of weights may exceed 1 in its last bit.
        return 1.0 - capped(judged.sums(np.ones(len(judged.user)), cutoffs, rbp_weight(self.phi)), 1.0)
