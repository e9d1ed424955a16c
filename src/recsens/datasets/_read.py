"""Reading a delimited file: swiftly where nothing is wrong with it, else exactly."""

from __future__ import annotations

from pathlib import Path

from recsens.datasets._assemble import Duplicates, assemble
from recsens.datasets._base import Loaded
from recsens.datasets._exact import read_exactly
from recsens.datasets._layout import Layout
from recsens.datasets._rows import Invalid
from recsens.datasets._swift import read_swiftly
from recsens.datasets._text import explained


def read_delimited(path: Path, layout: Layout, *, duplicates: Duplicates, invalid: Invalid) -> Loaded:
    """Read interactions from a delimited file, plain or gzipped.

    Raises
    ------
    DataError
        If the file is missing, damaged, empty, in another encoding, or a line does not hold what is declared.
    """
    with explained(path, layout.encoding):
        rows = read_swiftly(path, layout)
        if rows is None:
            rows = read_exactly(path, layout, invalid)
        return assemble(rows, layout.scale, duplicates)
