"""Users by their number of train ratings."""

from collections.abc import Sequence

import numpy as np
from pydantic import Field

from recsens.comparison.groups._base import Grouping, Groups, count_labels, divide_by_counts
from recsens.data.interactions import Interactions

_ENDS = ("least active", "most active")


class ByActivity(Grouping):
    """Divide users by their number of train ratings into ``n`` groups of about equal size, on each fold.

    A user is in group floor(n W / T), where W is the number of users with fewer train ratings, and T that of all users with train
    ratings; so users with the same number are together. Users without train ratings form a further group.
    """

    n: int = Field(3, ge=2, le=20, description="number of groups")

    @property
    def title(self) -> str:
        """The grouping in a few words."""
        return "by number of train ratings"

    @property
    def labels(self) -> Sequence[str]:
        """The groups, and those without train ratings."""
        return count_labels(self.n, _ENDS)

    def divide(self, train: Interactions) -> Groups:
        """Divide the users by their counts."""
        return divide_by_counts(train.user_counts, np.ones_like(train.user_counts), self.n, _ENDS)
