"""Bind a rule's files and parameters to the library's step of the same name."""

from typing import TYPE_CHECKING

from recsens.jobs import run_step

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# 'code' is there for Snakemake alone: a change of it makes the job stale.
PARAMS = {name: value for name, value in snakemake.params.items() if name != "code"}

run_step(
    snakemake.rule,
    log=snakemake.log[0],
    threads=snakemake.threads,
    **dict(snakemake.input.items()),
    **dict(snakemake.output.items()),
    **PARAMS,
)
