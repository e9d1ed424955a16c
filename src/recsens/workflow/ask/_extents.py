"""Extents of data sets: numbers of users, items and ratings. They come from records, or are guessed before the data are read."""

import json
from contextlib import suppress
from functools import cache
from pathlib import Path

from recsens.artefacts.addresses import Address
from recsens.recommenders import Extent
from recsens.workflow.plan import Plan, RawDataSet

_PACKED = frozenset((".zip", ".gz", ".bz2", ".xz", ".parquet"))
_BYTES_PER_RATING = 16
_PACKED_BYTES_PER_RATING = 4
"""Bytes per rating, fewer than usual, so that guessed numbers of ratings tend to be too large rather than too small."""


class Extents:
    """The extents of a study's data sets.

    Parameters
    ----------
    plan
        The plan of the study.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.raw = cache(self._raw)
        self.filtered = cache(self._filtered)

    def _raw(self, dataset: str) -> Extent:
        """Return the extent of the data set with this folder name before any filter: a guess, unless it is simulated."""
        return guessed(self._plan.source_at(dataset))

    def _filtered(self, data: Address) -> Extent:
        """Return a data set's extent after a filter, from its record; without a record, its extent before any filter."""
        with suppress(OSError, ValueError, LookupError, TypeError):
            sizes = json.loads(Path(data.data.dataset).read_text(encoding="utf-8"))["filters"][-1]["after"]
            return Extent(*(int(sizes[name]) for name in Extent._fields))
        return self.raw(data.step("dataset"))


def guessed(source: RawDataSet) -> Extent:
    """Guess a data set's extent from its parameters or, if it is read from files, from the files' size."""
    declared = [getattr(source.component, name, None) for name in Extent._fields]
    if all(isinstance(number, int) for number in declared):
        return Extent(*(int(number or 0) for number in declared))
    ratings = sum(_ratings_in(file) for file in source.files)
    return Extent(users=max(ratings // 50, 1), items=int(3 * ratings**0.5) + 1, ratings=ratings)


def _ratings_in(file: Path) -> int:
    try:
        n_bytes = file.stat().st_size
    except OSError:
        return 0
    return n_bytes // (_PACKED_BYTES_PER_RATING if file.suffix in _PACKED else _BYTES_PER_RATING)
