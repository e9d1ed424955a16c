"""Compute how far each comparison could be pushed by the items that nobody rated."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from recsens.artefacts.filesets import PositionFiles
from recsens.outcomes.unrated import UnratedOutcomes
from recsens.pipeline.table_files import write_rows
from recsens.study.keys_by_step import load_part
from recsens.workflow.steps._outcomes import read_outcomes


def unrated(
    *,
    study: str,
    measures: Sequence[str],
    population: str,
    rankings: Sequence[PositionFiles],
    lists: Sequence[str],
    user_tables: Sequence[str] = (),
    user_ids: Sequence[str] = (),
    unrated: str,
    rates: str,
    addresses: Mapping[str, str],
    decisions: str | None = None,
) -> None:
    """Write the table of bounds and tipping rates, and the table by rate; each of the ``rankings`` has one of the ``lists``."""
    asked = load_part(study, "unrated", decisions)
    files = {str(Path(own.positions).parent): (own, path) for own, path in zip(rankings, lists, strict=True)}
    outcomes = read_outcomes(asked, measures, population, addresses, user_tables, user_ids)
    main, by_rate = UnratedOutcomes(outcomes, files).rows()
    write_rows(unrated, "unrated", main)
    write_rows(rates, "unrated_rates", by_rate)
