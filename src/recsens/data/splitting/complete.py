"""Any split, tested on the complete relevance of a simulated data set: on all pairs that are not in train or validation."""

from typing import ClassVar

from recsens.data.splitting._wrapper import Around


class Complete(Around):
    """Trains as the split ``of`` does, and tests on the true ratings of all items outside the user's train and validation sets.

    Simulated data (``simulated``) include the true ratings of all pairs, observed or not. The values of metrics are therefore true
    values. The values under other splits with the same train set can be compared with them. A fold's roles, record and export are
    the same as under the split ``of``; only rankings are tested on the complete relevance. Data without complete relevance are
    refused, and so are filters that change ratings. No other split can wrap this split.
    """

    source = "Cañamares & Castells (2018), Should I follow the crowd?: true precision"
    keeps_train = True
    tests_truth: ClassVar[bool] = True

    def prose(self, whose: str = "the ratings") -> str:
        """Describe the inner split, and say on which ratings systems were tested."""
        return (
            f"{self.inner.prose(whose)} Systems learned from this training set, and were tested on the true ratings of all items "
            "outside the user's training set."
        )
