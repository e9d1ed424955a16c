"""Count the averaged users under every design, those of them who can score above zero, and the test ratings of all others."""

from typing import Unpack

from recsens.outcomes.counting import user_count_rows
from recsens.pipeline.table_files import write_rows
from recsens.workflow.steps._outcomes import OutcomeFiles, read_outcomes


def count_users(*, counted: str, **files: Unpack[OutcomeFiles]) -> None:
    """Write the table of averaged users: one row for each data set or experiment, design and fold."""
    write_rows(counted, "counted", user_count_rows(read_outcomes("count_users", **files)))
