"""Compare every pair of systems under every design."""

from collections.abc import Mapping, Sequence

from recsens.pipeline.table_files import write_rows
from recsens.study.keys_by_step import load_part
from recsens.workflow.steps._outcomes import read_outcomes


def compare(
    *,
    study: str,
    measures: Sequence[str],
    population: str,
    user_tables: Sequence[str] = (),
    user_ids: Sequence[str] = (),
    comparisons: str,
    addresses: Mapping[str, str],
    decisions: str | None = None,
) -> None:
    """Write the table of comparisons, over all folds and on each fold."""
    asked = load_part(study, "compare", decisions)
    write_rows(
        comparisons, "comparisons", read_outcomes(asked, measures, population, addresses, user_tables, user_ids).comparisons()
    )
