"""Sampled targets for every test rating of 20 million interactions: seconds and peak memory of each selection, each in a process.

    python benchmarks/target_sampling_20m.py [--ratings 20000000] [SPEC ...]

The data are those of split_20m.py, 80 % of them train, and every test rating counts as relevant: four million rankings. Drawn is
what ranking asks for, in blocks of users, and then forgotten. Bounds: 60 s of the processor and 4 GiB each, the data included;
compilation and reading are left out.
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

from command_line import each_alone, parser
from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.ranking import blocks
from recsens.ranking.targets import Targets
from recsens.seeds import Stream
from recsens.testing import crowd
from split_20m import GIBIBYTES, SECONDS, read

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
    accepted = parser(__doc__)
    accepted.add_argument("--ratings", type=int, default=20_000_000)
    accepted.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    accepted.add_argument("specs", nargs="*")
    arguments = accepted.parse_args(command)
    if arguments.data is not None:
        for spec in arguments.specs:
            measure(spec, arguments.data)
        return
    with TemporaryDirectory() as folder:
        # A process starts with the peak memory of the one that starts it, so this one stays small.
        drawing = str(Path(__file__).with_name("split_20m.py"))
        size = ["--tiny"] if arguments.tiny else ["--ratings", str(arguments.ratings)]
        subprocess.run([sys.executable, drawing, *size, "--data", folder], check=True)
        print(f"{'seconds':>8} {'wall':>6} {'GiB':>5} {'rankings':>10}  targets")
        for spec, found in each_alone([__file__, "--data", folder], arguments.specs or SPECS, tiny=arguments.tiny):
            beyond = "" if found["seconds"] <= SECONDS and found["gibibytes"] <= GIBIBYTES else "  <- beyond the bound"
            print(
                f"{found['seconds']:8.1f} {found['wall']:6.1f} {found['gibibytes']:5.2f} {found['rankings']:10,}  {spec}{beyond}",
                flush=True,
            )


def measure(spec: str, folder: Path) -> None:
    targets: Targets = plugins.build("targets", spec)
    choose(targets, *halves(crowd(), 0.5))
    sides = halves(read(folder), 0.8)
    start, start_of_work = perf_counter(), process_time()
    rankings = choose(targets, *sides)
    told = {"wall": perf_counter() - start, "seconds": process_time() - start_of_work}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({**told, "gibibytes": peak, "rankings": rankings}))


def halves(data: Interactions, ratio: float) -> tuple[Interactions, Interactions]:
    is_train = STREAM.uniform(data.user, data.item) < ratio
    return data.take(is_train), data.take(~is_train)


def choose(targets: Targets, train: Interactions, test: Interactions) -> int:
    """Choose all targets as ranking does; the number of rankings."""
    rankings = 0
    for users in blocks(train.n_users):
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
