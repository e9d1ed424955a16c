"""Base class for splits that wrap another split."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from recsens.data.interactions import Interactions
from recsens.data.splitting._base import Splitter
from recsens.errors import SpecError
from recsens.plugins import component
from recsens.plugins.specs import Spec
from recsens.seeds import Stream


class Around(Splitter):
    """A split that changes the result of another split. The number of folds, the randomness and the draws stay the same."""

    keeps_train: ClassVar[bool] = False
    keeps_test: ClassVar[bool] = False
    """Whether the train set, or the test set, is that of the inner split."""

    of: Annotated[Spec, *component("split")] = Field(Spec("random"), description="the split whose result is changed")

    @field_validator("of")
    @classmethod
    def _check_inner(cls, spec: Spec) -> Spec:
        inner_of(spec)
        return spec

    @property
    def inner(self) -> Splitter:
        """The inner split."""
        return inner_of(self.of)

    @property
    def n_folds(self) -> int:
        """Number of folds of the inner split."""
        return self.inner.n_folds

    @property
    def folds_per_split(self) -> int:
        """Number of successive folds with the same split; it is the same as for the inner split."""
        return self.inner.folds_per_split

    @property
    def is_successive(self) -> bool:
        """Whether the folds of the inner split follow each other in time."""
        return self.inner.is_successive

    @property
    def trains_as(self) -> Spec:
        """The inner split's `trains_as` if the train set is the same, or else this split."""
        return self.inner.trains_as if self.keeps_train else self.spec

    @property
    def tuning_split(self) -> Spec:
        """The inner split's `tuning_split`."""
        return self.inner.tuning_split

    @property
    def test_shape(self) -> str:
        """The inner split's `test_shape` if the test set is the same, or else this split's name."""
        return self.inner.test_shape if self.keeps_test else self.plugin_name()

    @property
    def is_random(self) -> bool:
        """Whether the inner split is random."""
        return self.inner.is_random

    @property
    def needs_timestamps(self) -> bool:
        """Whether the inner split needs time stamps."""
        return self.inner.needs_timestamps

    @property
    def tests_everybody(self) -> bool:
        """Whether the inner split can test every user in every fold."""
        return self.inner.tests_everybody

    @property
    def validates(self) -> bool:
        """Whether the inner split may have a validation set."""
        return self.inner.validates

    @property
    def indivisible(self) -> str | None:
        """Why `per_user` cannot wrap this split: a wrapper can wrap `per_user`, but not be inside it."""
        return f"write {self.plugin_name()}(of=per_user(...))"

    @property
    def stream_name(self) -> str:
        """The inner split's name in random streams."""
        return self.inner.stream_name

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Split as the inner split does."""
        return self.inner.roles(interactions, fold, stream)

    def facts(self, interactions: Interactions, roles: NDArray[np.uint8]) -> Mapping[str, float]:
        """Return the facts of the inner split."""
        return self.inner.facts(interactions, roles)


def inner_of(spec: Spec) -> Splitter:
    """Build the inner split of a wrapper.

    Raises SpecError if the inner split is tested on the complete relevance, because a wrapper would lose this property.
    """
    inner = Splitter.build(spec)
    if inner.tests_truth:
        raise SpecError(f"'{spec}' must be the outermost split", allowed=f"{inner.plugin_name()}(of=...)")
    return inner
