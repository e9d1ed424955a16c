"""Any split with a filtered train set: rare users and items are dropped before the fit, but stay in the test set."""

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.data.splitting._wrapper import Around
from recsens.errors import DesignError
from recsens.plugins import component
from recsens.plugins.specs import Spec
from recsens.seeds import Stream
from recsens.vocabulary import Role


class Pruned(Around):
    """Applies ``filter`` to the train set of the split ``of``. Dropped ratings become unused; test and validation stay unchanged.

    The key ``filter`` of a study applies a filter before the split. Rare users and items are then never tested, and the remaining
    data are easier than those in real use. This split, by contrast, removes rare users and items only from train. Their ratings
    stay in test, where a system that has learnt nothing about them is less accurate. The fold's record counts the ``unused``
    ratings. A filter that changes ratings, or that leaves no interactions, is refused.
    """

    source = "Beel & Brunel (2019), Data pruning in recommender systems research: best-practice or malpractice?"

    filter: Annotated[Spec, *component("filter")] = Field(Spec("k_core"), description="the filter of the train set")

    @field_validator("filter")
    @classmethod
    def _keeps_ratings(cls, spec: Spec) -> Spec:
        if not _built(spec).keeps_ratings:
            raise ValueError(
                f"'{spec}' changes ratings, but here it would change only those in train: "
                "give it under the design's key 'filter:' instead"
            )
        return spec

    def prose(self, whose: str = "the ratings") -> str:
        """Describe the inner split and the filter of the training set."""
        chosen = self.full_spec.get("filter")
        return f"{self.inner.prose(whose)} Then only the training set was filtered, by '{chosen}'; the test set was not."

    @property
    def is_random(self) -> bool:
        """Whether the inner split or the filter draws."""
        return self.inner.is_random or _built(self.filter).is_random

    @property
    def needs_timestamps(self) -> bool:
        """Whether the inner split or the filter needs time stamps."""
        return self.inner.needs_timestamps or _built(self.filter).needs_timestamps

    @property
    def test_shape(self) -> str:
        """The inner split's `test_shape`, because its test set is unchanged."""
        return self.inner.test_shape

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Split, then filter the train set.

        Raises
        ------
        DesignError
            If the filter removes every train rating.
        """
        roles = self.inner.roles(interactions, fold, stream).copy()
        rows = np.flatnonzero(roles == Role.TRAIN)
        left: Interactions = _built(self.filter).apply(interactions.take(roles == Role.TRAIN), stream.child("pruned"))
        if len(rows) and len(left) == 0:
            raise DesignError(f"split '{self.spec}' leaves the train set empty", remedy="use a weaker filter, or none")
        pairs = interactions.user[rows].astype(np.int64) * interactions.n_items + interactions.item[rows]
        kept = np.isin(pairs, left.user.astype(np.int64) * interactions.n_items + left.item)
        roles[rows[~kept]] = Role.UNUSED
        return roles


def _built(spec: Spec) -> Any:
    # The filter is built by name, because splits and filters are in the same layer and must not import each other.
    return plugins.build("filter", spec)
