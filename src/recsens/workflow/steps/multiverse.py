"""Test all analyses of every pair of systems together."""

from typing import Unpack

from recsens.conclusions.multiverse import multiverse as all_analyses
from recsens.pipeline.table_files import write_rows
from recsens.workflow.steps._outcomes import OutcomeFiles, read_outcomes


def multiverse(*, multiverse: str, joint: str, **files: Unpack[OutcomeFiles]) -> None:
    """Write the table of all analyses with adjusted p-values, and the table of their joint results."""
    pooled = all_analyses(read_outcomes("multiverse", **files))
    write_rows(multiverse, "multiverse", pooled.analyses)
    write_rows(joint, "joint", pooled.joint)
