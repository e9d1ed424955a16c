"""The contract of a policy for items that are not computable."""

from abc import abstractmethod
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.plugins import Plugin, component
from recsens.plugins.own import Call, returns
from recsens.plugins.specs import Spec


def _check_filled(call: Call, filled: object) -> NDArray[np.bool_]:
    return call.array(filled, "users", "b", call.arguments["train_counts"].shape)


def _check_converted(call: Call, converted: object) -> NDArray[np.float64]:
    return call.array(converted, "scores", "f", call.arguments["others"].shape, gaps=True)


class NotComputable(Plugin):
    """How to treat target items without a score (decision B2): leave them out, or let another recommender rank them.

    Items that a policy fills in are ranked below all items that the system itself scored, unless the policy ``merges`` them.
    """

    kind: ClassVar[str] = "nc"
    prose_lead: ClassVar[str] = "Items that a system cannot score were treated by"
    merges: ClassVar[bool] = False
    """Whether filled-in items are ranked among the others, by their `converted` scores."""

    @property
    @abstractmethod
    def fallback(self) -> Spec | None:
        """The recommender that orders items without a score; None leaves these items out."""

    @abstractmethod
    @returns(_check_filled)
    def fills(self, train_counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether items are filled in for each user, given the users' numbers of train ratings; both of shape (n_users,)."""

    @returns(_check_converted)
    def converted(self, own: NDArray[np.float64], others: NDArray[np.float64], wanted: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the other recommender's scores on the scale of the system's own scores; all of shape (n_users, n_items).

        ``wanted`` are the targets; a score is NaN where there is none. The default is to convert nothing.
        """
        return others


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
