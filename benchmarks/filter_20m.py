"""Every filter on 20 million simulated interactions: seconds and peak memory of each, in a separate process.

    python benchmarks/filter_20m.py [--ratings 20000000] [SPEC ...]

The data have 138,000 users, 27,000 items whose popularity falls as 1 / rank^.8, ratings from 1 to 5, and twenty years of time
stamps. The seconds are those of the filter alone. The peak memory includes the data that it reads; the peak printed for ``none``
shows how much these need. Bounds: 60 s of processor time and 4 GiB each.
"""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from recsens import plugins
from recsens.seeds import Stream
from twenty_million import Costs, read, run

LARGE, TINY = (138_000, 27_000), (6000, 80, 150)
"""Numbers of users and items; of ratings, users and items."""

SPECS = (
    "none",
    "ratings_per_user(at_least=20,at_most=500)",
    "ratings_per_item(at_least=20)",
    "k_core",
    "k_core(users=60,items=100)",
    "rating_range(lowest=2,highest=4)",
    "rating_threshold(at_least=4)",
    "rating_threshold(at_least=user_mean)",
    "binarise",
    "drop_popular",
    "drop_popular(share=.1,of=items)",
    "drop_popular(count=100)",
    "sample(ratings=.5)",
    "sample(users=.5)",
    "sample(items=.5)",
    "time_window(start=2000-01-01,end=2010-01-01)",
)


def main(command: Sequence[str] | None = None) -> None:
    run(__file__, command, __doc__, SPECS, measure, "{kept:6.1%} kept", draw)


def measure(spec: str, folder: Path) -> None:
    data, component, costs = read(folder), plugins.build("filter", spec), Costs()
    kept = component.apply(data, Stream.of(1, "benchmark"))
    costs.stop()
    costs.report(kept=len(kept) / len(data))


def draw(arguments: Namespace) -> None:
    """Draw distinct pairs of users of lognormal activity and items of zipf-like popularity."""
    (n, n_users, n_items), folder = TINY if arguments.tiny else (arguments.ratings, *LARGE), arguments.data
    rng = np.random.default_rng(1)
    activity = np.cumsum(rng.lognormal(sigma=1.2, size=n_users))
    popularity = np.cumsum(1 / np.arange(1, n_items + 1) ** 0.8)
    pairs = np.empty(0, dtype=np.int64)
    while len(pairs) < n:
        user = np.searchsorted(activity, activity[-1] * rng.random(n // 2), side="right")
        item = np.searchsorted(popularity, popularity[-1] * rng.random(n // 2), side="right")
        pairs = np.union1d(pairs, user * n_items + item)
    pairs = pairs[np.sort(rng.permutation(len(pairs))[:n])]
    np.save(folder / "sizes.npy", [n_users, n_items])
    np.save(folder / "user.npy", (pairs // n_items).astype(np.int32))
    np.save(folder / "item.npy", (pairs % n_items).astype(np.int32))
    np.save(folder / "rating.npy", rng.integers(1, 6, n).astype(np.float64))
    np.save(folder / "timestamp.npy", 789_652_009 + rng.integers(0, 631_152_000, n))


if __name__ == "__main__":
    main()
