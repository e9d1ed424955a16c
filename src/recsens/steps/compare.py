"""Compare: every pair of systems under every design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recsens.steps._outcomes import read_outcomes
from recsens.steps._rows import write_rows


def compare(
    *,
    study: str,
    measures: Sequence[str],
    population: str,
    user_tables: Sequence[str] = (),
    comparisons: str,
    addresses: Mapping[str, str],
) -> None:
    """Write the table of comparisons, over users and per fold."""
    outcomes = read_outcomes(study, measures, population, addresses, user_tables)
    write_rows(comparisons, outcomes.comparisons(), outcomes.comparison_header())
