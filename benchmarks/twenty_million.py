"""Code shared by the benchmarks on 20 million interactions: one process for each spec, its costs, and the data on disk."""

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np

from command_line import each_alone, parser
from recsens.data.interactions import Interactions
from recsens.files.scale import Scale

SECONDS, GIBIBYTES = 60, 4
"""The bounds of each spec."""


def run(
    file: str,
    command: Sequence[str] | None,
    description: str | None,
    specs: Sequence[str],
    measure: Callable[[str, Path], None],
    line: str,
    draw: Callable[[argparse.Namespace], None] | None = None,
    drawn_by: str = "",
) -> None:
    """Draw the data in one process, measure each spec in a further process, and print a line for each.

    ``line`` formats what `costs` and the benchmark report for a spec. ``draw`` writes the data; without it, the benchmark
    ``drawn_by`` does.
    """
    accepted = parser(description)
    accepted.add_argument("--ratings", type=int, default=20_000_000)
    accepted.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    accepted.add_argument("specs", nargs="*")
    arguments = accepted.parse_args(command)
    if arguments.data is not None:
        for spec in arguments.specs:
            measure(spec, arguments.data)
        if draw is not None and not arguments.specs:
            draw(arguments)
        return
    with TemporaryDirectory() as folder:
        # A process starts with the peak memory of its parent, so this one stays small.
        size = ["--tiny"] if arguments.tiny else ["--ratings", str(arguments.ratings)]
        subprocess.run([sys.executable, drawn_by or file, *size, "--data", folder], check=True)
        print(" seconds   wall   GiB")
        for spec, told in each_alone([file, "--data", folder], arguments.specs or specs, tiny=arguments.tiny):
            beyond = "" if told["seconds"] <= SECONDS and told["gibibytes"] <= GIBIBYTES else "  <- beyond the bound"
            print(
                f"{told['seconds']:8.2f} {told['wall']:6.2f} {told['gibibytes']:5.2f}  {line.format(**told)}  {spec}{beyond}",
                flush=True,
            )


class Costs:
    """Measures from now on."""

    def __init__(self) -> None:
        self._start, self._start_of_work = perf_counter(), process_time()
        self._told: dict[str, float] = {}

    def stop(self) -> None:
        """Record processor seconds and elapsed seconds; the latter are longer on a busy machine."""
        self._told = {"wall": perf_counter() - self._start, "seconds": process_time() - self._start_of_work}

    def report(self, **more: float) -> None:
        """Print the costs, including peak memory."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(json.dumps({**self._told, "gibibytes": peak, **more}))


def read(folder: Path) -> Interactions:
    """Read the data that a benchmark has drawn."""
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
