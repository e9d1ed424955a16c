"""Scores written by another program: find them in its folder, check them, and store them as named arrays."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from recsens.arrays import Bools
from recsens.data.interactions import Interactions
from recsens.errors import DataError
from recsens.files.spellings import difference, examples
from recsens.recommenders import Arrays, Matching
from recsens.recommenders._program_folder import SCORES
from recsens.recommenders._program_process import ProgramError
from recsens.recommenders._score_file_arrays import form_by_name, holds_judged_ranks, learnt_from

_SIDECARS = {f"{SCORES}.users.txt", f"{SCORES}.items.txt"}
"""Files with the names of users and items, next to scores in npy format."""

_FORMS = "a table or run (.csv, .tsv, .parquet, .trec), or compact scores (.npz, or .npy with its two text files)"

log = logging.getLogger(__name__)


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
        why = difference(matching.strangers, names)
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
