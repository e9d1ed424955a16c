"""Residual of rank-biased precision."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, Metric, capped
from recsens.metrics._discounts import rbp_weight


class RBPResidual(Metric):
    """residual@n = (1 - φ) Σ_{k<=m, unjudged} φ^(k-1) + φ^m with m = min(n, length of the list): what RBP could still gain.

    All unjudged items in the list, and all items below the cut-off, might have the highest gain. The residual is therefore 1 minus
    the weight of the judged items above the cut-off. Range [0, 1]; 1 without a list.
    """

    label = "RBPResidual"
    is_monotone = True
    source = "Moffat & Zobel (2008), section 3.3"
    higher_is_better = False
    is_descriptive = True
    ignores = frozenset({"relevance"})
    synonyms: ClassVar[Mapping[str, str]] = dict.fromkeys(("p", "patience", "persistence"), "phi")

    phi: float = Field(0.8, gt=0, lt=1, description="probability of going on to the next item")

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Subtract the weight of the judged items from the total weight, 1."""
        # If everything is judged, the sum of weights may exceed 1 in its last bit.
        return 1.0 - capped(judged.sums(np.ones(len(judged.user)), cutoffs, rbp_weight(self.phi)), 1.0)
