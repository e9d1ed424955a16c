"""Every filter on 20 million simulated interactions: seconds and peak memory of each, in a process of its own.

    python benchmarks/filter_20m.py [--ratings 20000000] [SPEC ...]

138,000 users, 27,000 items whose popularity falls as 1 / rank^.8, ratings 1 to 5, twenty years of time stamps. The seconds are of
the filter alone; the peak of memory includes the data that it reads, printed as the one of ``none``. Bounds: 60 s and 4 GiB each.
"""

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from command_line import each_alone, parser
from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.files.scale import Scale
from recsens.seeds import Stream

LARGE, TINY = (138_000, 27_000), (6000, 80, 150)
"""Numbers of users and items; of ratings, users and items."""
SECONDS, GIBIBYTES = 60, 4

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
    accepted = parser(__doc__)
    accepted.add_argument("--ratings", type=int, default=20_000_000)
    accepted.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    accepted.add_argument("specs", nargs="*")
    arguments = accepted.parse_args(command)
    if arguments.data is not None:
        for spec in arguments.specs:
            measure(spec, arguments.data)
        if not arguments.specs:
            draw(TINY if arguments.tiny else (arguments.ratings, *LARGE), arguments.data)
        return
    with TemporaryDirectory() as folder:
        # A process starts with the peak memory of the one that starts it, so this one stays small.
        size = ["--tiny"] if arguments.tiny else ["--ratings", str(arguments.ratings)]
        subprocess.run([sys.executable, __file__, *size, "--data", folder], check=True)
        print(f"{'seconds':>8} {'GiB':>5} {'kept':>6}  filter")
        for spec, found in each_alone([__file__, "--data", folder], arguments.specs or SPECS, tiny=arguments.tiny):
            beyond = "" if found["seconds"] <= SECONDS and found["gibibytes"] <= GIBIBYTES else "  <- beyond the bound"
            print(f"{found['seconds']:8.2f} {found['gibibytes']:5.2f} {found['kept']:6.1%}  {spec}{beyond}", flush=True)


def measure(spec: str, folder: Path) -> None:
    data, component = read(folder), plugins.build("filter", spec)
    start = perf_counter()
    kept = component.apply(data, Stream.of(1, "benchmark"))
    seconds = perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"seconds": seconds, "gibibytes": peak, "kept": len(kept) / len(data)}))


def draw(size: tuple[int, int, int], folder: Path) -> None:
    """Draw distinct pairs of users of lognormal activity and items of zipf-like popularity."""
    n, n_users, n_items = size
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


def read(folder: Path) -> Interactions:
    n_users, n_items = np.load(folder / "sizes.npy")
    return Interactions(
        user=np.load(folder / "user.npy"),
        item=np.load(folder / "item.npy"),
        rating=np.load(folder / "rating.npy"),
        timestamp=np.load(folder / "timestamp.npy"),
        user_keys=np.arange(n_users, dtype=np.int64),
        item_keys=np.arange(n_items, dtype=np.int64),
        scale=Scale(),
    )


if __name__ == "__main__":
    main()
