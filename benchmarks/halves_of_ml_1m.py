"""MovieLens 1M, split at random into halves, as the benchmarks share it."""

from __future__ import annotations

from recsens import plugins
from recsens.artefacts import sides
from recsens.datasets import DataSet, locate, to_interactions
from recsens.interactions import Interactions
from recsens.seeds import Stream
from recsens.splitting.random import Random


def halves() -> tuple[Interactions, Interactions]:
    """Return a train and a test half; the file is looked for where the workflow looks for it."""
    dataset: DataSet = plugins.build("dataset", "movielens(release=1m)")
    files = locate(dataset)
    if files is None:
        raise SystemExit("ml-1m/ratings.dat is not below RECSENS_DATA")
    stream = Stream.of(1, "benchmark")
    data = to_interactions(dataset.load(files, stream))
    return sides(data, Random(ratio=0.5).roles(data, 0, stream))
