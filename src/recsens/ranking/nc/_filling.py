"""What policies share that let another recommender score items."""

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.plugins import component
from recsens.plugins.specs import Spec
from recsens.ranking.nc._base import NotComputable


class Filling(NotComputable):
    """A policy that lets another recommender score items, for all users or only for those without train ratings."""

    by: Annotated[Spec, *component("recommender")] = Field(
        Spec("random"), description="recommender that orders the items without a score"
    )
    users: Literal["all", "without_train"] = Field("all", description="users whose rankings are filled up")

    @property
    def fallback(self) -> Spec | None:
        """The fallback recommender, which the parameter ``by`` names."""
        return self.by

    def fills(self, train_counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Fill in for all users, or only for those without train ratings."""
        return np.asarray(train_counts == 0) if self.users == "without_train" else np.ones(len(train_counts), dtype=np.bool_)
