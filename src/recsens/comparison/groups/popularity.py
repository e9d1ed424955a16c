"""Items by popularity, in groups with about equal shares of the train ratings."""

from collections.abc import Sequence

from pydantic import Field

from recsens.comparison.groups._base import Grouping, Groups, Side, count_labels, divide_by_counts
from recsens.data.interactions import Interactions

_ENDS = ("most popular", "least popular")


class ByPopularity(Grouping):
    """Divide items by their number of train ratings into ``n`` groups with about equal shares of all train ratings, on each fold.

    An item is in group floor(n W / T), where W is the number of train ratings of more popular items, and T that of all items. The
    first group therefore has few items, the short head, and the last has many. Items without train ratings are a group of their
    own.
    """

    source = "Celma & Cano (2008); Cremonesi, Koren & Turrin (2010), section 3, divide items into short head and long tail"

    n: int = Field(3, ge=2, le=20, description="number of groups")

    @property
    def side(self) -> Side:
        """Items."""
        return "items"

    @property
    def title(self) -> str:
        """The grouping in a few words."""
        return "by share of the train ratings"

    @property
    def labels(self) -> Sequence[str]:
        """The groups, and those without train ratings."""
        return count_labels(self.n, _ENDS)

    def divide(self, train: Interactions) -> Groups:
        """Divide the items by their counts, the most popular first."""
        counts = train.item_counts
        return divide_by_counts(counts, counts, self.n, _ENDS, most_first=True)
