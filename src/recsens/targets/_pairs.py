"""Pairs of user and item in a file, by the names of the raw data."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DataError, DesignError, nearest
from recsens.interactions import Interactions

_HEADER = ["user", "item"]


def read_pairs(path: Path, data: Interactions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Read a CSV file with the header ``user,item`` and return codes, line by line.

    Raises
    ------
    DataError
        If the file cannot be read, or a line is no pair or names what the data set does not have.
    DesignError
        If the data set has no names.
    """
    if data.user_ids is None or data.item_ids is None:
        raise DesignError("the data set has no names of users and items, which target items in a file are found by")
    users = {str(name): code for code, name in enumerate(data.user_ids)}
    items = {str(name): code for code, name in enumerate(data.item_ids)}
    found = []
    for line, (user, item) in _lines(path):
        where = f"{path}:{line}"
        found.append((_code(users, "user", user, where), _code(items, "item", item, where)))
    pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            header = next(reader, [])
            if header != _HEADER:
                raise DataError(f"the header is '{','.join(header)}'", where=f"{path}:1", allowed=",".join(_HEADER))
            for row in reader:
                if len(row) != len(_HEADER):
                    raise DataError(f"{len(row)} fields", where=f"{path}:{reader.line_num}", allowed="two: user,item")
                yield reader.line_num, row
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 at byte {error.start}", where=str(path), remedy="convert the file to UTF-8") from error
    except (OSError, csv.Error) as error:
        raise DataError(f"cannot be read: {error}", where=str(path)) from error


def _code(known: dict[str, int], kind: str, name: str, where: str) -> int:
    if name not in known:
        raise DataError(
            f"the data set has no {kind} '{name}'{nearest(name, known) if len(known) < 1000 else ''}",
            where=where,
            remedy="names are those of the raw data; delete the line if a filter dropped it",
        )
    return known[name]
