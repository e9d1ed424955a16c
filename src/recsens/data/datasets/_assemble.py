"""Turn the rows of a ratings file into interactions with canonical codes, one interaction per pair."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.datasets._base import Loaded
from recsens.errors import DataError
from recsens.files import FileTable
from recsens.files.kinds import OR_SKIP, Column, Kind
from recsens.files.scale import Scale
from recsens.files.text_reader import FaultyRowsError

_Duplicates = Literal["error", "first", "last", "mean", "max"]

Duplicates = Annotated[
    _Duplicates,
    Field(
        description="how to treat a repeated pair: error; first or last row, by time if there are times; mean or max of its ratings"
    ),
]
"""How to treat a pair that occurs more than once: refuse it, keep its first or last row, or use the mean or the highest of its
ratings."""

Repeats = _Duplicates | Literal["sum", "count"]
"""How to treat repeated pairs. In logs with many events per pair, a pair's ratings (such as plays) may also be summed or
counted."""

_OF_REPEATS = "say how to treat repeated pairs: duplicates=first, last, mean or max; in a log of events, also sum or count"

_PLAIN_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,999}")


def kind_of_ratings(scale: Scale | None, *, with_times: bool) -> Kind:
    """Return the file kind for ratings on a scale, or for interactions without ratings."""
    skip = "correct the {row}, or the declaration (such as header=true)" + OR_SKIP
    columns = [Column("user", remedy=skip), Column("item", remedy=skip)]
    columns += [Column("rating", "number", scale, remedy=skip)] if scale is not None else []
    columns += [Column("timestamp", "time", remedy=skip)] if with_times else []
    return Kind(tuple(columns), is_declared=True)


def assemble(rows: FileTable, scale: Scale, duplicates: Repeats, catalogue: Sequence[str] = ()) -> Loaded:
    """Assign codes, merge repeated pairs and sort rows by user and item. Ratings become exact scale values.

    The result depends only on the set of rows, not on their order in the file, unless ``duplicates`` is first or last and rows have
    equal times, or none. With first or last, a pair keeps its earliest or latest row, and of equal times the first or last in the
    file. A merged pair gets the latest of its time stamps.

    The highest sum or count is not known in advance, so a scale that ends below it is extended. A scale of counts starts at 1 and
    has steps of 1. Items of the ``catalogue`` that no row names become items without interactions.

    Raises DataError if there are no rows, or if a pair occurs twice and ``duplicates`` is error.
    """
    if len(rows) == 0:
        skipped = f" (invalid rows left out: {rows.n_invalid})" if rows.n_invalid else ""
        raise DataError(
            f"the file contains no interactions{skipped}",
            where=rows.source,
            allowed="at least one interaction",
            remedy="check the file and its declaration",
        )
    user_ids, user = canonical_codes(rows.user.names, rows.user.code)
    item_ids, item = canonical_codes(list(dict.fromkeys([*rows.item.names, *catalogue])), rows.item.code)
    pair = user.astype(np.int64) * len(item_ids) + item
    order = np.argsort(pair, kind="stable")
    starts = np.flatnonzero(np.diff(pair[order], prepend=-1))
    notes = {"invalid_rows": rows.n_invalid} if rows.n_invalid else {}
    read, timestamp = rows.columns.get("rating"), rows.columns.get("timestamp")
    if timestamp is not None and duplicates in {"first", "last"} and len(starts) < len(order):
        order = np.lexsort((timestamp, pair))
    rating = None if read is None else scale.snapped(read)
    if len(starts) == len(order) and duplicates != "count":
        kept = order
        rating, timestamp = _take_rows(rating, kept), _take_rows(timestamp, kept)
    else:
        if duplicates == "error":
            raise _repeated_pair(rows, order, starts)
        if n_merged := len(order) - len(starts):
            notes["duplicate_rows"] = n_merged
        kept = order[_group_ends(starts, len(order))] if duplicates == "last" else order[starts]
        if duplicates in {"first", "last"}:
            rating, timestamp = _take_rows(rating, kept), _take_rows(timestamp, kept)
        else:
            timestamp = None if timestamp is None else np.maximum.reduceat(timestamp[order], starts)
            if duplicates == "count":
                rating, scale = np.diff(np.append(starts, len(order))).astype(np.float64), replace(scale, lowest=1.0, step=1.0)
            elif rating is not None:
                rating = _merge_ratings(rating, pair, starts, duplicates)
    if duplicates in {"sum", "count"} and rating is not None:
        rating = scale.snapped(rating)
        scale = replace(scale, highest=max(scale.highest, float(rating.max())))
    return Loaded(
        user_ids=user_ids,
        item_ids=item_ids,
        user=user[kept],
        item=item[kept],
        rating=rating,
        timestamp=timestamp,
        scale=scale,
        notes=notes,
    )


def add_repeats(fault: FaultyRowsError) -> FaultyRowsError:
    """Add the number of repeated pairs among the other rows, if there are any, to the error about faulty rows."""
    n = 0 if fault.sound is None else fault.sound.n_repeats
    if not n:
        return fault
    repeated = f"{n:,} row{'s' * (n != 1)} repeat{'s' * (n == 1)} the user and item of another row"
    fault.counted = "; ".join(filter(None, [fault.counted, repeated]))
    fault.remedy = "; ".join(filter(None, [fault.remedy, _OF_REPEATS]))
    return fault


def canonical_codes(names: Sequence[str], codes: NDArray[np.int32]) -> tuple[list[str], NDArray[np.int32]]:
    """Renumber names in canonical order: by value if all are integers without leading zeros, otherwise by code points.

    Returns
    -------
    The names in canonical order, and the codes renumbered accordingly.
    """
    if all(map(_PLAIN_INTEGER.fullmatch, names)):
        order = sorted(range(len(names)), key=lambda code: int(names[code]))
    else:
        order = sorted(range(len(names)), key=names.__getitem__)
    renumbered = np.empty(len(names), dtype=np.int32)
    renumbered[order] = np.arange(len(names), dtype=np.int32)
    return [names[code] for code in order], renumbered[codes]


def _group_ends(starts: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    return np.append(starts[1:], n) - 1


def _take_rows(values: NDArray[Any] | None, kept: NDArray[np.intp]) -> NDArray[Any] | None:
    return None if values is None else values[kept]


def _merge_ratings(
    rating: NDArray[np.float64], pair: NDArray[np.int64], starts: NDArray[np.intp], duplicates: Repeats
) -> NDArray[np.float64]:
    # Sort the ratings of each pair. Then the order of rows cannot change even the last bit of a sum.
    ordered = rating[np.lexsort((rating, pair))]
    if duplicates == "max":
        return ordered[_group_ends(starts, len(ordered))]
    sums = np.add.reduceat(ordered, starts)
    return np.asarray(sums if duplicates == "sum" else sums / np.diff(np.append(starts, len(ordered))))


def _repeated_pair(rows: FileTable, order: NDArray[np.intp], starts: NDArray[np.intp]) -> DataError:
    """Return the error about the repeated pair whose second row comes earliest in the file."""
    is_repeat = np.ones(len(order), dtype=np.bool_)
    is_repeat[starts] = False
    later, earlier = order[is_repeat], order[np.flatnonzero(is_repeat) - 1]
    chosen = int(np.argmin(later))
    first, second = int(earlier[chosen]), int(later[chosen])
    user, item = rows.user[first], rows.item[first]
    return DataError(
        f"user '{user}' and item '{item}' occur together more than once: first at {rows.place(first)}, then here ({len(later)} "
        f"such row{'s' * (len(later) != 1)} in all)",
        where=rows.place(second),
        allowed="one row for each pair of a user and an item",
        remedy=f"{_OF_REPEATS}; the notes then state the number of repeats",
    )
