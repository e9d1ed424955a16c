"""The working folder of another program: write its training data and its own files, and read the scores that it writes."""

import fcntl
import json
import logging
import os
import re
import resource
import shutil
import stat
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from os.path import abspath, commonpath
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory, gettempdir
from time import monotonic, time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
from numpy.typing import NDArray

from recsens.arrays import Bools
from recsens.data.interactions import Interactions, SideTable
from recsens.errors import DataError, DesignError, RecsensError, SpecError
from recsens.files.spellings import examples, spelling_difference
from recsens.plugins.specs import format_number
from recsens.processes import GRACE, Output, Session, end_with_parent, ending_in_words
from recsens.recommenders import Arrays, Matching
from recsens.recommenders._score_file_arrays import form_by_name, holds_judged_ranks, learnt_from

MARK = "RECSENS_PROGRAM"
"""Environment variable with the path of a program's folder.

Processes that the program starts inherit the variable, so they can be found.
"""

_SHOWN_LINES, _SHOWN_SIGNS = 12, 300
"""Number of last lines of output that an error shows, and the maximum number of characters of each line."""

_LOOK = 0.25
"""Seconds between two checks of a program's memory."""

_ALLOW = "allow more {}=..., in program(...)"
_BY_HAND = "correct the program; 'recsens export STUDY --for program' writes its folder, so that you can run it by hand"

_NOT_TEXT = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[^\x09\x20-\x7e\xa0-\U0010ffff]")
"""Escape sequences of terminals, and other characters that are not printable."""


class ProgramError(RecsensError):
    """Another program failed to do what its recommender needs."""


@dataclass(frozen=True)
class Limits:
    """Resources that a program may use.

    Attributes
    ----------
    seconds
        Time after which the program is ended.
    memory
        Maximum memory of all processes of the program together, in bytes; checked on Linux only.
    file_bytes
        Largest file that it may write, in bytes.
    """

    seconds: float
    memory: float
    file_bytes: int


