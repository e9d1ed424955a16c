"""Count: who is averaged under every design, who of them can score, and what is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from recsens.config import load_study
from recsens.counting import counted_rows
from recsens.measured import Measured
from recsens.specs import parse
from recsens.steps._rows import write_rows


def count(*, study: str, population: str, user_tables: Sequence[str] = (), counted: str, addresses: Mapping[str, str]) -> None:
    """Write the table of users averaged, one row a data set or experiment, design and fold."""
    specs = {label: parse(spec) for label, spec in addresses.items()}
    by_folder = {str(Path(path).parent): path for path in user_tables}
    write_rows(counted, counted_rows(load_study(study), specs, Measured({}, population), by_folder))
