"""The contract of a target selection."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from recsens.interactions import Interactions
from recsens.plugins import Plugin
from recsens.seeds import Stream
from recsens.targets._by_rating import ByRating


class Targets(Plugin):
    """Chooses the items that are ranked for each user; never an item of the user's train set.

    Either one ranking a user (AR): `mask` holds the target set T_u. Or one ranking for each relevant test rating r (1R): its target
    set is the item of r and non-relevant ones N_u^r, which `by_rating` describes.
    """

    kind: ClassVar[str] = "targets"
    synonyms: ClassVar[Mapping[str, str]] = dict.fromkeys(("n_negatives", "num_negatives", "negative_samples", "samples"), "n")
    unit: ClassVar[Literal["user", "rating"]] = "user"
    """Whether a user has one ranking (AR), or each of the user's relevant test ratings has (1R)."""

    made_for: ClassVar[str] = ""
    """The split that the selection is defined on, where there is one."""

    @property
    def uses_test(self) -> bool:
        """Whether the choice looks at the test set, so that a thinned test set must be ranked anew."""
        return False

    @property
    def uses_relevance(self) -> bool:
        """Whether the choice depends on which test ratings are relevant, so that the threshold is part of the address."""
        return False

    @property
    def n_groups(self) -> int:
        """Groups of rankings whose values count the same: the popularity percentiles of P1R, else 1."""
        return 1

    @property
    def mean_difference(self) -> str:
        """Which mean of ratings' differences a test takes, in words, where each rating has a ranking."""
        return "the mean difference per rating"

    def check(self, train: Interactions, test: Interactions, relevance: float) -> None:
        """Refuse data on which these targets cannot be chosen, before anything is fitted.

        Raises
        ------
        DesignError
            If too few items are left to choose from, say; the message names what would fit.
        """
        return

    @abstractmethod
    def mask(
        self, train: Interactions, test: Interactions, users: NDArray[np.int64], relevance: float, stream: Stream
    ) -> NDArray[np.bool_]:
        """Say which items are ranked for these users, shape (len(users), n_items).

        Whatever is sampled is drawn from ``stream`` by the keys of user and item, hence whatever the block of users. Under 1R these
        are the items that a user's non-relevant targets are drawn from.
        """

    def by_rating(
        self, train: Interactions, test: Interactions, users: NDArray[np.int64], relevance: float, stream: Stream
    ) -> ByRating:
        """Under 1R, say what each relevant test rating of these users is ranked among; ``users`` and ``stream`` as for `mask`."""
        raise TypeError(f"'{self.spec}' has one ranking a user")
