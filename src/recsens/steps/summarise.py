"""Summarise: the value of every system under every design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recsens.steps._outcomes import read_outcomes
from recsens.steps._rows import write_rows


def summarise(
    *,
    study: str,
    measures: Sequence[str],
    population: str,
    user_tables: Sequence[str] = (),
    summary: str,
    addresses: Mapping[str, str],
) -> None:
    """Write the table of summary."""
    write_rows(summary, read_outcomes(study, measures, population, addresses, user_tables).summary())
