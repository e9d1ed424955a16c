"""Tidy tables of a study as CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from recsens import tables


def write_rows(path: str, rows: Sequence[Mapping[str, Any]], header: Sequence[str] = ()) -> None:
    """Write rows as CSV, an empty field where there is no value; ``header`` stands where there is no row."""
    with tables.atomic(path) as temporary:
        pd.DataFrame(list(rows), columns=None if rows else list(header)).to_csv(temporary, index=False, lineterminator="\n")
