"""Any split, made for each user separately."""

from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from recsens.data.interactions import Interactions
from recsens.data.splitting._groups import Groups
from recsens.data.splitting._wrapper import Around
from recsens.plugins import component
from recsens.plugins.specs import Spec
from recsens.seeds import Stream


class PerUser(Around):
    """Splits the ratings of each user as if they were the whole data.

    ``per_user(of=random(count=exact))`` gives every user the same share of train ratings. ``per_user(of=k_fold)`` divides every
    user's ratings into folds. ``per_user(of=temporal(ties=key))`` splits every user's ratings by time. A split is refused, with the
    reason, if it already divides by user, draws each rating independently, or counts over all users.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.2, 'splitting the ratings of each user'"
    prose_shares = (("ratio", "data in train"),)
    indivisible: ClassVar[str | None] = "it already splits by user"

    of: Annotated[Spec, *component("split")] = Field(
        Spec("random", (("count", "exact"),)), description="the split that is made for each user"
    )

    @model_validator(mode="after")
    def _check_divisible(self) -> Self:
        if self.inner.indivisible is not None:
            raise ValueError(f"'{self.of}' cannot be made for each user separately: {self.inner.indivisible}")
        return self

    def prose_title(self) -> str:
        """Name the split in a few words."""
        within = self.inner.prose_title()
        return f"{within} for each user" if within else ""

    def prose(self, whose: str = "the ratings") -> str:
        """Say how the inner split divides the ratings of each user."""
        return self.inner.prose("the ratings of each user")

    @property
    def tuning_split(self) -> Spec:
        """The inner split's `tuning_split`, for each user if it goes by time."""
        again = self.inner.tuning_split
        return self.spec.with_params(of=again) if self.needs_timestamps else again

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Split user by user."""
        return self.inner.roles_within(interactions, Groups.users(interactions), fold, stream)
