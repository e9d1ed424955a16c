"""What each step of a study costs, by the number of ratings: seconds and peak memory of every job, from raw ratings to the report.

    python benchmarks/size.py --ratings 100000 1000000 [--systems hkv ease] [--folder FOLDER]
    python benchmarks/size.py --ratings 20000000
    python benchmarks/size.py --ratings 100000000 --systems popularity hkv
    python benchmarks/size.py --figure docs/size.svg

Simulated ratings of the shape of MovieLens 100K, 1M, 10M, 20M or Netflix, ranked by four systems (and EASE). The jobs run one
after another, each in a separate process, so that the memory of each can be measured; a study on two cores takes about half of the
sum. Goals: 20 million ratings, without EASE, in 120 minutes (sum of all jobs) and 12 GiB per job; 100 million with popularity and
hkv must complete.

The measurements are written to benchmarks/size.csv, one row for each kind of job; they replace earlier rows of the same size. A
folder that you name is kept, and a later run skips jobs whose results are in it.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, chdir
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import NamedTuple

import matplotlib.pyplot as plt
import yaml

from command_line import parser
from recsens.artefacts.costs import peak_mib
from recsens.workflow.job import ONE_BLAS_THREAD
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs
from recsens.workflow.staleness import compare_results, jobs_to_do

TABLE = Path(__file__).with_name("size.csv")
STUDY = Path("size.yaml")

SHAPES = {
    700: (30, 100),
    100_000: (943, 1_682),
    1_000_000: (6_040, 3_706),
    10_000_000: (69_878, 10_677),
    20_000_000: (138_000, 27_000),
    100_000_000: (480_000, 17_770),
}
"""Numbers of users and items, by the number of ratings."""

SYSTEMS = {
    "popularity": "popularity",
    "item_knn": "item_knn(k=100,of=profile)",
    "hkv": "hkv(factors=50,epochs=10)",
    "pure_svd": "pure_svd(factors=50)",
    "ease": "ease",
}
USUAL = ("popularity", "item_knn", "hkv", "pure_svd")
DRAWN = ("ingest", "filter", "split", "fit", "rank", "count_ratings", "measure", "compare")
"""The steps in the figure; shards count as ranking."""

Subject = tuple[int, str, str]
"""Number of ratings, step, and what the job is about: a system or a metric."""


class Cost(NamedTuple):
    """What jobs cost: seconds, processor seconds, and the highest peak memory of a single job in GiB."""

    seconds: float = 0
    cpu: float = 0
    gib: float = 0

    def __add__(self, other: tuple[float, ...]) -> Cost:  # type: ignore[override]
        """Add seconds; the highest peak counts."""
        return Cost(self.seconds + other[0], self.cpu + other[1], max(self.gib, other[2]))

    def __str__(self) -> str:
        return f"{self.seconds:9.1f} {self.cpu:9.1f} {self.gib:6.2f}"


def main(command: Sequence[str] | None = None) -> None:
    accepted = parser(__doc__)
    accepted.add_argument("--ratings", type=int, nargs="+", choices=SHAPES, default=[100_000])
    accepted.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(USUAL))
    accepted.add_argument("--folder", type=Path, help="where to work; a temporary folder by default")
    accepted.add_argument("--figure", type=Path, help="draw what was measured, and measure nothing")
    accepted.add_argument("--job", type=int, help=argparse.SUPPRESS)
    arguments = accepted.parse_args(command)
    if arguments.job is not None:
        print(json.dumps(list(cost_of(arguments.job))))
    elif arguments.figure is not None:
        draw(arguments.figure)
    else:
        for n_ratings in [700] if arguments.tiny else arguments.ratings:
            run(n_ratings, arguments.systems, arguments.folder, tiny=arguments.tiny)


def run(n_ratings: int, systems: Sequence[str], folder: Path | None, *, tiny: bool) -> None:
    """Run every job of a study, and print and store what each cost."""
    n_users, n_items = SHAPES[n_ratings]
    study = {
        "title": f"{n_ratings:,} ratings",
        "datasets": {"S": f"simulated(users={n_users},items={n_items},ratings={n_ratings},factors=8)"},
        "systems": {name: SYSTEMS[name] for name in systems},
        "design": {"split": "random(ratio=0.8)"},
        "metrics": ["P@10", "nDCG@10"],
    }
    print(f"{n_ratings:,} ratings of {n_items:,} items by {n_users:,} users\n{'seconds':>9} {'cpu':>9} {'GiB':>6}  job")
    with ExitStack() as held:
        place = folder or Path(held.enter_context(TemporaryDirectory()))
        place.mkdir(parents=True, exist_ok=True)
        held.enter_context(chdir(place))
        STUDY.write_text(yaml.safe_dump(study, sort_keys=False), encoding="utf-8")
        every = planned_jobs(Plan(str(STUDY)))
        wanted = {id(job) for job in jobs_to_do(compare_results(every))}
        found: dict[Subject, Cost] = {}
        for number, job in enumerate(every):
            # The complete relevance of so many pairs is refused, and the step costs needs Snakemake's records.
            if id(job) in wanted and job.step not in {"complete_relevance", "costs"}:
                cost = cost_of(number) if tiny else cost_alone(number)
                subject = n_ratings, job.step, job.wildcards.get("recommender", job.wildcards.get("metric", "")).partition("@")[0]
                found[subject] = found[subject] + cost if subject in found else cost
                if not tiny:
                    write({**read(), **found})
                print(f"{cost}  {' '.join(subject[1:])}", flush=True)
        print(f"{sum(found.values(), Cost())}  all jobs, one after another", flush=True)


def cost_alone(number: int) -> Cost:
    """Run a job in a separate process, as the workflow does, on one thread."""
    environment = {**os.environ, **ONE_BLAS_THREAD, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--job", str(number)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return Cost(*json.loads(done.stdout.splitlines()[-1]))


def cost_of(number: int) -> Cost:
    """Run a job of the study in this process; its imports count, as they do in every job."""
    job = planned_jobs(Plan(str(STUDY)))[number]
    import_module(f"recsens.workflow.steps.{job.step}")
    start, start_cpu = perf_counter(), process_time()
    job.call()
    return Cost(perf_counter() - start, process_time() - start_cpu, peak_mib() / 1024)


def read() -> dict[Subject, Cost]:
    """Read the measurements."""
    if not TABLE.is_file():
        return {}
    with TABLE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return {(int(row["ratings"]), row["step"], row["subject"]): Cost(*(float(row[name]) for name in Cost._fields)) for row in rows}


def write(found: Mapping[Subject, Cost]) -> None:
    """Write the measurements, ordered by size."""
    with TABLE.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(("ratings", "step", "subject", *Cost._fields))
        for subject, cost in sorted(found.items(), key=lambda each: each[0][0]):
            writer.writerow((*subject, *(f"{value:.3f}" for value in cost)))


def draw(path: Path) -> None:
    """Draw the processor seconds and memory of steps over the number of ratings, with logarithmic axes."""
    lines: dict[str, dict[int, Cost]] = {}
    for (n_ratings, job, subject), cost in read().items():
        step = "rank" if job == "rank_shard" else job
        if step in DRAWN:
            name = f"{step} {subject}" if step in {"fit", "rank"} else step
            by_size = lines.setdefault(name, {})
            by_size[n_ratings] = by_size.get(n_ratings, Cost()) + cost
    figure, (seconds, memory) = plt.subplots(1, 2, figsize=(10, 5), sharex=True, layout="constrained")
    for name, by_size in lines.items():
        sizes = sorted(by_size)
        style = {"marker": "o", "markersize": 3, "linestyle": {"fit": "--", "rank": "-."}.get(name.split()[0], "-")}
        seconds.plot(sizes, [by_size[size].cpu for size in sizes], label=name, **style)
        memory.plot(sizes, [by_size[size].gib for size in sizes], **style)
    for axes, label in ((seconds, "seconds of processor"), (memory, "peak memory of a job in GiB")):
        axes.set(xscale="log", yscale="log", xlabel="ratings", ylabel=label)
        axes.grid(visible=True, alpha=0.3)
    figure.legend(loc="outside right center", fontsize="small")
    plt.rcParams["svg.hashsalt"] = "size"
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
