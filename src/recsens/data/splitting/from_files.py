"""Folds that are read from files.

predefined: Predefined folds: roles are read from files, such as those that come with MovieLens 100K.
revealed: Folds of a data set without selection bias, in which the ratings that a system would have observed are marked.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.inspection import Inspection
from recsens.data.interactions import Interactions
from recsens.data.splitting._base import Splitter
from recsens.errors import ConfigError, DataError, DesignError
from recsens.files import FileTable, Layout, columns_of, read, read_text
from recsens.files.column_names import role_called
from recsens.files.kinds import PAIRS, Column, Kind
from recsens.files.paths import in_words, is_file, is_folder, is_one_data_set, located, parts_of
from recsens.plugins.specs import Spec
from recsens.seeds import Stream
from recsens.vocabulary import Role

_REMEDY = "remove the line, or use the data without a filter"


def index_in_data(interactions: Interactions, tables: Sequence[FileTable]) -> NDArray[np.int64]:
    """Return, for each row of each table in turn, the index of the interaction that the row names.

    Raises DataError, with file and line, if the data do not contain the user, item or pair, or if a pair is named twice. Raises
    DesignError if the data have no raw names.
    """
    if interactions.user_ids is None or interactions.item_ids is None:
        raise DesignError("predefined folds name users and items as in the raw file, but these data have no raw file")
    user = np.concatenate([table.codes_among("user", interactions.user_ids, _REMEDY) for table in tables])
    item = np.concatenate([table.codes_among("item", interactions.item_ids, _REMEDY) for table in tables])
    named = user * interactions.n_items + item
    # In ascending order, repeated pairs are adjacent, and the lookup goes through the data only once.
    order = np.argsort(named)
    named = named[order]
    again = np.flatnonzero(named[1:] == named[:-1])
    if len(again):
        earlier, later = sorted(order[again[0] : again[0] + 2].tolist())
        (pair, first), (_, second) = _row_of(tables, earlier), _row_of(tables, later)
        raise DataError(
            f"{pair} occurs again; it first occurs at {first}",
            where=second,
            remedy="a pair has one role in a fold: keep one of the lines",
        )
    pairs = interactions.user.astype(np.int64) * interactions.n_items + interactions.item
    sorting = np.argsort(pairs)
    pairs = pairs[sorting]
    index = np.minimum(np.searchsorted(pairs, named), max(len(pairs) - 1, 0))
    missing = order[pairs[index] != named] if len(pairs) else order
    if len(missing):
        pair, place_of_it = _row_of(tables, int(missing.min()))
        raise DataError(
            f"{pair} is not in the data ({len(missing)} of {len(named)} rows are not)",
            where=place_of_it,
            remedy=_REMEDY,
        )
    rows_in_data = np.empty(len(named), dtype=np.int64)
    rows_in_data[order] = sorting[index]
    return rows_in_data


def _row_of(tables: Sequence[FileTable], row: int) -> tuple[str, str]:
    """Return the pair and the location of a row; rows are numbered across all tables."""
    for table in tables:
        if row < len(table):
            return f"user {table.user[row]!r} with item {table.item[row]!r}", table.place(row)
        row -= len(table)
    raise IndexError(row)


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


def read_fold(files: Sequence[Path], fold: int) -> tuple[list[FileTable], NDArray[np.uint8]]:
    """Read the rows of a fold, with the role of each row."""
    if files[0].suffix == ".base":
        tables = [read_text(file, PAIRS, _MOVIELENS) for file in files[2 * fold : 2 * fold + 2]]
        return tables, np.repeat(np.array([Role.TRAIN, Role.TEST], dtype=np.uint8), list(map(len, tables)))
    marks = _fold_marks(files[0])
    table = _read_tables(files, marks)
    if marks == ["role"]:
        return [table], _roles_of(table)
    names, number = table.names("fold").names, table.names("fold").code
    own = _fold_names(table, marks)[fold]
    if marks == ["fold"]:
        return [table], np.where(number == names.index(own), Role.TEST, Role.TRAIN).astype(np.uint8)
    rows = number == names.index(own)
    return [table.kept(rows)], _roles_of(table)[rows]


def _roles_of(table: FileTable) -> NDArray[np.uint8]:
    role = table.names("role")
    return np.array([_ROLES[name] for name in role.names], dtype=np.uint8)[role.code]


def _read_tables(paths: Sequence[Path], marks: Sequence[str]) -> FileTable:
    kind = Kind((*PAIRS.columns, *(_MARKS[mark] for mark in marks)))
    return FileTable.joined(in_words(paths), [read(path, kind) for path in paths])


def _pairs_of_set(paths: Sequence[Path]) -> FileTable:
    """Read the users and items of a set in any form that can be recognised; a wrong guess is refused as no pair of the data."""
    found = Inspection.of(paths)
    if found.fault is not None:
        raise found.fault
    return found.table


def _as_list(paths: str | Sequence[str]) -> Sequence[str]:
    return [paths] if isinstance(paths, str) else paths


def _files_at(paths: str | Sequence[str], parameter: str) -> list[Path]:
    """Return the files at one or more paths, which may be folders of parts, or patterns."""
    return [part for path in _as_list(paths) for part in parts_of(located(path, f"split 'predefined': {parameter}"))]


def _read_revealed(path: Path) -> FileTable:
    names = columns_of(path)
    if not ({"fold", "observed"} <= set(names) and _names_pairs(names)):
        allowed = "the columns user, item, fold and observed; further ones are ignored"
        raise DataError(f"the header is {','.join(names) or 'empty'}", where=f"{path}:1", allowed=allowed)
    return read(path, _REVEALED)


def _names_pairs(names: Sequence[str]) -> bool:
    """Whether a table has user and item columns, under any of the usual names."""
    return {"user", "item"} <= {*names, *map(role_called, names)}


def _numbered_files(folder: Path) -> list[Path]:
    found = {file: match for file in folder.glob("*.base") if (match := _NUMBERED.fullmatch(file.name))}
    families = sorted({match[1] for match in found.values()})
    if len(families) != 1:
        problem = f"contains several families of folds: {', '.join(families)}" if families else "contains no file such as u1.base"
        remedy = "keep one family in the folder, or name one file: the .base file of one fold, or a table with a column 'fold'"
        raise DataError(problem, where=str(folder), allowed="u1.base and u1.test, u2.base and u2.test, ...", remedy=remedy)
    return sorted(found, key=lambda file: int(found[file][2]))


def _fold_marks(path: Path) -> list[str]:
    """Return whether the rows of a table give a fold, a role, or both."""
    names = columns_of(path)
    marks = [mark for mark in _MARKS if mark in names]
    if not _names_pairs(names) or not marks:
        allowed = "user,item,fold, user,item,role or user,item,fold,role, among others"
        raise DataError(f"the header is {','.join(names) or 'empty'}", where=f"{path}:1", allowed=allowed)
    return marks


def _fold_names(table: FileTable, marks: Sequence[str]) -> list[str]:
    names = table.names("fold").names
    if len(names) < 2 and "role" not in marks:
        raise DataError(
            f"folds: {len(names)}", where=table.source, allowed="two or more folds: each is tested after training on the others"
        )
    return sorted(names, key=int) if all(name.isdecimal() for name in names) else sorted(names)


class FromFiles(Splitter):
    """A split whose roles are read from the user's own files."""

    is_random: ClassVar[bool] = False
    indivisible: ClassVar[str | None] = "its roles are fixed"

    def facts(self, interactions: Interactions, roles: NDArray[np.uint8]) -> Mapping[str, float]:
        """Return the number of pairs of the data that have no role in the fold."""
        return {"pairs_without_a_role": int(np.count_nonzero(roles == Role.UNUSED))}


