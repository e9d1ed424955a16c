"""2,400 verdicts on MovieLens 1M: the time from fitted models to the report.

    RECSENS_DATA=... python benchmarks/multiverse.py

Works in a temporary copy of the workflow. Goal: at most 120 s on two cores after fitting.
"""

import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from command_line import parser
from recsens.workflow.plan import Plan

ROOT = Path(__file__).parents[1]
BOUND = 120
TINY: dict[str, Any] = {
    "datasets": {"Tiny": "simulated(users=30,items=100,ratings=700)"},
    "systems": {"kNN": "user_knn(k=5)", "MF": "hkv(factors=2,epochs=1)"},
    "vary": {"view": ["condensed"]},
    "metrics": ["P@1"],
}
"""What the tiny board takes otherwise; its jobs are planned, and not run."""


def main(command: Sequence[str] | None = None) -> None:
    study = yaml.safe_load((ROOT / "benchmarks" / "multiverse.yaml").read_text(encoding="utf-8"))
    is_tiny = parser(__doc__).parse_args(command).tiny
    if is_tiny:
        study |= TINY
    with TemporaryDirectory() as scratch, chdir(scratch):
        for name in ("Snakefile", "workflow", "config", "environment.yml"):
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, name)
        Path("multiverse.yaml").write_text(yaml.safe_dump(study, sort_keys=False), encoding="utf-8")
        plan = Plan("multiverse.yaml")
        designs = sum(map(len, plan.designs.values()))
        print(f"{designs} designs x {len(plan.study.metrics)} metrics, {len(plan.rankings)} rankings")
        models = sorted({ranking.address.up_to("recommender").model for ranking in plan.rankings.values()})
        planned = ["--dry-run"] if is_tiny else []
        options = ["--workflow-profile", "workflow/profiles/default", "--cores", "2", "--config", "study=multiverse.yaml", *planned]
        print(f"fitting {len(models)} models: {timed([sys.executable, '-m', 'snakemake', *options, '--', *models]):.0f} s")
        recsens = Path(sys.executable).with_name("recsens")
        rest = timed([str(recsens), "run", "multiverse.yaml", "--cores", "2", *planned])
        print(f"targets, rankings, measures, verdicts, figures and report: {rest:.0f} s (bound {BOUND} s)")
        folder = Path("results/studies/multiverse/benchmarks")
        for table in sorted(folder.rglob("*.tsv")):
            print(f"  {table.relative_to(folder)}: {table.read_text().splitlines()[1].split()[0]} s")


def timed(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, text=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
