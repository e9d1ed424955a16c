"""Combine the comparisons of every pair of systems over data sets."""

from collections.abc import Mapping, Sequence

from recsens.outcomes.over_datasets import CombinedOutcomes
from recsens.pipeline.table_files import write_rows
from recsens.study.keys_by_step import load_part
from recsens.workflow.steps._outcomes import read_outcomes


def over_datasets(
    *,
    study: str,
    measures: Sequence[str],
    population: str,
    user_tables: Sequence[str] = (),
    user_ids: Sequence[str] = (),
    over_datasets: str,
    effects: str,
    addresses: Mapping[str, str],
    decisions: str | None = None,
) -> None:
    """Write the table of combined comparisons, and that of the effects on each data set under the base design."""
    asked = load_part(study, "over_datasets", decisions)
    combined = CombinedOutcomes(read_outcomes(asked, measures, population, addresses, user_tables, user_ids))
    write_rows(over_datasets, "over_datasets", combined.combined())
    write_rows(effects, "effects", combined.of_datasets())
