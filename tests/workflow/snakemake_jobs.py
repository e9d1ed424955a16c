"""Print the jobs that Snakemake itself would run for a study, as JSON: ``python snakemake_jobs.py STUDY`` in a checkout."""

import json
import sys
from pathlib import Path
from typing import Any

from snakemake.api import SnakemakeApi
from snakemake.settings.types import ConfigSettings, OutputSettings, Quietness, ResourceSettings


def listed(files: Any) -> dict[str, list[str]]:
    """List the files of a job by name."""
    return {name: [str(paths)] if isinstance(paths, str) else list(map(str, paths)) for name, paths in files.items()}


with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
    settings = ConfigSettings(config={"study": sys.argv[1]})
    given = api.workflow(ResourceSettings(cores=1), settings, snakefile=Path("Snakefile"))
    given.dag()
    workflow = given._workflow  # nothing public gives the jobs
    workflow._prepare_dag(forceall=True, ignore_incomplete=True, lock_warn_only=True, nolock=True)
    workflow._build_dag()
    jobs = [
        {"step": job.rule.name, "inputs": listed(job.input), "outputs": listed(job.output), "params": dict(job.params.items())}
        for job in workflow.dag.jobs
    ]
sys.stdout.write(json.dumps(jobs))
