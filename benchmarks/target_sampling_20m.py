"""Sampled targets for every test rating of 20 million interactions: seconds and peak memory of each selection, each in a process.

    python benchmarks/target_sampling_20m.py [--ratings 20000000] [SPEC ...]

The data are those of split_20m.py, 80 % of them train, and every test rating counts as relevant: four million rankings. Targets are
drawn as for ranking, in blocks of users, and then discarded. Bounds: 60 s of processor time and 4 GiB each, including the data;
compilation and reading do not count.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.ranking import user_blocks
from recsens.ranking.targets import Targets
from recsens.seeds import Stream
from recsens.testing import crowd
from twenty_million import Costs, read, run

SPECS = (
    "rel_plus_n(n=100)",
    "one_r(n=100,draw=per_rating,items=test)",
    "one_r(n=100,draw=per_rating,sampling=popularity)",
    "p1r(n=100,draw=per_rating)",
    "one_r(n=100)",
    "one_r",
    "ar(n=100)",
    "ar",
)
STREAM = Stream.of(1, "benchmark")


def main(command: Sequence[str] | None = None) -> None:
    drawn_by = str(Path(__file__).with_name("split_20m.py"))
    run(__file__, command, __doc__, SPECS, measure, "{rankings:10,} rankings", drawn_by=drawn_by)


def measure(spec: str, folder: Path) -> None:
    targets: Targets = plugins.build("targets", spec)
    choose(targets, *halves(crowd(), 0.5))
    train, test = halves(read(folder), 0.8)
    costs = Costs()
    rankings = choose(targets, train, test)
    costs.stop()
    costs.report(rankings=rankings)


def halves(data: Interactions, ratio: float) -> tuple[Interactions, Interactions]:
    is_train = STREAM.uniform(data.user, data.item) < ratio
    return data.take(is_train), data.take(~is_train)


def choose(targets: Targets, train: Interactions, test: Interactions) -> int:
    """Choose all targets as ranking does; return the number of rankings."""
    rankings = 0
    for users in user_blocks(train.n_users):
        if targets.unit == "user":
            rankings += int(targets.mask(train, test, users, 1.0, STREAM).any(axis=1).sum())
            continue
        found = targets.by_rating(train, test, users, 1.0, STREAM)
        drawn = np.empty(0) if found.draw is None else found.draw()
        rankings += len(found.items)
        del drawn
    return rankings


if __name__ == "__main__":
    main()
