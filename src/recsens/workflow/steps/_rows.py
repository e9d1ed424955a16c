"""The results of a study as tidy CSV tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from recsens.artefacts import storage


def write_rows(path: str, rows: Sequence[Mapping[str, Any]], header: Sequence[str] = ()) -> None:
    """Write rows as CSV, with an empty field for a missing value; without rows, only ``header``."""
    write_frame(path, pd.DataFrame(list(rows), columns=None if rows else list(header)))


def write_frame(path: str, table: pd.DataFrame) -> None:
    """Write a table as CSV."""
    storage.write_file(path, lambda temporary: table.to_csv(temporary, index=False, lineterminator="\n"))
