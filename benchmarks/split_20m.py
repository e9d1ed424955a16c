"""Every split on 20 million interactions with time stamps: seconds and peak memory of each, in a process of its own.

    python benchmarks/split_20m.py [--ratings 20000000] [SPEC ...]

The data have the size and about the skew of MovieLens 20M: 138,493 users, 26,744 items. The seconds are of all that the step asks
of a split, roles of one fold and facts: those of the processor, and those on the wall, which are more where others work as well.
Reading the data does not count, but a predefined split reads its CSV file of 20 million rows. Bounds: 60 s of the processor and
4 GiB each, the data included.
"""

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from command_line import each_alone, parser
from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.files.scale import Scale
from recsens.seeds import Stream
from recsens.vocabulary import Role

LARGE, TINY = (138_493, 26_744), (3000, 80, 150)
"""Numbers of users and items; of ratings, users and items."""
SECONDS, GIBIBYTES = 60, 4

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
        print(f"{'seconds':>8} {'wall':>6} {'GiB':>5} {'test':>6}  split")
        for spec, found in each_alone([__file__, "--data", folder], arguments.specs or SPECS, tiny=arguments.tiny):
            beyond = "" if found["seconds"] <= SECONDS and found["gibibytes"] <= GIBIBYTES else "  <- beyond the bound"
            print(
                f"{found['seconds']:8.1f} {found['wall']:6.1f} {found['gibibytes']:5.2f} {found['test']:6.1%}  {spec}{beyond}",
                flush=True,
            )


def measure(spec: str, folder: Path) -> None:
    data = read(folder)
    if spec == "predefined":
        spec = f'predefined(path="{folder / "folds.csv"}")'
    start, start_of_work = perf_counter(), process_time()
    split = plugins.build("split", spec)
    roles = split.roles(data, split.n_folds - 1, Stream.of(1, "benchmark"))
    split.facts(data, roles)
    told = {"wall": perf_counter() - start, "seconds": process_time() - start_of_work}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({**told, "gibibytes": peak, "test": float((roles == Role.TEST).mean())}))


def draw(size: tuple[int, int, int], folder: Path) -> None:
    """Draw distinct pairs of skewed users and items, and write what is needed of them."""
    n, n_users, n_items = size
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
    # Twenty years, rated by the page: many interactions share their second.
    np.save(folder / "timestamp.npy", 789_652_009 + 60 * rng.integers(0, 10_000_000, n))
    folds = rng.integers(0, 5, n)
    pa_csv.write_csv(pa.table({"user": user, "item": item, "fold": folds}), folder / "folds.csv")


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
        user_ids=np.arange(n_users).astype(str).astype(object),
        item_ids=np.arange(n_items).astype(str).astype(object),
    )


if __name__ == "__main__":
    main()
