"""Files that say which pairs teach and which test, in the forms that `predefined` reads."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.files import is_file, is_folder
from recsens.vocabulary import Role

_NUMBERED = re.compile(r"(.*?)(\d+)\.base")
_ROLES = {"train": Role.TRAIN, "test": Role.TEST, "validation": Role.VALIDATION}


@dataclass(frozen=True)
class Names:
    """A column of names, each kept once.

    Attributes
    ----------
    names
        Distinct names.
    code
        Name of each row, as an index.
    """

    names: list[str]
    code: NDArray[np.int32]


@dataclass(frozen=True)
class FoldRows:
    """The rows of one fold: pairs of raw names and their roles.

    Attributes
    ----------
    user, item
        The pair of each row.
    role
        Role of each row, shape (n,), uint8.
    place
        Says where a row stands (``file:line``), given its index.
    """

    user: Names
    item: Names
    role: NDArray[np.uint8]
    place: Callable[[int], str]


class FoldFiles(ABC):
    """The files of all folds."""

    @property
    @abstractmethod
    def paths(self) -> Sequence[Path]:
        """The files."""

    @property
    @abstractmethod
    def n_folds(self) -> int:
        """Number of folds."""

    @abstractmethod
    def rows(self, fold: int) -> FoldRows:
        """Read one fold."""


def find_fold_files(path: Path) -> FoldFiles:
    """Find out in which of the forms the files are.

    Raises
    ------
    DataError
        If there is nothing to read, or half of a pair.
    """
    if is_folder(path):
        return _Pairs(_numbered(path))
    if not is_file(path):
        raise DataError(
            "no such file or folder", where=str(path), remedy="check the path; relative paths start at the working directory"
        )
    return _Pairs([path]) if path.suffix == ".base" else _Table(path)


def _numbered(folder: Path) -> list[Path]:
    found = {file: match for file in folder.glob("*.base") if (match := _NUMBERED.fullmatch(file.name))}
    families = sorted({match[1] for match in found.values()})
    if len(families) != 1:
        problem = f"holds several families of folds: {', '.join(families)}" if families else "holds no file such as u1.base"
        raise DataError(
            problem,
            where=str(folder),
            allowed="u1.base and u1.test, u2.base and u2.test, ...",
            remedy="keep one family in a folder, or name one file: the .base file of one fold, or a CSV file with a column fold",
        )
    return sorted(found, key=lambda file: int(found[file][2]))


class _Pairs(FoldFiles):
    """A file that teaches and one that tests, for each fold."""

    def __init__(self, bases: Sequence[Path]) -> None:
        self._pairs = [(base, base.with_suffix(".test")) for base in bases]
        for base, test in self._pairs:
            if not is_file(test):
                raise DataError(f"has no {test.name} beside it", where=str(base), remedy="a fold needs both of its files")

    @property
    def paths(self) -> Sequence[Path]:
        """Both files of each fold."""
        return [file for pair in self._pairs for file in pair]

    @property
    def n_folds(self) -> int:
        """As many as there are pairs."""
        return len(self._pairs)

    def rows(self, fold: int) -> FoldRows:
        """Read the two files one after the other."""
        base, test = self._pairs[fold]
        options = pa_csv.ReadOptions(autogenerate_column_names=True)
        parse = pa_csv.ParseOptions(delimiter="\t", quote_char=False)
        tables = [_read(file, options, parse, ["f0", "f1"]) for file in (base, test)]
        n_train = len(tables[0])
        both = pa.concat_tables(tables)
        role = np.full(len(both), Role.TEST, dtype=np.uint8)
        role[:n_train] = Role.TRAIN

        def place(row: int) -> str:
            return _line(base, row) if row < n_train else _line(test, row - n_train)

        return FoldRows(_names(both, "f0"), _names(both, "f1"), role, place)


class _Table(FoldFiles):
    """One CSV file whose rows carry a fold or a role."""

    def __init__(self, path: Path) -> None:
        self._path = path
        header = _header(path)
        kinds = [kind for kind in ("fold", "role") if kind in header]
        if not {"user", "item"} <= set(header) or len(kinds) != 1:
            raise DataError(
                f"the header is {','.join(header) or 'empty'}",
                where=f"{path}:1",
                allowed="user,item,fold or user,item,role, among others",
            )
        self._kind = kinds[0]

    @property
    def paths(self) -> Sequence[Path]:
        """The file."""
        return [self._path]

    @property
    def n_folds(self) -> int:
        """As many as the column names, or one."""
        return len(self._folds) if self._kind == "fold" else 1

    @cached_property
    def _folds(self) -> list[str]:
        names = _names(self._read(["fold"]), "fold").names
        if len(names) < 2:
            raise DataError(
                f"folds: {len(names)}", where=str(self._path), allowed="two or more: each is tested by what the others teach"
            )
        return sorted(names, key=int) if all(name.isdecimal() for name in names) else sorted(names)

    def rows(self, fold: int) -> FoldRows:
        """Read the file for one fold."""
        table = self._read(["user", "item", self._kind])
        marks = _names(table, self._kind)
        if self._kind == "fold":
            of_name = [Role.TEST if name == self._folds[fold] else Role.TRAIN for name in marks.names]
        else:
            self._check_roles(marks)
            of_name = [_ROLES[name] for name in marks.names]
        role = np.array(of_name, dtype=np.uint8)[marks.code]
        return FoldRows(_names(table, "user"), _names(table, "item"), role, lambda row: _line(self._path, row + 1))

    def _check_roles(self, marks: Names) -> None:
        for code, name in enumerate(marks.names):
            if name not in _ROLES:
                row = int(np.flatnonzero(marks.code == code)[0])
                raise DataError(
                    f"role = {name!r}",
                    where=_line(self._path, row + 1),
                    allowed=", ".join(_ROLES),
                    remedy="a pair without a role is left out of the file",
                )

    def _read(self, columns: Sequence[str]) -> pa.Table:
        return _read(self._path, pa_csv.ReadOptions(), pa_csv.ParseOptions(), columns)


def _header(path: Path) -> list[str]:
    with _explained(path), path.open(encoding="utf-8-sig", newline="") as lines:
        first = lines.readline().rstrip("\r\n")
    return [name.strip('"') for name in first.split(",")]


def _read(path: Path, options: pa_csv.ReadOptions, parse: pa_csv.ParseOptions, columns: Sequence[str]) -> pa.Table:
    """Read some columns as names; empty lines are none."""
    # A name stays what it is, 007 or NA, and is kept once.
    as_names = dict.fromkeys(columns, pa.dictionary(pa.int32(), pa.string()))
    convert = pa_csv.ConvertOptions(
        include_columns=list(columns), column_types=as_names, strings_can_be_null=False, quoted_strings_can_be_null=False
    )
    with _explained(path):
        return pa_csv.read_csv(path, read_options=options, parse_options=parse, convert_options=convert)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowKeyError, UnicodeDecodeError) as error:
        raise DataError(
            f"cannot be read: {error}",
            where=str(path),
            allowed="UTF-8 text, as many fields in every line: user and item tab-separated, or a CSV file with a header",
        ) from error


def _names(table: pa.Table, column: str) -> Names:
    joined = table.column(column).unify_dictionaries().combine_chunks()
    if isinstance(joined, pa.ChunkedArray):  # without rows
        joined = pa.array([], type=pa.string()).dictionary_encode() if joined.num_chunks == 0 else joined.chunk(0)
    return Names(joined.dictionary.to_pylist(), joined.indices.to_numpy(zero_copy_only=False).astype(np.int32))


def _line(path: Path, row: int) -> str:
    """Say where a row stands; the header of a table is its row 0, and empty lines are none."""
    with path.open("rb") as lines:
        numbers = (number for number, line in enumerate(lines, start=1) if line.strip(b"\r\n"))
        return f"{path}:{next(number for place, number in enumerate(numbers) if place == row)}"
