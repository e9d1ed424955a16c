"""What splits around another split have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens import plugins
from recsens.interactions import Interactions
from recsens.plugins import component
from recsens.specs import Spec
from recsens.splitting._base import Splitter


class Around(Splitter):
    """A split that changes what another one gives; as random as that one, with its folds and its draws."""

    of: Annotated[Spec, *component("split")] = Field(Spec("random"), description="the split that it starts from")

    @property
    def inner(self) -> Splitter:
        """The split that it starts from."""
        return inner_of(self.of)

    @property
    def n_folds(self) -> int:
        """As many as of the split that it starts from."""
        return self.inner.n_folds

    @property
    def is_random(self) -> bool:
        """Whether the split that it starts from is."""
        return self.inner.is_random

    @property
    def needs_timestamps(self) -> bool:
        """Whether the split that it starts from does."""
        return self.inner.needs_timestamps

    @property
    def tests_everybody(self) -> bool:
        """Whether the split that it starts from does."""
        return self.inner.tests_everybody

    @property
    def validates(self) -> bool:
        """Whether the split that it starts from does."""
        return self.inner.validates

    @property
    def indivisible(self) -> str | None:
        """It stands outside."""
        return f"write {self.plugin_name()}(of=per_user(...))"

    @property
    def stream_name(self) -> str:
        """The name of the split that it starts from."""
        return self.inner.stream_name

    def facts(self, interactions: Interactions, roles: NDArray[np.uint8]) -> Mapping[str, float]:
        """Return what the split that it starts from tells."""
        return self.inner.facts(interactions, roles)


def inner_of(spec: Spec) -> Splitter:
    """Build a split within a split."""
    found: Splitter = plugins.build("split", spec)
    return found
