"""Files that assign pairs to train and test, in formats that `predefined` reads."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.files import FileTable, Layout, columns_of, read, read_text
from recsens.files.column_names import role_called
from recsens.files.kinds import PAIRS, Column, Kind
from recsens.files.paths import is_file, is_folder, located
from recsens.vocabulary import Role

_NUMBERED = re.compile(r"(.*?)(\d+)\.base")
_ROLES = {"train": Role.TRAIN, "test": Role.TEST, "validation": Role.VALIDATION}
_MARKS = {
    mark: Column(mark, words=words, remedy=f"a pair without a {mark} is left out of the file")
    for mark, words in (("fold", ()), ("role", tuple(_ROLES)))
}
_REVEALED = Kind(
    (
        *PAIRS.columns,
        Column("fold", words=(), remedy="every pair belongs to a fold"),
        Column("observed", words=("0", "1"), remedy="1 for a pair that users would have met on their own, else 0"),
    )
)
_MOVIELENS = Layout("\t", {"user": 0, "item": 1}, header=False, quoted=False)


def fold_files(written: str) -> list[Path]:
    """List the files that a path means: one table for all folds, or a train and a test file for each fold."""
    path = located(written, "split 'predefined': path", "a file, or a folder of files such as u1.base and u1.test")
    bases = _numbered(path) if is_folder(path) else [path] if path.suffix == ".base" else []
    for base in bases:
        if not is_file(base.with_suffix(".test")):
            raise DataError(f"has no {base.stem}.test next to it", where=str(base), remedy="a fold needs both of its files")
    return [file for base in bases for file in (base, base.with_suffix(".test"))] or [path]


def count_folds(files: Sequence[Path]) -> int:
    """Return the number of folds."""
    if len(files) > 1:
        return len(files) // 2
    marks = _marks(files[0])
    return len(_folds(_read(files[0], ["fold"]), marks)) if "fold" in marks else 1


def read_fold(files: Sequence[Path], fold: int) -> tuple[list[FileTable], NDArray[np.uint8]]:
    """Read the rows of a fold, with the role of each row."""
    if len(files) > 1:
        tables = [read_text(file, PAIRS, _MOVIELENS) for file in files[2 * fold : 2 * fold + 2]]
        return tables, np.repeat(np.array([Role.TRAIN, Role.TEST], dtype=np.uint8), list(map(len, tables)))
    marks = _marks(files[0])
    table = _read(files[0], marks)
    if marks == ["role"]:
        return [table], _roles_of(table)
    names, number = table.names("fold").names, table.names("fold").code
    own = _folds(table, marks)[fold]
    if marks == ["fold"]:
        return [table], np.where(number == names.index(own), Role.TEST, Role.TRAIN).astype(np.uint8)
    rows = number == names.index(own)
    return [table.kept(rows)], _roles_of(table)[rows]


def _roles_of(table: FileTable) -> NDArray[np.uint8]:
    role = table.names("role")
    return np.array([_ROLES[name] for name in role.names], dtype=np.uint8)[role.code]


def _read(path: Path, marks: Sequence[str]) -> FileTable:
    return read(path, Kind((*PAIRS.columns, *(_MARKS[mark] for mark in marks))))


def revealed_folds(path: Path) -> list[str]:
    """Return the fold names, in ascending order, of a table that gives for each pair its fold and whether it was observed."""
    return _folds(_revealed(path), ["fold"])


def read_revealed(path: Path) -> tuple[FileTable, NDArray[np.int64], NDArray[np.bool_]]:
    """Read a table that marks observed pairs, and return each row's fold, counted from 0, and whether its pair was observed."""
    table = _revealed(path)
    folds, observed = table.names("fold"), table.names("observed")
    place = {name: number for number, name in enumerate(_folds(table, ["fold"]))}
    number = np.array([place[name] for name in folds.names], dtype=np.int64)[folds.code]
    return table, number, np.array([name == "1" for name in observed.names], dtype=np.bool_)[observed.code]


def _revealed(path: Path) -> FileTable:
    names = columns_of(path)
    if not ({"fold", "observed"} <= set(names) and _names_pairs(names)):
        allowed = "the columns user, item, fold and observed; further ones are ignored"
        raise DataError(f"the header is {','.join(names) or 'empty'}", where=f"{path}:1", allowed=allowed)
    return read(path, _REVEALED)


def _names_pairs(names: Sequence[str]) -> bool:
    """Whether a table has user and item columns, under any of the usual names."""
    return {"user", "item"} <= {*names, *map(role_called, names)}


def _numbered(folder: Path) -> list[Path]:
    found = {file: match for file in folder.glob("*.base") if (match := _NUMBERED.fullmatch(file.name))}
    families = sorted({match[1] for match in found.values()})
    if len(families) != 1:
        problem = f"contains several families of folds: {', '.join(families)}" if families else "contains no file such as u1.base"
        remedy = "keep one family in the folder, or name one file: the .base file of one fold, or a table with a column 'fold'"
        raise DataError(problem, where=str(folder), allowed="u1.base and u1.test, u2.base and u2.test, ...", remedy=remedy)
    return sorted(found, key=lambda file: int(found[file][2]))


def _marks(path: Path) -> list[str]:
    """Return whether the rows of a table give a fold, a role, or both."""
    names = columns_of(path)
    marks = [mark for mark in _MARKS if mark in names]
    if not _names_pairs(names) or not marks:
        allowed = "user,item,fold, user,item,role or user,item,fold,role, among others"
        raise DataError(f"the header is {','.join(names) or 'empty'}", where=f"{path}:1", allowed=allowed)
    return marks


def _folds(table: FileTable, marks: Sequence[str]) -> list[str]:
    names = table.names("fold").names
    if len(names) < 2 and "role" not in marks:
        raise DataError(
            f"folds: {len(names)}", where=table.source, allowed="two or more folds: each is tested after training on the others"
        )
    return sorted(names, key=int) if all(name.isdecimal() for name in names) else sorted(names)
