"""MovieLens 1M, split at random into halves, for the benchmarks of recommenders."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from recsens.interactions import Interactions, Scale
from recsens.seeds import Stream
from recsens.splitting.random import Random
from recsens.vocabulary import Role


def train_half() -> Interactions:
    """Read ``$RECSENS_DATA/ml-1m/ratings.dat`` and keep each rating with probability one half."""
    path = Path(os.environ["RECSENS_DATA"]) / "ml-1m" / "ratings.dat"
    columns = np.array(path.read_text().replace("::", " ").split(), dtype=np.int64).reshape(-1, 4)
    user_keys, user = np.unique(columns[:, 0], return_inverse=True)
    item_keys, item = np.unique(columns[:, 1], return_inverse=True)
    everything = Interactions(
        user=user.astype(np.int32),
        item=item.astype(np.int32),
        rating=columns[:, 2].astype(np.float64),
        timestamp=None,
        user_keys=user_keys,
        item_keys=item_keys,
        scale=Scale(),
    )
    return everything.take(Random(ratio=0.5).roles(everything, 0, Stream.of(1, "benchmark")) == Role.TRAIN)
