"""Compute how far each comparison could be pushed by the items that nobody rated."""

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from recsens.artefacts.filesets import PositionFiles
from recsens.outcomes.unrated import UnratedOutcomes
from recsens.pipeline.table_files import write_rows
from recsens.workflow.steps._outcomes import OutcomeFiles, read_outcomes


def unrated(
    *, rankings: Sequence[PositionFiles], lists: Sequence[str], unrated: str, rates: str, **files: Unpack[OutcomeFiles]
) -> None:
    """Write the table of bounds and tipping rates, and the table by rate; each of the ``rankings`` has one of the ``lists``."""
    ranked = {str(Path(own.positions).parent): (own, path) for own, path in zip(rankings, lists, strict=True)}
    main, by_rate = UnratedOutcomes(read_outcomes("unrated", **files), ranked).rows()
    write_rows(unrated, "unrated", main)
    write_rows(rates, "unrated_rates", by_rate)
