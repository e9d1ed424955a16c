"""2,400 verdicts on MovieLens 1M: the time from fitted models to the report.

    RECSENS_DATA=... python benchmarks/multiverse.py

Works in a temporary copy of the workflow. Goal: at most 120 s on two cores after fitting.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from recsens.plan import Plan

ROOT = Path(__file__).parents[1]
BOUND = 120


def main() -> None:
    with TemporaryDirectory() as scratch:
        for name in ("Snakefile", "workflow", "config", "environment.yml"):
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, Path(scratch) / name)
        shutil.copy(ROOT / "benchmarks" / "multiverse.yaml", scratch)
        os.chdir(scratch)
        plan = Plan("multiverse.yaml")
        designs = sum(map(len, plan.designs.values()))
        print(f"{designs} designs x {len(plan.study.metrics)} metrics, {len(plan.rankings)} rankings")
        models = sorted({str(ranking.folder.parents[2] / "model.npz") for ranking in plan.rankings.values()})
        options = ["--workflow-profile", "workflow/profiles/default", "--cores", "2", "--config", "study=multiverse.yaml"]
        print(f"fitting {len(models)} models: {timed([sys.executable, '-m', 'snakemake', *options, '--', *models]):.0f} s")
        command = Path(sys.executable).with_name("recsens")
        rest = timed([str(command), "run", "multiverse.yaml", "--cores", "2"])
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
