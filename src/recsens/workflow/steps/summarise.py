"""Summarise the value of every system under every design."""

from typing import Unpack

from recsens.pipeline.table_files import write_rows
from recsens.workflow.steps._outcomes import OutcomeFiles, read_outcomes


def summarise(*, summary: str, **files: Unpack[OutcomeFiles]) -> None:
    """Write the summary table."""
    write_rows(summary, "summary", read_outcomes("summarise", **files).summary())
