"""The scores that another program wrote: found in its folder, checked, and kept as named arrays."""

from pathlib import Path

import numpy as np

from recsens.arrays import Bools, Floats, Ints
from recsens.data.interactions import Interactions
from recsens.errors import DataError
from recsens.files import FileTable, Names, is_parquet, read
from recsens.files.kinds import RUNS
from recsens.files.spellings import examples
from recsens.recommenders._base import Arrays
from recsens.recommenders._program_folder import SCORES
from recsens.recommenders._program_process import ProgramError

_ENDINGS = {"", ".csv", ".tsv", ".trec", ".run", ".txt", ".parquet"}
"""Endings that a program may add to the name of the file."""


def no_scores(train: Interactions) -> Arrays:
    """Return what is kept where nothing has a score."""
    return {"indptr": np.zeros(train.n_users + 1, dtype=np.int64), "items": np.zeros(0, dtype=np.int32), "scores": np.zeros(0)}


def find_scores(folder: Path) -> Path:
    """Return the one file of scores in a program's folder.

    Raises
    ------
    ProgramError
        If there is none, or several.
    """
    found = sorted(path for path in folder.glob(f"{SCORES}*") if path.is_file() and path.name.removeprefix(SCORES) in _ENDINGS)
    allowed = f"one file at {{scores}}, which may add an ending: {', '.join(sorted(filter(None, _ENDINGS)))}"
    if not found:
        others = [path.name for path in folder.glob(f"{SCORES}*")]
        more = f", only {', '.join(others)}" if others else ""
        raise ProgramError(f"the program ended without an error, but wrote no file of scores{more}", allowed=allowed)
    if len(found) > 1:
        raise ProgramError(f"the program wrote {' and '.join(path.name for path in found)}", allowed=allowed)
    return found[0]


def read_scores(file: Path, train: Interactions, is_scored: Bools) -> Arrays:
    """Read the scores of the users to be scored.

    Raises
    ------
    DataError
        If the file is not in one of the forms, holds names that the program was not given, or lacks a user.
    """
    table = read(file, RUNS["score"], "parquet" if is_parquet(file) else None)
    users, items = (
        _codes(file, what, names, ids)
        for what, names, ids in (("user", table.user, train.user_ids), ("item", table.item, train.item_ids))
    )
    pair = users * train.n_items + items
    order = np.argsort(pair, kind="stable")
    _refuse_repeats(table, pair, order)
    _refuse_missing(file, train, is_scored & (np.bincount(users, minlength=train.n_users) == 0))
    return {
        "indptr": np.searchsorted(pair[order], np.arange(train.n_users + 1, dtype=np.int64) * train.n_items),
        "items": items[order].astype(np.int32),
        "scores": table.value[order],
    }


def scored(arrays: Arrays, train: Interactions, users: Ints) -> Floats:
    """Look up the scores of some users; NaN for an item without one."""
    scores = np.full((len(users), train.n_items), np.nan)
    for row, user in enumerate(users):
        entries = slice(*arrays["indptr"][user : user + 2])
        scores[row, arrays["items"][entries]] = arrays["scores"][entries]
    return scores


def _codes(file: Path, what: str, names: Names, ids: object) -> Ints:
    assert isinstance(ids, np.ndarray)
    codes = names.codes_in(ids)
    if (codes < 0).any():
        first = int(np.flatnonzero(codes < 0)[0])
        raise DataError(
            f"the program scored the {what} '{names[first]}', which it was not given",
            where=file.name,
            allowed=f"names as in {what}s.csv, such as {examples(list(map(str, ids[:3])))}",
            remedy="let it write names, not its own numbers",
        )
    return codes


def _refuse_repeats(table: FileTable, pair: Ints, order: Ints) -> None:
    again = np.flatnonzero(pair[order][1:] == pair[order][:-1])
    if len(again):
        first, second = order[again[0] : again[0] + 2]
        raise table.repeated(int(first), int(second))


def _refuse_missing(file: Path, train: Interactions, missing: Bools) -> None:
    if missing.any():
        assert train.user_ids is not None
        raise DataError(
            f"the program gave no score for {np.count_nonzero(missing):,} of the users in users.csv, "
            f"such as {examples(list(map(str, train.user_ids[missing][:3])))}",
            where=file.name,
            allowed="a score of some item for every user in users.csv",
        )
