"""Forms of runs and judgements (a file, a data frame, or three arrays), and the names of runs."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recsens.arrays import read_only
from recsens.data.inspection import Inspection
from recsens.errors import DataError, SpecError
from recsens.files import FileTable, Names, read_frame
from recsens.files.declared_columns import DeclaredColumns
from recsens.files.foreign_files import read_foreign
from recsens.files.kinds import BY_RANK, QRELS, RUNS, Kind, RankBy
from recsens.files.known_formats import KnownFormatError
from recsens.files.paths import are_paths, in_words
from recsens.files.text import EncodingError
from recsens.files.text_reader import valid_rows
from recsens.inputs import _kernels
from recsens.score_files import (
    JUDGED_RANKS,
    JudgedRanks,
    ScoreFile,
    format_by_content,
    has_judged_ranks,
    ranks_of_table,
    read_judged_ranks,
    read_scores,
)

log = logging.getLogger(__name__)

Source: TypeAlias = Any
"""A path; a data frame with the columns user, item and score, rank or rating; or a tuple of these three arrays.

A run may also be compact scores (`recsens.score_files`), or a frame of judged ranks.
"""


Run: TypeAlias = FileTable | ScoreFile | JudgedRanks
"""A run as read: rows, compact scores, or the ranks of judged items."""


def read_any_run(source: Source, rank_by: RankBy, told: DeclaredColumns | None = None) -> Run:
    """Read a run from any form of `Source`, including a file of compact scores.

    Raises DataError if the run has none of these forms.
    """
    if isinstance(source, ScoreFile | JudgedRanks):
        return source
    if isinstance(source, str | Path):
        path = Path(source)
        if format_by_content(path) is not None:
            return read_scores(path, rank_by=rank_by)
        has_ranks = told is None and has_judged_ranks(path)
        return read_judged_ranks(path) if has_ranks else read_foreign(path, RUNS[rank_by], told=told)
    if hasattr(source, "columns") and set(JUDGED_RANKS.roles) <= set(source.columns):
        table = pa.table({role: pa.array(np.asarray(source[role])) for role in JUDGED_RANKS.roles})
        return ranks_of_table(read_frame(table, "the run", JUDGED_RANKS, {role: role for role in JUDGED_RANKS.roles}))
    return read_any_rows(source, RUNS[rank_by])


def name_of(run: Run) -> str:
    """Describe where a run comes from, for messages."""
    return run.place(0).rpartition(":")[0] or run.place(0).partition(",")[0] if isinstance(run, FileTable) else run.source


def source_of(given: Source) -> str:
    """Describe a source that was not read yet, for messages."""
    if are_paths(given):
        return in_words(list(map(Path, given)))
    return str(given) if isinstance(given, str | Path) else str(getattr(given, "source", "the rows"))


def told_of(texts: str | Iterable[str]) -> dict[str, DeclaredColumns]:
    """Return the columns that the user declared, keyed by what they contain: scores, ranks, or ratings.

    Raises SpecError if columns contain none of these, or if columns of the same files are declared twice.
    """
    told: dict[str, DeclaredColumns] = {}
    for text in [texts] if isinstance(texts, str) else texts:
        one = DeclaredColumns.parse(text)
        holds = ["rating"] if one.is_unrated else [role for role in ("score", "rank", "rating") if role in one.at]
        if not holds or not told.keys().isdisjoint(holds):
            problem = "are named twice for the same files" if holds else "contain neither score, rank nor rating"
            raise SpecError(f"columns: '{text}': columns {problem}", allowed="one for runs, and one for judgements and train sets")
        told |= dict.fromkeys(holds, one)
    return told


def read_any_rows(source: Source, kind: Kind, told: DeclaredColumns | None = None, what: str = "") -> FileTable:
    """Read rows from any form of `Source`; ``what`` names them in messages, such as ``the train set``.

    Raises DataError if the content is of another kind.
    """
    if isinstance(source, FileTable):
        return source
    if are_paths(source):
        return FileTable.joined(in_words(list(map(Path, source))), [read_any_rows(each, kind, told, what) for each in source])
    if isinstance(source, str | Path):
        if kind is QRELS and format_by_content(Path(source)) is not None:
            remedy = f"check which file is {what}" if what else "give the judgements last: recsens evaluate RUN... QRELS"
            raise DataError("contains compact scores instead of ratings", where=str(source), remedy=remedy)
        read = read_ratings if kind is QRELS else read_foreign
        return read(Path(source), kind, told=told)
    what, others = what or f"the {'judgements' if kind is QRELS else 'run'}", []
    if isinstance(source, tuple | list) and len(source) == len(kind.roles):
        columns = list(source)
    elif hasattr(source, "columns"):
        missing = [name for name in kind.roles if name not in source.columns]
        others = [str(name) for name in source.columns if name not in kind.roles]
        if missing:
            raise DataError(
                f"no column {', '.join(map(repr, missing))}",
                where=what,
                allowed=f"the columns {', '.join(kind.roles)}",
                remedy=BY_RANK if missing == ["score"] and "rank" in source.columns else None,
            )
        columns = [source[name] for name in kind.roles]
    else:
        raise DataError(
            f"cannot be read from a {type(source).__name__}",
            where=what,
            allowed=f"a path, a data frame with the columns {', '.join(kind.roles)}, or a tuple of three arrays in that order",
        )
    user, item, value = _array_of_names(columns[0]), _array_of_names(columns[1]), np.asarray(columns[2])
    if not len(user) == len(item) == len(value):
        problem = f"{len(user)} users, {len(item)} items and {len(value)} {kind.roles[-1]}s"
        raise DataError(problem, where=what, allowed="as many users as items and values")
    if value.dtype.kind not in "biuf":
        problem, remedy = f"the {kind.roles[-1]}s are of type {value.dtype}", kind.columns[-1].remedy
        remedy = BY_RANK if kind is RUNS["score"] and "rank" in others else remedy
        raise DataError(problem, where=what, allowed="numbers", remedy=remedy)
    read_columns = (_code_names(user, what, "user"), _code_names(item, what, "item"), value.astype(np.float64))
    named: dict[str, Names | NDArray[Any]] = dict(zip(kind.roles, read_columns, strict=True))
    table = FileTable(what, named, lambda row: f"{what}, row {row + 1}", ignored=others)
    return valid_rows(table, kind)


def read_ratings(path: Path, kind: Kind = QRELS, told: DeclaredColumns | None = None) -> FileTable:
    """Read ratings as other programs write them or, if their form shows only by inspection, as `recsens.load` reads them.

    Raises DataError if neither can read the file without a doubt about its values.
    """
    try:
        return read_foreign(path, kind, told=told)
    except DataError as refused:
        if told is not None:
            raise
        try:
            found = Inspection.of(path)
            found.refuse_doubts()
        except DataError as fault:
            is_clear = isinstance(refused, EncodingError) or (isinstance(fault, KnownFormatError) and "TREC" not in fault.problem)
            raise (fault if is_clear else refused) from None
        if found.fault is not None or not _is_told_by_form(found):
            raise
    others = ", ".join(str(column.name) for column in found.columns if column.name not in found.roles.values())
    read_as = found.component.spec.without("duplicates", "invalid")
    log.info("%s: read as %s%s", path, read_as, f"; not read: {others}" if others else "")
    for doubt in found.doubts:
        log.warning("%s: %s", path, doubt.said)
    ratings = found.table.columns["rating"] if found.scale is not None else np.ones(len(found.table))
    return valid_rows(replace(found.table, columns={**found.table.columns, "rating": ratings}), kind)


def _is_told_by_form(found: Inspection) -> bool:
    """Whether more than the content of columns says which are users and items.

    The separator of ratings does, and so do times without a header. Tables in UTF-8 with a header and commas or tabs are read by
    their names alone.
    """
    look = found.look
    if look is None:
        return False
    is_timed = not look.header and found.roles["timestamp"] is not None
    return look.separator in {"::", ";", "|"} or is_timed or look.encoding != "utf-8"


def names_of_runs(runs: Sequence[str]) -> list[str]:
    """Name runs after their files; endings or folders are added if names would otherwise be equal.

    Raises DataError if a run is given twice.
    """
    paths = [Path(run) for run in runs]
    ends = [[path.name.removesuffix(".gz").rpartition(".")[0] or path.name for path in paths], [path.name for path in paths]]
    for depth in range(max(len(path.parts) for path in paths)):
        for names in ends:
            within = [
                "/".join([*path.parts[max(len(path.parts) - 1 - depth, 0) : -1], name])
                for path, name in zip(paths, names, strict=True)
            ]
            if len(set(within)) == len(within):
                return within
    raise DataError("a run is given twice", allowed="each run once", remedy="leave out the repeated file")


def runs_by_name(texts: Sequence[str]) -> dict[str, str]:
    """Return the path of each run, by name. A run is given as ``A=lists.csv``, or as a path alone, which also gives its name.

    Raises DataError if a run is given twice, if a name is empty or has no file, or if two runs have the same name.
    """
    parts = [text.partition("=") for text in texts]
    unnamed = [text for text, (_, mark, _) in zip(texts, parts, strict=True) if not mark]
    called = dict(zip(unnamed, names_of_runs(unnamed), strict=True)) if unnamed else {}
    named: dict[str, str] = {}
    for text, (name, mark, path) in zip(texts, parts, strict=True):
        own = name.strip() if mark else called[text]
        if not own or (mark and not path):
            raise DataError(f"--run: '{text}' lacks a name or a file", allowed="NAME=FILE, such as A=lists.csv")
        if own in named:
            raise DataError(f"--run: two runs are called '{own}'", allowed="different names: --run A=FILE --run B=FILE")
        named[own] = path if mark else text
    return named


def names_in(column: Any, what: str, role: str) -> Names:
    """Replace the names in a column of a frame by codes, in order of appearance.

    Raises DataError if the names are neither text nor integers, or if one is missing.
    """
    return _code_names(_array_of_names(column), what, role)


def _array_of_names(column: Any) -> NDArray[Any]:
    """Return a column as an array. Integers too large for numpy, and NaN among text, become an array of objects."""
    names = np.asarray(column)
    is_list = isinstance(column, list | tuple) and (names.dtype.kind == "f" or any(isinstance(name, float) for name in column))
    return np.asarray(column, dtype=object) if is_list else names


def _code_names(values: Any, what: str, name: str) -> Names:
    if values.dtype.kind == "O" and any(value is None or value != value for value in values):  # noqa: PLR0124 - NaN
        raise DataError(f"a {name} is missing", where=what, remedy="leave out rows without a user or an item")
    if values.dtype.kind in "iu" and len(values):
        coded = _code_integers(values)
        if coded is not None:
            return coded
    if values.dtype.kind == "U" and len(values):
        return _code_texts(values)
    if values.dtype.kind == "O" and all(type(value) is int for value in values):
        # Integers may have any size, because names are stored as text.
        return Names.of(pa.chunked_array([pa.array(map(str, values), pa.large_string())]))
    try:
        column = pa.chunked_array([pa.array(values.tolist() if values.dtype.kind == "O" else values)])
    except pa.ArrowException as error:
        raise DataError(f"the {name}s are not of one type: {error}", where=what, allowed="text or integers") from error
    if not (pa.types.is_integer(column.type) or pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        raise DataError(f"the {name}s are of type {column.type}", where=what, allowed="text or integers")
    if column.null_count:
        raise DataError(f"a {name} is missing", where=what)
    return Names.of(column.cast(pa.large_string()))


def _code_integers(values: NDArray[np.integer[Any]]) -> Names | None:
    """Replace integers by codes, without converting them to text; None if they are too large or far apart for a lookup table."""
    lowest, highest = int(values.min()), int(values.max())
    if highest > _LARGEST or highest - lowest > _MOST_PER_ROW * len(values) + _SMALL:
        return None
    code_of = np.full(highest - lowest + 1, -1, dtype=np.int32)
    code, distinct = np.empty(len(values), dtype=np.int32), np.empty(min(len(values), len(code_of)), dtype=np.int64)
    n_distinct = _kernels.code_numbers(read_only(values.astype(np.int64, copy=False)), lowest, code_of, code, distinct)
    return Names([str(number) for number in distinct[:n_distinct].tolist()], code)


def _code_texts(values: NDArray[np.str_]) -> Names:
    """Replace text by codes: compare rows byte by byte (in numpy, all have the same length), and decode only distinct names."""
    cells = pa.py_buffer(np.ascontiguousarray(values).view(np.uint8))
    coded = pa.FixedSizeBinaryArray.from_buffers(pa.binary(values.itemsize), len(values), [None, cells]).dictionary_encode()
    distinct = np.frombuffer(b"".join(coded.dictionary.to_pylist()), dtype=values.dtype)
    return Names(distinct.tolist(), np.from_dlpack(coded.indices).astype(np.int32, copy=False))


_LARGEST = 2**63 - 1
"""The largest signed 64-bit integer; larger unsigned integers would become negative."""

_SMALL, _MOST_PER_ROW = 2**16, 4
"""A lookup table of integers may have ``_SMALL`` entries, and ``_MOST_PER_ROW`` further entries for each row."""
