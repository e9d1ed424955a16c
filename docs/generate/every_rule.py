"""Studies that together need every rule of the workflow, and their jobs."""

import os
from collections.abc import Mapping
from contextlib import chdir
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import yaml

from recsens.workflow.job import Job
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs

_PAIRS = [(user, item) for user in range(9) for item in range(9)]

_FILES: Mapping[str, str] = {
    "ratings.tsv": "".join(f"{user}\t{item}\t{1 + (user + item) % 5}\n" for user, item in _PAIRS),
    "users.tsv": "user\tage\n" + "".join(f"{user}\t{20 + user}\n" for user in range(9)),
    "scores.tsv": "1\t1\t0.5\n",
}
"""The user's own files."""

_STUDIES: Mapping[str, Mapping[str, Any]] = {
    "Own data": {
        "datasets": {"Mine": "delimited(path=ratings.tsv,users=users.tsv)"},
        "systems": {
            "FM": "fm(factors=2)",
            "Tuned": "tuned(of=user_knn,search=grid(k=[5,10]),metric=P@5)",
            "Own": "from_file(path=scores.tsv)",
            "Other": 'program(run="mine {train} {scores}")',
        },
        "design": {"split": "validated(of=random(ratio=0.6))"},
        "metrics": ["P@5"],
        "meta": ["sparsity(samples=2)"],
        "over_datasets": {"families": {"Own": ["Mine"]}},
        "groups": ["popularity"],
        "claims": [{"claim": "wins(a=FM,b=Own)", "source": "Section 1"}],
    },
    "Shards": {
        "datasets": {"Simulated": "simulated"},
        "systems": {"Average": "average_rating", "MF": "biased_mf"},
        "vary": {"split": ["complete(of=random)"]},
        "metrics": ["P@5", "RMSE", "Gini@5"],
        "figures": ["distribution", "joint", "split_profile"],
        "reference": {"under": {"split": "complete(of=random)"}, "metric": "P@5"},
        "shards": 2,
    },
}


@cache
def jobs() -> list[Job]:
    """List the jobs of these studies, as Snakemake plans them, without writing to the checkout or looking for data."""
    without_data = {name: value for name, value in os.environ.items() if name != "RECSENS_DATA"}
    with TemporaryDirectory() as folder, chdir(folder), patch.dict(os.environ, without_data, clear=True):
        for name, text in _FILES.items():
            Path(name).write_text(text, encoding="utf-8")
        return [job for title, study in _STUDIES.items() for job in _jobs_of({"title": title, **study})]


def _jobs_of(study: Mapping[str, Any]) -> list[Job]:
    Path("study.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
    return planned_jobs(Plan("study.yaml"))
