"""MovieLens 1M, split at random into halves, which several benchmarks use."""

from recsens import plugins
from recsens.artefacts.folds import sides
from recsens.data.datasets import DataSet, locate, to_interactions
from recsens.data.interactions import Interactions
from recsens.data.splitting.random import Random
from recsens.seeds import Stream
from recsens.testing import crowd

STREAM = Stream.of(1, "benchmark")


def halves(*, tiny: bool = False) -> tuple[Interactions, Interactions]:
    """Return a train half and a test half, of tiny data if asked for; looks for the file in the same places as the workflow."""
    data = board() if tiny else movielens()
    return sides(data, Random(ratio=0.5).roles(data, 0, STREAM))


def board() -> Interactions:
    """Draw the ratings of a few users in place of MovieLens 1M."""
    return crowd(n_users=60, n_items=40, share=0.3)


def movielens() -> Interactions:
    """Read MovieLens 1M."""
    dataset: DataSet = plugins.build("dataset", "movielens(release=1m)")
    files = locate(dataset)
    if files is None:
        raise SystemExit("ml-1m/ratings.dat is not below RECSENS_DATA")
    return to_interactions(dataset.load(files, STREAM))
