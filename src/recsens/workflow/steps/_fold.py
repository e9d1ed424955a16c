"""A fold in memory, for the steps that fit, tune, rank or check on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NotRequired, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from recsens.artefacts.filesets import InteractionFiles, SideFiles
from recsens.artefacts.folds import complete_test_ratings, read_interactions, read_roles, sides, train_and_validation
from recsens.data.interactions import Interactions
from recsens.seeds import Origin
from recsens.vocabulary import Role


class FoldFrom(TypedDict):
    """What a step gets that reads a fold.

    Attributes
    ----------
    data
        The data set, after its filters.
    roles
        The role of each interaction.
    side
        The side information, for recommenders that use it.
    truth
        The file with the complete relevance of the data set, if this is the test set.
    origin
        The names of random streams.
    """

    data: InteractionFiles
    roles: str
    side: NotRequired[Sequence[SideFiles]]
    truth: NotRequired[str | None]
    origin: Origin


@dataclass(frozen=True)
class FoldData:
    """The interactions of a data set, with their roles in a fold, and the train and test sets."""

    interactions: Interactions
    roles: NDArray[np.uint8]
    train: Interactions
    test: Interactions

    @property
    def validation(self) -> Interactions:
        """The validation set."""
        return self.interactions.take(self.roles == Role.VALIDATION)

    @cached_property
    def known(self) -> Interactions:
        """The train and validation sets together."""
        return train_and_validation(self.interactions, self.roles, self.train)


def read_fold(**files: Unpack[FoldFrom]) -> FoldData:
    """Read a fold; with ``truth``, the complete relevance is the test set."""
    interactions, truth = read_interactions(files["data"], files.get("side", ())), files.get("truth")
    roles = read_roles(files["roles"], interactions)
    train, test = sides(interactions, roles)
    return FoldData(interactions, roles, train, test if truth is None else complete_test_ratings(interactions, roles, truth))
