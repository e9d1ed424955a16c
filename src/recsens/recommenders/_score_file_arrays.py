"""Scores read from a file, kept as named arrays in the numbers of a train set; how `from_file` and its like fit and score."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.arrays import Bools, Floats, Ints, Reals
from recsens.data.interactions import Interactions
from recsens.errors import DataError, DesignError
from recsens.files import FileTable, Form, is_parquet
from recsens.files.as_it_is import read_as_it_is
from recsens.files.kinds import RUNS, RankBy
from recsens.recommenders import Arrays, Matching
from recsens.recommenders._score_file_match import Counts
from recsens.recommenders.score_blocks import block_of
from recsens.score_files import (
    JudgedRanks,
    ScoreFile,
    ScoreFormat,
    describe,
    format_by_content,
    format_by_name,
    has_judged_ranks,
    read_scores,
)

FileForm = Form | ScoreFormat
"""The format of a file of scores: a table, a run in TREC's form, or compact scores."""

Learnt = dict[str, NDArray[Any]]
"""Named arrays, as a recommender keeps them."""

_BY_ENDING: dict[str, Form] = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".trec": "trec", ".run": "trec", ".txt": "trec"}
EXPORT = "'recsens export' with the study's name writes the train set of each fold; see docs/evaluate-your-own-recommender.md"
"""What to do if names do not match."""

_KIND, _ROWS, _COLUMNS = "score_kind", "score_rows", "score_columns"
"""Names of the arrays that say what the others are, and the row of each user and the column of each item, -1 for none."""

_AT_ONCE = 1 << 22
"""Dense scores that are counted at a time."""

_MOST_STRANGERS = 100
"""Number of unknown names that a model keeps."""

log = logging.getLogger(__name__)


def form_by_name(name: str) -> FileForm | None:
    """Return the format that a file's name says, if any."""
    return format_by_name(name) or _BY_ENDING.get(Path(name.lower().removesuffix(".gz")).suffix)


def form_of(path: Path) -> FileForm:
    """Return the format of a file by its name or, if that says nothing, by its first bytes."""
    named = form_by_name(path.name)
    if named is not None:
        return named
    return format_by_content(path) or ("parquet" if is_parquet(path) else "csv")


def learnt_from(path: Path, train: Interactions, form: FileForm | None = None, rank_by: RankBy = "score") -> Learnt:
    """Read scores of any form and keep them as named arrays, with what `Matching` knows of the file.

    Factors stay factors, dense scores keep their type; `scores_for` computes scores from the arrays.

    Parameters
    ----------
    path
        A table, a run, or compact scores.
    train
        The train set, by whose names users and items are found.
    form
        The format of the file; by default that of its name.
    rank_by
        Whether tables and lists are ordered by their scores, or by their ranks; other forms have scores only.

    Raises
    ------
    DataError
        If the file does not have the format, holds no scores, or names no user or item of the train set.
    DesignError
        If the train set has no raw names.
    """
    form = form or form_of(path)
    if form in {"npz", "npy"}:
        found = read_scores(path, form, rank_by)
        if isinstance(found, JudgedRanks):
            raise _no_scores(path)
        if isinstance(found, ScoreFile):
            if rank_by == "rank":
                raise DataError(f"{describe(found)} have no ranks", where=str(path), remedy="leave out rank_by=rank")
            return _kept(found, train)
        return _kept_rows(found, train, path, rank_by)
    if form != "trec" and has_judged_ranks(path):
        raise _no_scores(path)
    run = read_as_it_is(path, RUNS[rank_by], form)  # type: ignore[arg-type]
    if run.ignored and form != "trec":
        log.info("%s: columns that are not read: %s", path, ", ".join(run.ignored))
    return _kept_rows(run, train, path, rank_by)


def nothing_learnt(train: Interactions) -> Learnt:
    """Return the arrays of no scores at all."""
    return _sorted_by_user(train, *(np.zeros(0, dtype=np.int64),) * 2, np.zeros(0))[0]


def scores_for(learned: Arrays, train: Interactions, users: Ints) -> Reals:
    """Score all items for some users, from the arrays that `learnt_from` kept; NaN where there is no score."""
    if _KIND not in learned:
        return _looked_up(learned, train, users)
    kind, columns = str(learned[_KIND]), learned[_COLUMNS]
    if kind == "item_weights":
        rows, profiles = np.arange(len(users)), _profiles(train, users, columns, len(learned["indptr"]) - 1)
        return _spread(block_of(kind, learned, rows, profiles), np.ones(len(users), dtype=np.bool_), columns)
    rows = learned[_ROWS][users]
    return _spread(block_of(kind, learned, rows[rows >= 0]), rows >= 0, columns)