def run_program(arguments: Sequence[str], folder: Path, environment: Mapping[str, str], limits: Limits) -> str:
    """Run a program in a folder, wait for it, and then end all processes that it started; return the end of its terminal output.

    Processes are found as in `recsens.processes.Session`.

    Parameters
    ----------
    arguments
        The program and its arguments.
    folder
        Its working directory, which no other program uses.
    environment
        Its environment variables.
    limits
        The resources that it may use.

    Raises
    ------
    ProgramError
        If the program cannot be started, ends with an error, exceeds a limit, or leaves behind a process that does not end.
    """

    def prepare() -> None:
        end_with_parent()
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    try:
        process = subprocess.Popen(  # noqa: S603 - the user's own command
            arguments,
            cwd=folder,
            env={**environment, MARK: str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=prepare,  # noqa: PLW1509 - it takes no lock that another thread could hold
        )
    except OSError as error:
        raise ProgramError(
            f"the program '{arguments[0]}' cannot be started: {error.strerror}",
            allowed="a name that the shell would find, a whole path, or an executable file in 'files': ./mine.sh",
            remedy="install it, or write its whole path, such as an environment's Python: /home/me/envs/mine/bin/python",
        ) from error
    assert process.stdout is not None
    session, shown = Session(process.pid, f"{MARK}={folder}"), Output(os.dup(process.stdout.fileno()))
    process.stdout.close()
    try:
        failure = _problem(session, limits)
    finally:
        session.kill()
        process.returncode = session.wait()  # Popen would warn that the process is still running.
        # Remove the folder's path from the text. It differs between jobs, and an error common to several jobs should be shown only
        # once.
        output = shown.last().decode("utf-8", errors="replace").replace(f"{folder}/", "")
    if failure is not None:
        problem, remedy = failure
        raise ProgramError(with_last_lines(problem, output), remedy=remedy)
    return output


def _problem(session: Session, limits: Limits) -> tuple[str, str] | None:
    """Wait for a program; if it failed, exceeded a limit or left processes behind, return the problem and its remedy."""
    until = monotonic() + limits.seconds
    while (code := session.wait(_LOOK)) is None:
        if monotonic() > until:
            minutes = "one minute" if limits.seconds == 60 else f"{limits.seconds / 60:g} minutes"
            return f"the program took longer than {minutes}, and was ended", _ALLOW.format("time: minutes")
        used = _memory_used(session, limits.memory)
        if used > limits.memory:
            told = f"{used / 1e9:.1f} GB of memory, more than its {limits.memory / 1e9:g} GB"
            return f"the program used {told}, and was ended", _ALLOW.format("memory: memory")
    if code != 0:
        return f"the program {ending_in_words(code)}", _BY_HAND
    if session.is_alive_after(GRACE):
        left = "the program left processes behind, which were ended, so its scores may be incomplete"
        return left, "let it wait for all processes that it starts"
    return None


def _memory_used(session: Session, limit: float) -> int:
    """Return the memory of all processes in bytes; if it is above the limit, shared memory is counted only once."""
    members = list(session.members())
    at_most = sum(map(_resident, members))
    return at_most if at_most <= limit else sum(map(_shared_out, members))


def with_last_lines(problem: str, output: str) -> str:
    """Append the last lines of a program's output to the description of a problem, leaving out unprintable characters."""
    lines = [_NOT_TEXT.sub("", line.rpartition("\r")[2] or line)[:_SHOWN_SIGNS].rstrip() for line in output.rstrip().split("\n")]
    shown = [line for line in lines if line][-_SHOWN_LINES:]
    if not shown:
        return f"{problem}; it printed nothing"
    return "\n".join([f"{problem}; its last lines:", *(f"    | {line}" for line in shown)])


def _resident(process: Path) -> int:
    """Return a process's memory in bytes, including memory shared with others; 0 if it has ended."""
    with suppress(OSError, ValueError, IndexError):
        return int((process / "statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _shared_out(process: Path) -> int:
    """Return a process's memory in bytes; memory that several processes share is divided equally among them.

    This takes longer than `_resident`.
    """
    with suppress(OSError, ValueError, IndexError):
        for line in (process / "smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    return _resident(process)


SCORES = "scores"
"""Name of the score file; a program may add an ending to it."""

_ROWS = 1 << 20
"""Number of rows written at once."""

_PREFIX = "recsens-program-"
"""Beginning of the folders' names."""

_NEW = 60.0
"""Age in seconds below which no other process removes a folder; its own process locks it as soon as it has made it."""

USERS = "users.csv"
"""Name of the file that lists the users to be scored."""

_RESERVED = {"train.csv", "validation.csv", USERS, "items.csv"}

_SIDECARS = {f"{SCORES}.users.txt", f"{SCORES}.items.txt"}
"""Files with the names of users and items, next to scores in npy format."""

_FORMS = "a table or run (.csv, .tsv, .parquet, .trec), or compact scores (.npz, or .npy with its two text files)"

log = logging.getLogger(__name__)


@contextmanager
def new_folder() -> Iterator[Path]:
    """Make a folder that exists during the block, and remove folders left behind by killed processes."""
    remove_folders_left()
    with TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        with _lock_folder(folder):
            yield folder


@contextmanager
def _lock_folder(folder: Path) -> Iterator[bool]:
    """Lock a folder during the block, or until this process ends; yield whether that was possible."""
    descriptor, is_ours = os.open(folder, os.O_RDONLY), False
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_ours = True
        yield is_ours
    finally:
        os.close(descriptor)


def remove_folders_left() -> None:
    """Remove this user's folders that no process has locked, except new folders, which may not be locked yet."""
    for folder in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            state = folder.lstat()
            if stat.S_ISDIR(state.st_mode) and state.st_uid == os.getuid() and time() - state.st_mtime > _NEW:
                with _lock_folder(folder) as is_left:
                    if is_left:
                        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Lesson:
    """The data that a program learns from, and the users that it should score.

    Attributes
    ----------
    train
        The train set.
    validation
        The validation set; None if the fold has none.
    side
        Names of the columns of side information that the program reads, such as ``item.genres``.
    """

    train: Interactions
    validation: Interactions | None
    side: Sequence[str]

    @property
    def is_scored(self) -> Bools:
        """Which users should be scored: users with train ratings, or all users if there is side information about users."""
        if any(column.startswith("user.") for column in self.side):
            return np.ones(self.train.n_users, dtype=np.bool_)
        return self.train.user_counts > 0

    def write(self, folder: Path) -> None:
        """Write ``train.csv``, ``validation.csv`` if there is validation data, ``users.csv`` and ``items.csv``.

        Raises
        ------
        DesignError
            If the data have no raw names.
        """
        users, items = _raw_names(self.train)
        _write_ratings(folder / "train.csv", self.train, self._side_columns("context", self.train.context_table))
        if self.validation is not None:
            table = self.validation.context_table
            _write_ratings(folder / "validation.csv", self.validation, self._side_columns("context", table))
        scored = pa.array(np.flatnonzero(self.is_scored))
        for name, ids, table in (("user", users, self.train.user_table), ("item", items, self.train.item_table)):
            columns = {name: ids, **self._side_columns(name, table)}
            rows = pa.table(columns)
            _write_table(folder / f"{name}s.csv", rows.take(scored) if name == "user" else rows, list(columns.values()))

    def _side_columns(self, of: str, table: SideTable | None) -> dict[str, pa.Array]:
        """Return a side table's declared columns, by their names in the program's file."""
        declared = [column for column in self.side if column.startswith(f"{of}.")]
        return {column: _text_column(table, column.removeprefix(f"{of}.")) for column in declared if table is not None}


def _raw_names(train: Interactions) -> tuple[pa.Array, pa.Array]:
    if train.user_ids is None or train.item_ids is None:
        raise DesignError("a program receives the raw names of users and items, but these data have no names")
    return pa.array(train.user_ids, pa.string()), pa.array(train.item_ids, pa.string())


def _write_ratings(path: Path, ratings: Interactions, more: Mapping[str, pa.Array]) -> None:
    users, items = _raw_names(ratings)
    columns: dict[str, Any] = {"user": users.take(pa.array(ratings.user)), "item": items.take(pa.array(ratings.item))}
    numbers = {"rating": ratings.rating, "timestamp": ratings.timestamp}
    columns |= {name: pa.array(values) for name, values in numbers.items() if values is not None}
    _write_table(path, pa.table({**columns, **more}), [users, items, *more.values()])


def _write_table(path: Path, table: pa.Table, texts: Sequence[pa.Array]) -> None:
    """Write a table; texts are quoted only if one of them contains a quotation mark, comma or line break."""
    is_special = any(pc.any(pc.match_substring_regex(column, '[",\r\n]')).as_py() for column in texts)
    style = "needed" if is_special else "none"
    with path.open("wb") as file:
        file.write(f"{','.join(table.column_names)}\n".encode())
        for start in range(0, len(table), _ROWS):
            options = pa_csv.WriteOptions(include_header=False, quoting_style=style)
            pa_csv.write_csv(table.slice(start, _ROWS), file, options)


def _text_column(table: SideTable, name: str) -> pa.Array:
    """Return a column as text: a word, a number, or a JSON list of words in each row; null if the value is missing."""
    column = table.columns[name]
    features = column.features
    rows = (features.indices[start:end] for start, end in zip(features.indptr, features.indptr[1:], strict=False))
    if column.kind == "number":
        values: NDArray[Any] = features.toarray()[:, 0]
        told = [format_number(float(value)) for value in values]
    elif column.kind == "set":
        told = [json.dumps([column.levels[level] for level in row], ensure_ascii=False) for row in rows]
    else:
        told = [column.levels[row[0]] if len(row) else "" for row in rows]
    return pa.array([None if missing else text for text, missing in zip(told, column.missing, strict=True)], pa.string())


def places_in_folder(files: Sequence[str], arguments: Sequence[str]) -> dict[str, Path]:
    """Return the user's own files, by the path at which each of them is placed in the folder.

    A file keeps its path relative to the deepest folder that contains all files. If the command names a file by a longer path, such
    as ``lib/mine.py``, all files keep more of their paths, and the command finds the file. If the command names a file by a shorter
    path, files outside its folder keep only their names. If the root is the only folder that contains all files, all files keep
    only their names.

    Raises
    ------
    SpecError
        If two files would have the same path, or if a file would have the path of a file that the program receives or writes.
    """
    if not files:
        return {}
    paths = list(map(whole_path, files))
    places = _places_below(_common_folder(paths, arguments), paths)
    found: dict[str, Path] = {}
    for file, place in zip(files, places, strict=True):
        if place in found or place in _RESERVED or place.partition(".")[0] == SCORES:
            taken = "another file in 'files'" if place in found else "a file that the program receives or writes"
            raise SpecError(f"the file '{file}' would have the same path in the program's folder as {taken}", remedy="rename it")
        found[place] = Path(file)
    return found


def whole_path(file: str | PurePath) -> PurePath:
    """Return an absolute path without ``..``, which could lead out of the folder; links keep their names."""
    return PurePath(abspath(file))  # noqa: PTH100 - Path.resolve would follow links


def _common_folder(paths: Sequence[PurePath], arguments: Sequence[str]) -> PurePath:
    """Return the folder below which files keep their paths. From this folder, the command finds the largest number of files."""
    base = PurePath(commonpath([path.parent for path in paths]))
    named = list(_folders_named(paths, arguments))
    for longer in named:
        if base.is_relative_to(longer):
            base = longer
    deeper = [each for each in named if not base.is_relative_to(each)]
    words = {PurePath(argument).as_posix() for argument in arguments}
    return max([base, *deeper], key=lambda each: len(words.intersection(_places_below(each, paths))))


def _places_below(base: PurePath, paths: Sequence[PurePath]) -> list[str]:
    """Return each file's path below a folder, or only its name if it is elsewhere or the folder is the root."""
    is_root = base == PurePath(base.anchor)
    return [path.relative_to(base).as_posix() if path.is_relative_to(base) and not is_root else path.name for path in paths]


def _folders_named(paths: Sequence[PurePath], arguments: Sequence[str]) -> Iterator[PurePath]:
    """Yield each folder relative to which an argument names one of the files."""
    for argument in map(PurePath, arguments):
        n = len(argument.parts)
        if n and not argument.is_absolute():
            yield from (PurePath(*path.parts[:-n]) for path in paths if path.parts[-n:] == argument.parts)


def copy_files(files: Mapping[str, Path], folder: Path) -> None:
    """Copy the user's own files into the folder, with execute permission."""
    for place, file in files.items():
        assert ".." not in PurePath(place).parts, place
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)


def find_scores(folder: Path, begun: int) -> Path:
    """Return the only score file in a program's folder.

    ``begun`` is the modification time, in nanoseconds, of a file that was written just before the program started.

    Raises
    ------
    ProgramError
        If there is no score file or more than one, or if it was written before the program started (a link to an older file).
    """
    written = sorted(path for path in folder.glob(f"{SCORES}*") if path.name not in _SIDECARS)
    found = [path for path in written if path.is_file() and (path.name == SCORES or form_by_name(path.name) is not None)]
    allowed = f"one file {{scores}}, with or without an ending that says its form: {_FORMS}"
    if len(found) == 1:
        if found[0].stat().st_mtime_ns < begun:
            raise ProgramError(
                f"{found[0].name} is older than the program's start: it was moved from another run, or is a link to its file",
                allowed="scores that this run of the program has written",
            )
        return found[0]
    named = " and ".join(path.name for path in found or written)
    if found:
        raise ProgramError(f"the program wrote {named}, but may write only one score file", allowed=allowed)
    raise ProgramError(
        f"the program ended without an error, but wrote no scores{f', only {named}' if named else ''}", allowed=allowed
    )


@contextmanager
def _without_declarations() -> Iterator[None]:
    """In errors, suggest a file ending instead of a declaration of the form, because a program cannot declare the form."""
    try:
        yield
    except DataError as error:
        if error.remedy is None or "format=" not in error.remedy:
            raise
        remedy = "add an ending that says its form: {scores}.trec in the command is a run, {scores}.csv a table"
        raise DataError(error.problem, where=error.where, allowed=_FORMS, remedy=remedy) from error


def read_scores(file: Path, train: Interactions, is_scored: Bools) -> Arrays:
    """Read a program's scores, in any form, and check that every user to be scored has scores.

    Raises
    ------
    DataError
        If the file violates its form, contains judged ranks or names that the program did not receive, or lacks a user.
    """
    if file.stat().st_size == 0:
        raise DataError("the file of scores is empty", where=file.name, allowed=_FORMS)
    with _without_declarations():
        if holds_judged_ranks(file):
            raise DataError(
                "the program wrote judged ranks, but it cannot know which items are judged: recsens gives it no test ratings",
                where=file.name,
                allowed=f"scores: {_FORMS}",
                remedy="write the scores; if another tool has ranked the test items of each fold, name its files in from_file",
            )
        learned = learnt_from(file, train)
    matching = Matching.read(learned)
    assert train.user_ids is not None
    names = list(map(str, train.user_ids))
    if matching.counts.unknown_users:
        why = spelling_difference(matching.strangers, names)
        raise DataError(
            f"the program scored {matching.counts.unknown_users:,} users that are not in users.csv, such as "
            f"{examples(matching.strangers)}",
            where=file.name,
            allowed=f"the names in users.csv, such as {examples(names)}{f'; {why}' if why else ''}",
        )
    if matching.counts.unknown_items:
        raise DataError(
            f"the program scored {matching.counts.unknown_items:,} items that are not in items.csv",
            where=file.name,
            allowed=f"the names in items.csv, such as {examples(map(str, train.item_ids if train.item_ids is not None else ()))}",
            remedy="write names, not the program's own numbers",
        )
    missing = is_scored & ~matching.has_row
    if missing.any():
        n_missing, n_users = np.count_nonzero(missing), np.count_nonzero(is_scored)
        raise DataError(
            f"the program gave no score to {n_missing:,} of the {n_users:,} users in users.csv, "
            f"such as {examples(np.asarray(names, dtype=object)[missing])}",
            where=file.name,
            allowed="at least one score for every user in users.csv",
        )
    if matching.counts.items_without:
        log.info("%s: %d of %d items have no score", file.name, matching.counts.items_without, matching.counts.items)
    return learned
