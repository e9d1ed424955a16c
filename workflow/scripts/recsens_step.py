"""Run the step of the library that is named after the rule. The executor `recsens` does so without this script."""

import sys
from typing import TYPE_CHECKING

from recsens.workflow.in_snakemake import taking_part
from recsens.workflow.job import Job, run, step_of
from recsens.workflow.lock import RunError

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

job = Job(
    step_of(snakemake.rule),
    log=snakemake.log[0],
    threads=snakemake.threads,
    inputs=dict(snakemake.input.items()),
    outputs=dict(snakemake.output.items()),
    params=dict(snakemake.params.items()),
)
try:
    with taking_part():
        run(job, limit=snakemake.resources.get("limit"))
except RunError as error:
    sys.exit(f"recsens: {error}")
