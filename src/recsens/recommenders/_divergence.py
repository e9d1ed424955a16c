"""Check that fitted parameters are finite."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DesignError
from recsens.plugins import Plugin


def refuse_divergence(recommender: Plugin, parameters: Iterable[NDArray[Any]], remedy: str) -> None:
    """Refuse fitted parameters that are not finite.

    Raises DesignError if a parameter is infinite or NaN.
    """
    if not all(np.isfinite(each).all() for each in parameters):
        raise DesignError("fitting diverged: factors are not finite", where=f"recommender '{recommender.spec}'", remedy=remedy)
