"""The choices in which selections of target items differ, and their application to data."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.data.popularity import percentiles
from recsens.errors import DesignError
from recsens.plugins.prose import several
from recsens.ranking.targets._base import Strata, Targets
from recsens.ranking.targets._rows import UserRatings

Size = Annotated[int | None, Field(ge=1, description="number of sampled non-relevant items (NN), or null for all (AN)")]
Items = Annotated[
    Literal["all", "test", "train"],
    Field(description="the candidates, which are all items (AI), items with a test rating (TI), or items with a train rating"),
]
Non = Annotated[
    Literal["not_relevant", "unrated"],
    Field(description="the possible non-relevant targets, which are disliked test items and unrated items, or only unrated items"),
]
Drawn = Annotated[
    Literal["per_user", "per_rating"],
    Field(description="whether the rankings of a user share one sample, or each rating gets a new one"),
]
Weighted = Annotated[
    Literal["uniform", "popularity"],
    Field(description="whether items are sampled uniformly, or in proportion to their train ratings"),
]
Short = Annotated[
    Literal["take_all", "refuse"],
    Field(description="what to do if a user has fewer than n items to draw from: take all of them, or refuse the data"),
]


@dataclass(frozen=True)
class Selection:
    """A selection of target items: one option for every choice.

    Attributes
    ----------
    items
        Which items are candidates.
    n
        Number of non-relevant targets (NN); None for all possible ones (AN).
    negatives
        Which items may be non-relevant targets.
    draw
        Whether the rankings of a user share one draw.
    sampling
        Whether popular items are drawn more often.
    m
        Number of popularity percentiles within which non-relevant targets are drawn; 1 for no restriction.
    short
        What to do if fewer than n items are left.
    """

    items: Items
    n: int | None
    negatives: Non
    draw: Drawn = "per_user"
    sampling: Weighted = "uniform"
    m: int = 1
    short: Short = "take_all"

    @property
    def needed(self) -> int | None:
        """Number of items that must be left to draw from for every ranking; None if any number is enough."""
        return self.n if self.short == "refuse" else None

    def candidates(self, train: Interactions, test: Interactions) -> NDArray[np.bool_]:
        """Return which items may be targets at all, shape (n_items,)."""
        if self.items == "all":
            return np.ones(train.n_items, dtype=np.bool_)
        return (train if self.items == "train" else test).item_counts > 0

    def strata(self, train: Interactions, test: Interactions) -> Strata:
        """Arrange the candidates for drawing: in groups by percentile, with weights."""
        none = np.zeros(train.n_items, dtype=np.int64)
        of = none if self.m == 1 else percentiles(train.item_counts, train.item_keys, self.m)
        by_popularity = self.n is not None and self.sampling == "popularity"
        weights = train.item_counts if by_popularity else np.ones_like(none)
        return Strata.cut(of, weights * self.candidates(train, test), train.item_keys)

    def not_in_train(self, train: Interactions, test: Interactions, users: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which candidates are not in each user's train set, shape (len(users), n_items)."""
        allowed = np.tile(self.candidates(train, test), (len(users), 1))
        rated = UserRatings.of(train, users)
        allowed[rated.row, rated.item] = False
        return allowed

    def judged_apart(self, test: UserRatings, relevance: float) -> UserRatings:
        """Keep the test ratings of items that cannot be non-relevant targets of the same user."""
        return test.relevant(relevance) if self.negatives == "not_relevant" else test

    def left(self, train: Interactions, test: Interactions, relevance: float) -> NDArray[np.int64]:
        """Count the items from which each user's non-relevant targets can be drawn, by percentile, shape (n_users, m)."""
        strata = self.strata(train, test)
        excluded = self.judged_apart(UserRatings.of_all(test), relevance)
        user = np.concatenate([train.user, excluded.row])
        item = np.concatenate([train.item, excluded.item])
        drawable = strata.weights[item] > 0
        cells = user[drawable].astype(np.int64) * strata.n_groups + strata.of[item[drawable]]
        taken = np.bincount(cells, minlength=train.n_users * strata.n_groups)
        return np.asarray(strata.sizes - taken.reshape(train.n_users, strata.n_groups), dtype=np.int64)

    def check_candidates(self, train: Interactions, test: Interactions) -> None:
        """Refuse a selection without candidates.

        Raises DesignError if there are no candidates.
        """
        if not self.candidates(train, test).any():
            raise DesignError(
                f"items={self.items}: no item has a {self.items} rating, so there is nothing to rank",
                remedy=f"take items=all, or a split that leaves {self.items} ratings",
            )

    def check_left(self, left: NDArray[np.int64], n_users: int, needed: int, advice: str) -> None:
        """Refuse a size that some target set cannot reach; ``left`` is the number of items left for each set, shape (n_sets,).

        ``n_users`` is the number of users who have fewer than ``needed`` items left.

        Raises DesignError if there are too few items; the message gives the largest possible n.
        """
        fewest = int(left.min(initial=needed))
        if fewest >= needed:
            return
        short = f"{n_users:,} user{' has' if n_users == 1 else 's have'}"
        if fewest == 0:
            problem = f"{short} too few items left for non-relevant targets; the lowest number is 0"
            raise DesignError(problem, allowed=f"at least {needed:,} for every user", remedy=advice)
        raise DesignError(
            f"n={self.n}: {short} fewer items than that to draw from; the lowest number is {fewest:,}",
            allowed=f"n <= {fewest}, or short=take_all",
            remedy=advice,
        )


class Selecting(Targets):
    """Target items that a `Selection` chooses, with a description in words."""

    @property
    @abstractmethod
    def selection(self) -> Selection:
        """The selection with one option for every choice."""

    @property
    def prose_candidates(self) -> str:
        """The candidates in words."""
        rated = {"test": " with a test rating by any user", "train": " with a training rating by any user"}
        return f"items{rated.get(self.selection.items, '')}"

    @property
    def prose_negatives(self) -> str:
        """The non-relevant items in words."""
        if self.selection.negatives == "unrated":
            return "that the user has rated neither in training nor in test"
        return "that are neither training items nor relevant test items of the user"

    @property
    def prose_shortage(self) -> str:
        """Say which items were ranked if fewer than n were left."""
        return ", or with all of these if there were fewer" if self.selection.short == "take_all" else ""

    def prose_sample(self, within: str = "") -> str:
        """Return the sample of non-relevant items in words."""
        how = "in proportion to their training ratings" if self.selection.sampling == "popularity" else "with equal probability"
        number = several(self.selection.n or 0, "other", "others")
        return f"{number}, drawn {how} from the {self.prose_candidates}{within} {self.prose_negatives}{self.prose_shortage}"
