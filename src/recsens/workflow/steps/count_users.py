"""Count the averaged users under every design, those of them who can score above zero, and the test ratings of all others."""

from collections.abc import Mapping, Sequence

from recsens.outcomes.counting import counted_rows
from recsens.pipeline.table_files import write_rows
from recsens.study.keys_by_step import load_part
from recsens.workflow.steps._outcomes import read_outcomes


def count_users(
    *,
    study: str,
    population: str,
    user_tables: Sequence[str] = (),
    counted: str,
    addresses: Mapping[str, str],
    decisions: str | None = None,
) -> None:
    """Write the table of averaged users: one row for each data set or experiment, design and fold."""
    asked = load_part(study, "count_users", decisions)
    write_rows(counted, "counted", counted_rows(read_outcomes(asked, (), population, addresses, user_tables)))
