"""2,400 verdicts on MovieLens 1M: the time from fitted models to the report.

    RECSENS_DATA=... python benchmarks/multiverse.py

Works in a temporary copy of the workflow. Goal: at most 120 s on two cores after fitting.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from command_line import parser
from copied_workflow import ROOT, copied_workflow, recsens, timed, write_study
from recsens.workflow.plan import Plan

BOUND = 120
TINY: dict[str, Any] = {
    "datasets": {"Tiny": "simulated(users=30,items=100,ratings=700)"},
    "systems": {"kNN": "user_knn(k=5)", "MF": "hkv(factors=2,epochs=1)"},
    "vary": {"view": ["condensed"]},
    "metrics": ["P@1"],
}
"""What differs in the tiny study, whose jobs are planned but not run."""


def main(command: Sequence[str] | None = None) -> None:
    study = yaml.safe_load((ROOT / "benchmarks" / "multiverse.yaml").read_text(encoding="utf-8"))
    is_tiny = parser(__doc__).parse_args(command).tiny
    if is_tiny:
        study |= TINY
    with copied_workflow():
        write_study("multiverse.yaml", study)
        plan = Plan("multiverse.yaml")
        designs = sum(map(len, plan.designs.values()))
        print(f"{designs} designs x {len(plan.study.metrics)} metrics, {len(plan.rankings)} rankings")
        models = sorted({ranking.address.up_to("recommender").model for ranking in plan.rankings.values()})
        planned = ["--dry-run"] if is_tiny else []
        options = ["--workflow-profile", "workflow/profiles/default", "--cores", "2", "--config", "study=multiverse.yaml", *planned]
        print(f"fitting {len(models)} models: {timed([sys.executable, '-m', 'snakemake', *options, '--', *models]).seconds:.0f} s")
        rest = recsens("run", "multiverse.yaml", "--cores", "2", *planned).seconds
        print(f"targets, rankings, measures, verdicts, figures and report: {rest:.0f} s (bound {BOUND} s)")
        folder = Path("results/studies/multiverse/benchmarks")
        for table in sorted(folder.rglob("*.tsv")):
            print(f"  {table.relative_to(folder)}: {table.read_text().splitlines()[1].split()[0]} s")


if __name__ == "__main__":
    main()
