"""Random split: every interaction goes to train with the same probability."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.interactions import Interactions
from recsens.seeds import Stream
from recsens.splitting._base import Splitter
from recsens.vocabulary import Role


class Random(Splitter):
    """Each interaction falls into train with probability ``ratio``, independently of all others.

    An interaction's draw is a hash of its user, its item and the repeat, so the train set at ratio .6 contains the one at .5:
    sweeps over the ratio compare nested train sets.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.2, 'random split ratio'"

    ratio: float = Field(0.8, gt=0, lt=1, description="probability that an interaction goes to train")

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Draw train or test."""
        draws = stream.uniform(interactions.user_keys[interactions.user], interactions.item_keys[interactions.item])
        return np.where(draws < self.ratio, Role.TRAIN, Role.TEST).astype(np.uint8)
