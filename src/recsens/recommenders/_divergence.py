"""Steps that were too long."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DesignError
from recsens.plugins import Plugin


def refuse_divergence(recommender: Plugin, parameters: Iterable[NDArray[Any]], remedy: str) -> None:
    """Refuse what fitting arrived at where some of it is not finite.

    Raises
    ------
    DesignError
        If a parameter is infinite or NaN.
    """
    if not all(np.isfinite(each).all() for each in parameters):
        raise DesignError("fitting diverged: factors are not finite", where=f"recommender '{recommender.spec}'", remedy=remedy)
