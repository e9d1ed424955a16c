"""Interactions in a user's parquet file, or in one with a JSON object in each line."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
from pydantic import Field

from recsens.data.datasets._assemble import assemble
from recsens.data.datasets._base import Loaded
from recsens.data.datasets._own_file import OwnFile
from recsens.files import FileTable, read_frame, read_parquet


class Parquet(OwnFile):
    """A parquet file with one interaction per row, in declared columns.

    Users and items are text, or integers, which become text. Ratings are numbers. Time stamps are dates and times, which become
    seconds since 1970, or integers, which stay unchanged as in ``delimited``. Messages count rows from 1. If one column contains
    lists of items, as in LensKit's native layout, every list entry becomes a row.
    """

    user: str = Field("user", min_length=1, description="column of the user: text or integers")
    item: str = Field("item", min_length=1, description="column of the item: text or integers")
    rating: str | None = Field("rating", min_length=1, description="column of the rating; null if there is none")
    timestamp: str | None = Field(
        None, min_length=1, description="column of the time stamp, an integer or a time; null if there is none"
    )

    def _read_files(self, files: Sequence[Path]) -> FileTable:
        return read_parquet(files, self._kind, self._declared_columns, self.invalid)

    def take(self, frame: pa.Table, source: str) -> Loaded:
        """Load a table in memory as if it came from a file; messages call the table ``source``.

        Raises
        ------
        DataError
            If the table does not match the declaration; the message names the row.
        """
        return assemble(read_frame(frame, source, self._kind, self._declared_columns, self.invalid), self.scale, self.duplicates)


class JsonLines(Parquet):
    """A file with a JSON object in each line, perhaps gzipped: one interaction per line, in declared keys.

    Users and items are text, or integers, which become text: "007" and 7 are different names. Ratings are numbers. Time stamps are
    whole numbers, or text such as 2024-01-31 22:15:00. A key that an object lacks has no value there.
    """

    label = "json_lines"
