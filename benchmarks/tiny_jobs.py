"""What one more small job costs: a study of a thousand tiny jobs compared with one of a hundred.

    python benchmarks/tiny_jobs.py

The systems are nearest neighbours of 60 users: each job has almost nothing to compute, so its time is what the workflow adds. Works
in a temporary copy of the workflow. Goals: a thousand jobs in 5 minutes on two cores, and .15 s of processor time for one more.
"""

from collections.abc import Sequence
from typing import Any

from command_line import parser
from copied_workflow import Taken, copied_workflow, recsens, write_study
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs

SYSTEMS = 10
REPEATS = (4, 48)
"""Few and many splits; each system is fitted and ranked on each."""

GOAL, MARGINAL_GOAL = 300, 0.15


def study(repeats: int) -> dict[str, Any]:
    """Return a study that fits and ranks every system on this many splits."""
    return {
        "title": f"{repeats} splits of little",
        "datasets": {"Tiny": "simulated(users=60,items=100,ratings=1200)"},
        "systems": {f"kNN {k}": f"user_knn(k={k})" for k in range(1, SYSTEMS + 1)},
        "design": {"split": "random(ratio=0.5)", "repeats": repeats},
        "metrics": ["P@5"],
        "figures": [],
    }


def main(command: Sequence[str] | None = None) -> None:
    """Run both studies."""
    is_tiny = parser(__doc__).parse_args(command).tiny
    found = [run(repeats, is_planned_only=is_tiny) for repeats in (REPEATS if not is_tiny else (1, 2))]
    (few, few_taken), (many, many_taken) = found
    for jobs, taken in found:
        print(f"{jobs:5} jobs: {taken.seconds:6.1f} s, {taken.cpu:6.1f} s of processor")
    print(f"{many} jobs: bound {GOAL * many / 1000:.0f} s")
    print(f"one more job: {(many_taken.cpu - few_taken.cpu) / (many - few):.3f} s of processor (bound {MARGINAL_GOAL} s)")


def run(repeats: int, *, is_planned_only: bool) -> tuple[int, Taken]:
    """Run a study from scratch; return how many jobs it had, and how long they took."""
    with copied_workflow():
        write_study("tiny.yaml", study(repeats))
        jobs = len(planned_jobs(Plan("tiny.yaml")))
        return jobs, recsens("run", "tiny.yaml", "--cores", "2", *(["--dry-run"] if is_planned_only else []))


if __name__ == "__main__":
    main()
