"""Train, validation and test: the train set of one split is split again."""

from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.data.splitting._base import Splitter
from recsens.data.splitting._wrapper import Around, inner_of
from recsens.plugins import component
from recsens.plugins.specs import Spec
from recsens.seeds import Stream
from recsens.vocabulary import Role


class Validated(Around):
    """The split ``of`` gives the test set. The split ``inside`` divides the train set of ``of`` into train and validation.

    If both have several folds, every train set gets all folds of ``inside``, as in nested cross-validation. The test sets are the
    same as without validation. No recommender is fitted on validation ratings. When target items are chosen, validation ratings
    count as known, like train ratings: a validated item is never a target of its user, and validation ratings count in the
    popularity of items. ``tuned(split=validation)`` uses them to choose parameters.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.2: Train as input while parameters are tuned"
    keeps_test = True
    validates: ClassVar[bool] = True
    indivisible: ClassVar[str | None] = "write validated(of=per_user(...),inside=per_user(...))"

    inside: Annotated[Spec, *component("split")] = Field(Spec("random"), description="how the train set is split again")

    def prose(self, whose: str = "the ratings") -> str:
        """Describe the inner split, and say how the training set was split again."""
        return (
            f"{self.inner.prose(whose)} The training set was split again; the test set of this second split was the validation "
            "set, on which no system was fitted: "
            f"{self._inner_split.prose('the training ratings')}"
        )

    @property
    def _inner_split(self) -> Splitter:
        return inner_of(self.inside)

    @property
    def n_folds(self) -> int:
        """Number of folds of the outer split, times the number of inner folds in each of them."""
        return self.inner.n_folds * self._inner_split.n_folds

    @property
    def is_random(self) -> bool:
        """Whether the outer or the inner split is random."""
        return self.inner.is_random or self._inner_split.is_random

    @property
    def needs_timestamps(self) -> bool:
        """Whether the outer or the inner split needs time stamps."""
        return self.inner.needs_timestamps or self._inner_split.needs_timestamps

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Split, then split the train set again with separate draws."""
        inside = self._inner_split
        outer_fold, inner_fold = divmod(fold, inside.n_folds)
        roles = self.inner.roles(interactions, outer_fold, stream).copy()
        is_train = roles == Role.TRAIN
        again = inside.roles(interactions.take(is_train), inner_fold, stream.child("validation", inside.stream_name))
        roles[is_train] = np.where(again == Role.TEST, Role.VALIDATION, again)
        return roles
