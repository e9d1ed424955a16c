"""Cold users or items, and all others."""

from collections.abc import Sequence

from pydantic import Field

from recsens.comparison.groups._base import OF, Grouping, Groups, Side, counts_of
from recsens.data.interactions import Interactions


class Cold(Grouping):
    """Separate the users or items with at most ``most`` train ratings from all others, on each fold.

    Users without train ratings are averaged only with ``users: with_ratings(train=0)``, and items without train ratings are ranked
    only if the target items contain them.
    """

    of: Side = OF
    most: int = Field(0, ge=0, description="largest number of train ratings of a cold user or item")

    @property
    def side(self) -> Side:
        """Whose groups they are."""
        return self.of

    @property
    def title(self) -> str:
        """The grouping in a few words."""
        return f"with and without {f'more than {self.most:,} ' if self.most else ''}train ratings"

    @property
    def labels(self) -> Sequence[str]:
        """Cold members and all others."""
        return "cold", "not cold"

    def divide(self, train: Interactions) -> Groups:
        """Separate by counts."""
        is_cold = counts_of(train, self.of) <= self.most
        return {"cold": is_cold, "not cold": ~is_cold}
