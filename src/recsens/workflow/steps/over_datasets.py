"""Combine the comparisons of every pair of systems over data sets."""

from typing import Unpack

from recsens.outcomes.over_datasets import CombinedOutcomes
from recsens.pipeline.table_files import write_rows
from recsens.workflow.steps._outcomes import OutcomeFiles, read_outcomes


def over_datasets(*, over_datasets: str, effects: str, **files: Unpack[OutcomeFiles]) -> None:
    """Write the table of combined comparisons, and that of the effects on each data set under the base design."""
    combined = CombinedOutcomes(read_outcomes("over_datasets", **files))
    write_rows(over_datasets, "over_datasets", combined.combined())
    write_rows(effects, "effects", combined.of_datasets())
