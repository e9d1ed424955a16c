"""Compare every pair of systems under every design."""

from typing import Unpack

from recsens.pipeline.table_files import write_rows
from recsens.workflow.steps._outcomes import OutcomeFiles, read_outcomes


def compare(*, comparisons: str, **files: Unpack[OutcomeFiles]) -> None:
    """Write the table of comparisons, over all folds and on each fold."""
    write_rows(comparisons, "comparisons", read_outcomes("compare", **files).comparisons())
