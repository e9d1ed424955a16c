"""Every split on 20 million interactions with time stamps: seconds and peak memory of each, in a separate process.

    python benchmarks/split_20m.py [--ratings 20000000] [SPEC ...]

The data have the size and roughly the skew of MovieLens 20M: 138,493 users, 26,744 items. The times cover everything that the step
requests from a split: the roles of one fold, and facts. Processor seconds and elapsed seconds are given; the latter are longer on a
busy machine. Reading the data does not count, but a predefined split reads its CSV file of 20 million rows. Bounds: 60 s of
processor time and 4 GiB each, including the data.
"""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from recsens import plugins
from recsens.seeds import Stream
from recsens.vocabulary import Role
from twenty_million import Costs, read, run

LARGE, TINY = (138_493, 26_744), (3000, 80, 150)
"""Numbers of users and items; of ratings, users and items."""

SPECS = (
    "random",
    "random(count=exact)",
    "per_user",
    "k_fold",
    "per_user(k_fold)",
    "k_fold_users",
    "leave_out",
    "leave_out(which=last)",
    "leave_out(min_rating=5)",
    "given",
    "given(which=first)",
    "per_item",
    "per_item(side=test)",
    "temporal",
    "temporal(ties=key)",
    "temporal(at=2005-01-01)",
    "per_user(temporal)",
    "per_user(temporal(ties=key))",
    "uniform(sigma=.1)",
    "percentile",
    "percentile(uniform(sigma=.1))",
    "validated",
    "validated(of=per_user(temporal(ties=key)),inside=per_user(temporal(ties=key)))",
    "min_train",
    "thinned(share=.5)",
    "thinned(share=.5,by=users)",
    "thinned(share=.9,by=popularity)",
    "predefined",
)


def main(command: Sequence[str] | None = None) -> None:
    run(__file__, command, __doc__, SPECS, measure, "{test:6.1%} test", draw)


def measure(spec: str, folder: Path) -> None:
    data = read(folder)
    if spec == "predefined":
        spec = f'predefined(path="{folder / "folds.csv"}")'
    costs = Costs()
    split = plugins.build("split", spec)
    roles = split.roles(data, split.n_folds - 1, Stream.of(1, "benchmark"))
    split.facts(data, roles)
    costs.stop()
    costs.report(test=float((roles == Role.TEST).mean()))


def draw(arguments: Namespace) -> None:
    """Draw distinct pairs of users and items with skewed counts, and write the columns that are needed."""
    (n, n_users, n_items), folder = TINY if arguments.tiny else (arguments.ratings, *LARGE), arguments.data
    rng = np.random.default_rng(1)
    pairs = np.empty(0, dtype=np.int64)
    while len(pairs) < n:
        user = (n_users * rng.random(n // 2) ** 2.2).astype(np.int64)
        item = (n_items * rng.random(n // 2) ** 3.5).astype(np.int64)
        pairs = np.union1d(pairs, user * n_items + item)
    rng.shuffle(pairs)
    pairs = pairs[:n]
    user, item = (pairs // n_items).astype(np.int32), (pairs % n_items).astype(np.int32)
    np.save(folder / "sizes.npy", [n_users, n_items])
    np.save(folder / "user.npy", user)
    np.save(folder / "item.npy", item)
    np.save(folder / "rating.npy", rng.integers(1, 6, n).astype(np.float64))
    # Twenty years; users rate a page of items at once, so many interactions share their second.
    np.save(folder / "timestamp.npy", 789_652_009 + 60 * rng.integers(0, 10_000_000, n))
    folds = rng.integers(0, 5, n)
    pa_csv.write_csv(pa.table({"user": user, "item": item, "fold": folds}), folder / "folds.csv")


if __name__ == "__main__":
    main()
