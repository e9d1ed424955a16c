"""Bind a rule's files and parameters to the library's step of the same name."""

from typing import TYPE_CHECKING

from recsens.jobs import run_step

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# 'code' and 'own_files' are there for Snakemake alone: a change of them makes the job stale. A plug-in knows its files itself.
INPUTS = {name: files for name, files in snakemake.input.items() if name != "own_files"}
PARAMS = {name: value for name, value in snakemake.params.items() if name != "code"}

run_step(
    snakemake.rule,
    log=snakemake.log[0],
    threads=snakemake.threads,
    **INPUTS,
    **dict(snakemake.output.items()),
    **PARAMS,
)