class Predefined(FromFiles):
    """Reads roles from files, which must name users and items as the raw data do.

    ``path`` may be a folder with pairs of files u1.base and u1.test, u2.base and u2.test, ...: tab-separated, user and item first,
    no header. Each pair is a fold (files without a number, such as ua.base, are skipped). It may also be a single file such as
    ua.base, with ua.test next to it, for one fold. Or it is a table: CSV or TSV with a header, or parquet. If its columns are user,
    item and fold, each pair is in test in its own fold, and in train in all others. If they are user, item and role (train, test or
    validation), there is one fold. If there are both a fold and a role, each row gives the role of a pair in a fold. Other columns
    are ignored. Text may be gzipped. Several paths, a folder of parts or a pattern are one table.

    Instead of ``path``, ``train``, ``test`` and perhaps ``validation`` name the files of one fold, in any form that ``recsens
    inspect`` recognises, such as ``predefined(train=train.csv,test=[may.csv,june.csv])``; the data set then has all of these files,
    ``delimited(path=[train.csv,may.csv,june.csv])``.

    If score files come from systems that were trained several times on each fold, with different seeds, ``trainings`` is the number
    of times. Each fold then occurs that many times in succession, once for each training.

    Pairs of the data that no file contains are unused; their number is recorded. A user, item or pair that is not in the data, or a
    pair that occurs twice in a fold, is refused with file and line; therefore use this split on unfiltered data.
    """

    label = "predefined"
    source = "README of MovieLens 100K, for u1 to u5, ua and ub"
    also_called = ("fixed", "files")
    validates: ClassVar[bool] = True
    identity_excludes: ClassVar[tuple[str, ...]] = ("path", *_ROLES)

    path: str | tuple[str, ...] | None = Field(
        None, description="folder, or one or more files; relative paths start at the study, the working directory or RECSENS_DATA"
    )
    train: str | tuple[str, ...] | None = Field(None, description="one or more files with the train set, instead of path")
    validation: str | tuple[str, ...] | None = Field(None, description="one or more files with the validation set")
    test: str | tuple[str, ...] | None = Field(None, description="one or more files with the test set")
    trainings: int = Field(1, ge=1, description="how often each system was trained on each fold")

    def prose(self, whose: str = "the ratings") -> str:
        """Name the files."""
        name = ", ".join(
            Path(path).name for each in (self.path, self.train, self.validation, self.test) if each for path in _as_list(each)
        )
        trained = f" Each system was trained {self.trainings} times on each fold." if self.trainings > 1 else ""
        return f"Training and test sets were read from files ({name}); ratings that are not in them were not used.{trained}"

    @property
    def n_folds(self) -> int:
        """Number of folds in the files, times the number of trainings."""
        if self._set_paths:
            return self.trainings
        files = self._fold_files
        if files[0].suffix == ".base":
            return len(files) // 2 * self.trainings
        marks = _fold_marks(files[0])
        return (len(_fold_names(_read_tables(files, ["fold"]), marks)) if "fold" in marks else 1) * self.trainings

    @property
    def folds_per_split(self) -> int:
        """Number of trainings, because each fold occurs once for each training."""
        return self.trainings

    @property
    def _set_paths(self) -> dict[str, str | tuple[str, ...]]:
        """The paths of each set that has its own files."""
        sets = {"train": self.train, "test": self.test, "validation": self.validation}
        given = {role: paths for role, paths in sets.items() if paths is not None}
        if given and (self.path is not None or not {"train", "test"} <= given.keys()):
            raise ConfigError(
                f"split 'predefined' gives {' and '.join(given)}{' beside path' * (self.path is not None)}",
                allowed="path alone, or train and test, and perhaps validation",
            )
        return given

    @property
    def _fold_files(self) -> Sequence[Path]:
        if self.path is None:
            remedy = 'give their path: path="folds.csv", or train="train.csv",test="test.csv"'
            raise ConfigError("split 'predefined' does not say which files to read", remedy=remedy)
        if not isinstance(self.path, str):
            return _files_at(self.path, "path")
        path = located(self.path, "split 'predefined': path", "a file, or a folder of files such as u1.base and u1.test")
        if path.suffix != ".base" and (is_one_data_set(path) or not is_folder(path)):
            return parts_of(path)
        bases = _numbered_files(path) if is_folder(path) else [path]
        for base in bases:
            if not is_file(base.with_suffix(".test")):
                raise DataError(f"has no {base.stem}.test next to it", where=str(base), remedy="a fold needs both of its files")
        return [file for base in bases for file in (base, base.with_suffix(".test"))]

    def _files_of_sets(self) -> dict[str, list[Path]]:
        return {role: _files_at(paths, role) for role, paths in self._set_paths.items()}

    def own_files(self) -> Sequence[Path]:
        """List the files to read; none if no path is given."""
        if self._set_paths:
            return [file for files in self._files_of_sets().values() for file in files]
        return () if self.path is None else self._fold_files

    def places_of_files(self) -> Sequence[str]:
        """Return the role of each file, if sets have their own files."""
        return [role for role, files in self._files_of_sets().items() for _ in files]

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Look up the role of each pair."""
        if self._set_paths:
            sets = {role: _pairs_of_set(files) for role, files in self._files_of_sets().items()}
            tables, given = list(sets.values()), np.concatenate([np.full(len(sets[role]), _ROLES[role]) for role in sets])
        else:
            tables, given = read_fold(self._fold_files, fold // self.trainings)
        roles = np.full(len(interactions), Role.UNUSED, dtype=np.uint8)
        roles[index_in_data(interactions, tables)] = given
        return roles


class Revealed(FromFiles):
    """Fold f trains on the observed ratings of all other folds, and tests on its own observed ratings, or on all its ratings.

    ``path`` is a table with the columns user, item, fold and observed (1 or 0), such as CM100K's ``ratings.tsv``: CSV or TSV with a
    header, or parquet. ``test=observed`` tests on the ratings that an offline experiment would have. ``test=all`` tests the same
    systems on all ratings in the fold; if users rated randomly drawn items, these ratings are an unbiased sample of relevance. All
    other ratings are unused. A user, item or pair that is not in the data, or a pair that occurs twice, is refused with file and
    line; therefore use this split on unfiltered data.
    """

    label = "revealed"
    source = "Cañamares & Castells (2018), Should I follow the crowd?: observed and true test of CM100K"

    path: str | None = Field(
        None, description="table of folds; relative paths start at the study, the working directory or RECSENS_DATA"
    )
    test: Literal["observed", "all"] = Field("observed", description="which ratings of a fold are in test")

    def prose(self, whose: str = "the ratings") -> str:
        """Name the file, and say which ratings were tested."""
        tested = "all ratings of the fold" if self.test == "all" else "the observed ratings of the fold"
        return (
            f"Folds, and which ratings would have been observed, were read from a file ({self.path}). For each fold, the observed "
            f"ratings of all other folds were for training, and {tested} for testing."
        )

    @property
    def trains_as(self) -> Spec:
        """The same table with the observed test set, because the train set does not depend on the test set."""
        return self.spec.without("test")

    @property
    def n_folds(self) -> int:
        """Number of folds in the table."""
        return len(_fold_names(_read_revealed(self._table_path), ["fold"]))

    @property
    def _table_path(self) -> Path:
        if self.path is None:
            raise ConfigError("split 'revealed' does not say which table to read", remedy='give its path: path="ratings.tsv"')
        return located(self.path, "split 'revealed': path")

    def own_files(self) -> Sequence[Path]:
        """List the table; none if no path is given."""
        return () if self.path is None else (self._table_path,)

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Look up the fold of each pair, and whether the pair was observed."""
        table = _read_revealed(self._table_path)
        folds, marks = table.names("fold"), table.names("observed")
        number = np.array([_fold_names(table, ["fold"]).index(name) for name in folds.names], dtype=np.int64)[folds.code]
        observed = np.array([name == "1" for name in marks.names], dtype=np.bool_)[marks.code]
        given = np.full(len(number), Role.UNUSED, dtype=np.uint8)
        given[(number != fold) & observed] = Role.TRAIN
        given[(number == fold) & (observed | (self.test == "all"))] = Role.TEST
        roles = np.full(len(interactions), Role.UNUSED, dtype=np.uint8)
        roles[index_in_data(interactions, [table])] = given
        return roles
