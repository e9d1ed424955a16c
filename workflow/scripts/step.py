"""Bind a rule's files and parameters to the library's step of that name; `recsens.workflow.executor` does so within a run."""

from typing import TYPE_CHECKING

from recsens.workflow.job import Job, run
from recsens.workflow.rule_names import step_of

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run(
    Job(
        step_of(snakemake.rule),
        log=snakemake.log[0],
        threads=snakemake.threads,
        inputs=dict(snakemake.input.items()),
        outputs=dict(snakemake.output.items()),
        params=dict(snakemake.params.items()),
    ),
    limit=snakemake.resources.get("limit"),
)