def _spread(block: Reals, has_row: Bools, columns: Ints) -> Reals:
    """Return the scores of a block in the order of the train set's items, NaN for users and items that the file does not name."""
    if has_row.all() and (columns >= 0).all():
        return block if np.array_equal(columns, np.arange(block.shape[1])) else block[:, columns]
    scores = np.full((len(has_row), len(columns)), np.nan, dtype=block.dtype)
    known = np.flatnonzero(columns >= 0)
    scores[np.ix_(has_row, known)] = block[:, columns[known]]
    return scores


def _profiles(train: Interactions, users: Ints, columns: Ints, n_items: int) -> csr_array:
    """Return the train ratings of some users, in the numbers of the file's items."""
    given = train.matrix[users]
    item, user = columns[given.indices], np.repeat(np.arange(len(users)), np.diff(given.indptr))
    known = np.flatnonzero(item >= 0)
    order = known[np.lexsort((item[known], user[known]))]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(user[order], minlength=len(users)))])
    return csr_array((given.data[order], item[order], indptr), shape=(len(users), n_items))


def _looked_up(learned: Arrays, train: Interactions, users: Ints) -> Floats:
    scores = np.full((len(users), train.n_items), np.nan)
    indptr = learned["indptr"]
    counts = indptr[users + 1] - indptr[users]
    ends = np.cumsum(counts)
    entries = np.arange(ends[-1] if len(ends) else 0) + np.repeat(indptr[users] - (ends - counts), counts)
    scores[np.repeat(np.arange(len(users)), counts), learned["items"][entries]] = learned["scores"][entries]
    return scores


# Tables, runs and lists: rows of user, item and score


def _kept_rows(run: FileTable, train: Interactions, path: Path, rank_by: RankBy) -> Learnt:
    user_ids, item_ids = _names_of(train, path)
    user, item = run.user.codes_in(user_ids), run.item.codes_in(item_ids)
    _refuse_strangers(path, {"user": (user_ids, run.user.names, user), "item": (item_ids, run.item.names, item)})
    known = (user >= 0) & (item >= 0)
    if not known.any():
        raise DataError("no row has both a user and an item of the data set", where=str(path), remedy=EXPORT)
    if run.is_constant:
        log.warning("%s: all %ss are equal, so that ties decide the order of all items", path, rank_by)
    score = -run.value if rank_by == "rank" else run.value
    learned, again = _sorted_by_user(train, user[known], item[known], score[known])
    if again is not None:
        first, second = np.flatnonzero(known)[again]
        raise run.repeated(int(first), int(second))
    return {**learned, **Matching.of(run, user, item, train).arrays}


def _sorted_by_user(train: Interactions, user: Ints, item: Ints, score: Floats) -> tuple[dict[str, NDArray[Any]], Ints | None]:
    """Return the scores by user, and the first two rows of a repeated pair, if any."""
    pair = user * train.n_items + item
    order = np.argsort(pair, kind="stable")
    pair = pair[order]
    again = np.flatnonzero(pair[1:] == pair[:-1])
    learned: dict[str, NDArray[Any]] = {
        "indptr": np.searchsorted(pair, np.arange(train.n_users + 1, dtype=np.int64) * train.n_items),
        "items": item[order].astype(np.int32),
        "scores": score[order],
    }
    return learned, order[again[0] : again[0] + 2] if len(again) else None


# Factors, dense scores and weights between items


def _kept(file: ScoreFile, train: Interactions) -> Learnt:
    user_ids, item_ids = _names_of(train, Path(file.source))
    row_of, column_of = _codes(user_ids, file.users), _codes(item_ids, file.items)
    _tell_of_rounding(file)
    of_items = {"item": (item_ids, file.items, column_of)}
    of_users = {"user": (user_ids, file.users, row_of)} if file.users else {}
    _refuse_strangers(Path(file.source), of_users | of_items)
    return {
        **file.arrays,
        _KIND: np.array(file.kind),
        _ROWS: row_of,
        _COLUMNS: column_of,
        **_matching(file, row_of, column_of, train).arrays,
    }


def _codes(ids: NDArray[np.object_], names: Sequence[str]) -> Ints:
    """Return the index of each of the data set's names among those of the file, -1 if it is not there."""
    index = dict(zip(names, range(len(names)), strict=True))
    return np.array([index.get(str(each), -1) for each in ids], dtype=np.int64)


def _tell_of_rounding(file: ScoreFile) -> None:
    """Warn of dense scores of 16 bits, and count those that are equal; how many of them rounding made equal, no file says."""
    if file.kind != "dense" or not file.is_half_precision:
        return
    scores, n_scores, n_tied = file.arrays["scores"], 0, 0
    for rows in _in_steps(scores):
        falling = np.sort(scores[rows], axis=1)
        is_same = falling[:, 1:] == falling[:, :-1]
        is_tied = np.zeros(falling.shape, dtype=np.bool_)
        is_tied[:, 1:] |= is_same
        is_tied[:, :-1] |= is_same
        n_tied += int(np.count_nonzero(is_tied))
        n_scores += int(np.count_nonzero(~np.isnan(falling)))
    log.warning(
        "%s: scores are numbers of 16 bits, and rounding makes scores equal: %s of %s share their value with another of the same "
        "user; ties.csv says what their order may change",
        *(file.source, f"{n_tied:,}", f"{n_scores:,}"),
    )


