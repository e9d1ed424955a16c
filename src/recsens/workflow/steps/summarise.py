"""Summarise the value of every system under every design."""

from collections.abc import Mapping, Sequence

from recsens.pipeline.table_files import write_rows
from recsens.study.keys_by_step import load_part
from recsens.workflow.steps._outcomes import read_outcomes


def summarise(
    *,
    study: str,
    measures: Sequence[str],
    population: str,
    user_tables: Sequence[str] = (),
    summary: str,
    addresses: Mapping[str, str],
    decisions: str | None = None,
) -> None:
    """Write the summary table."""
    asked = load_part(study, "summarise", decisions)
    write_rows(summary, "summary", read_outcomes(asked, measures, population, addresses, user_tables).summary())
