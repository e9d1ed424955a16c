"""Arithmetic mean over users."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsens.aggregation._base import Aggregate


class Mean(Aggregate):
    """m = (1/|U|) Σ_u m_u: every user counts the same."""

    source = "Cañamares, Castells & Moffat (2020), section 3.8"

    def combine(self, values: NDArray[np.float64]) -> float:
        """Average; NaN for no user."""
        return float(np.mean(values)) if len(values) else float("nan")