def _in_steps(scores: NDArray[Any]) -> Iterator[slice]:
    """Yield the rows of a matrix, some at a time, so that one on the disk is never in memory as a whole."""
    step = max(_AT_ONCE // max(scores.shape[1], 1), 1)
    yield from (slice(first, first + step) for first in range(0, len(scores), step))


def _matching(file: ScoreFile, row_of: Ints, column_of: Ints, train: Interactions) -> Matching:
    """Match a file with the train set: which users and items have a score, and how many scores each side lacks."""
    columns = column_of[column_of >= 0]
    n_rows, n_columns = int(np.count_nonzero(row_of >= 0)), len(columns)
    has_row, has_column = row_of >= 0, column_of >= 0
    if file.kind == "factors":
        n_scores, n_known = len(file.users) * len(file.items), n_rows * n_columns
    elif file.kind == "dense":
        n_scores, by_row, by_column = _counted(file.arrays["scores"], row_of, columns)
        n_known = int(by_row.sum())
        has_row[has_row] = by_row > 0
        has_column[has_column] = by_column > 0
    else:
        n_scores, n_known, reached = _weights(file, columns)
        has_row = np.bincount(train.user, weights=has_column[train.item], minlength=train.n_users) > 0
        has_column[has_column] = reached
    unknown = np.setdiff1d(np.arange(len(file.users)), row_of)
    counts = Counts(
        file_users=len(file.users),
        unknown_users=len(unknown),
        file_items=len(file.items),
        unknown_items=len(file.items) - n_columns,
        file_scores=n_scores,
        unknown_scores=n_scores - n_known,
        items=train.n_items,
        items_without=train.n_items - int(np.count_nonzero(has_column)),
    )
    return Matching(counts, has_row, tuple(file.users[each] for each in unknown[:_MOST_STRANGERS]))


def _counted(scores: NDArray[Any], row_of: Ints, columns: Ints) -> tuple[int, Ints, Ints]:
    """Count the scores of a matrix and, of the known users and items, those of each user and of each item."""
    n_scores, by_row, by_column = 0, np.zeros(len(scores), dtype=np.int64), np.zeros(len(columns), dtype=np.int64)
    known = np.zeros(len(scores), dtype=np.bool_)
    known[row_of[row_of >= 0]] = True
    for rows in _in_steps(scores):
        is_scored = ~np.isnan(scores[rows])
        n_scores += int(np.count_nonzero(is_scored))
        both = is_scored[:, columns] & known[rows, np.newaxis]
        by_row[rows] = np.count_nonzero(both, axis=1)
        by_column += np.count_nonzero(both, axis=0)
    return n_scores, by_row[row_of[row_of >= 0]], by_column


def _weights(file: ScoreFile, columns: Ints) -> tuple[int, int, Bools]:
    """Count the weights, and those between known items; and which of these items may have a score."""
    arrays = file.arrays
    known = np.zeros(len(file.items), dtype=np.bool_)
    known[columns] = True
    source = np.repeat(np.arange(len(file.items)), np.diff(arrays["indptr"]))
    both = known[source] & known[arrays["indices"]]
    reached = np.bincount(arrays["indices"][both], minlength=len(file.items)) > 0
    return len(both), int(np.count_nonzero(both)), reached[columns] | (str(arrays["unreached"]) == "zero")


def _names_of(train: Interactions, path: Path) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    if train.user_ids is None or train.item_ids is None:
        raise DesignError(f"'{path}' names users and items as in the raw data, but these data have no names")
    return train.user_ids, train.item_ids


def _refuse_strangers(path: Path, of: Mapping[str, tuple[Any, Sequence[str], Ints]]) -> None:
    """Refuse a file none of whose users, or items, is in the data set, given each side's names and the codes found."""
    for what, (ids, names, codes) in of.items():
        if (codes < 0).all():
            raise DataError(
                f"the data set contains no {what} of the file",
                where=str(path),
                allowed=f"raw names such as '{ids[0]}'; the file has names such as '{names[0]}'" if len(ids) else None,
                remedy=f"write the {what}s as 'recsens export' does; names are text, so '007' is not '7', and '7.0' is not '7'",
            )


def _no_scores(path: Path) -> DataError:
    return DataError(
        "judged ranks hold no scores, so nothing can be ranked with them",
        where=str(path),
        allowed="a table, a run, factors, dense scores, weights between items, or lists",
        remedy="measure judged ranks with 'recsens evaluate', or write scores; see docs/scores-format.md",
    )
