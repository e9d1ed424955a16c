"""The contract of metrics that read recommendation lists."""

from abc import abstractmethod
from typing import ClassVar

from recsens.arrays import Floats
from recsens.errors import DesignError
from recsens.metrics._base import Metric, measures
from recsens.metrics._judged import Judged
from recsens.metrics._lists import Lists
from recsens.plugins.own import returns


class ListMetric(Metric):
    """A measure of the recommended items: the first items of every user's ranking, judged or not.

    Lists contain at most `recsens.vocabulary.LIST_DEPTH` items. A condensed list contains only the judged items.
    """

    reads = "lists"
    takes_cutoff = "always"
    needs_timestamps: ClassVar[bool] = False
    """Whether the metric reads `Catalogue.moments`."""

    @property
    def item_columns(self) -> tuple[str, ...]:
        """Columns of the table of items that `Catalogue.columns` must contain."""
        return ()

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Raise an error, because the positions of judged items do not show which other items were recommended.

        Raises
        ------
        DesignError
            Always.
        """
        raise DesignError(
            f"metric '{self.spec}' reads recommendation lists and the train set, which are not known here",
            allowed="metrics of judged positions, such as P, nDCG or RBP",
        )

    @abstractmethod
    @returns(measures)
    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Return the values of all users at all cut-offs, shape (n_users, n_cutoffs), or (1, n_cutoffs) if pooled.

        ``judged`` contains the judged items of the same users; position k is rank k in the list.
        """
