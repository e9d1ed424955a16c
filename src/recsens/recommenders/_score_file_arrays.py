"""Scores from a file, stored as named arrays and numbered as in a train set; `from_file` and `program` use them."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.arrays import Bools, Floats, Ints, Reals, places_in_groups
from recsens.data.interactions import Interactions
from recsens.errors import DataError
from recsens.files import FileTable, Form, Names, has_types, indices_in
from recsens.files.foreign_files import read_foreign
from recsens.files.kinds import RUNS, RankBy
from recsens.recommenders import Arrays, Matching, ScoredLists
from recsens.recommenders._score_file_match import Counts, names_of, refuse_strangers
from recsens.recommenders.score_blocks import scores_of_users
from recsens.score_files import (
    JudgedRanks,
    ScoreFile,
    ScoreFormat,
    archive_kind,
    describe,
    format_by_content,
    format_by_name,
    has_judged_ranks,
    read_judged_ranks,
    read_scores,
)

_STARTS, _ITEMS, _ABOVE, _EQUAL, _PLACES, _CANDIDATES = (
    f"places_{name}" for name in ("starts", "items", "above", "equal", "places", "candidates")
)


def has_places(learned: Arrays) -> bool:
    """Whether the arrays of a model contain judged ranks."""
    return _CANDIDATES in learned


def read_places(ranks: JudgedRanks, train: Interactions, path: Path) -> dict[str, NDArray[Any]]:
    """Return judged ranks, with users and items numbered as in the train set, and how well the file matches the train set.

    Raises DataError if the file names no user or no item of the train set.
    """
    user_ids, item_ids = names_of(train, path)
    user_of, item_of = indices_in(map(str, user_ids), ranks.users), indices_in(map(str, item_ids), ranks.items)
    refuse_strangers(path, {"user": (user_ids, ranks.users, user_of), "item": (item_ids, ranks.items, item_of)})
    user, item = user_of[ranks.user], item_of[ranks.item]
    known = np.flatnonzero((user >= 0) & (item >= 0))
    known = known[np.lexsort((item[known], user[known]))]
    candidates = ranks.candidates_of(indices_in(ranks.users, map(str, user_ids)))
    matching = Matching.of(Names(list(ranks.users), ranks.user), Names(list(ranks.items), ranks.item), user_of, item_of, train)
    return {
        _STARTS: np.searchsorted(user[known], np.arange(train.n_users + 1)),
        _ITEMS: item[known].astype(np.int32),
        _ABOVE: ranks.above[known],
        _EQUAL: ranks.equal[known],
        _PLACES: (ranks.above + places_in_groups(ranks.group))[known],
        _CANDIDATES: candidates,
        **replace(matching, has_row=candidates > 0).arrays,
    }


def placed(learned: Arrays, train: Interactions, users: Ints, targets: Bools, source: str) -> Floats:
    """Return numbers that rank the targets of some users and put each judged item at its place in the file.

    As many targets are ranked as the file has candidates for the user. The file does not name candidates that are not judged; their
    places are filled with the user's other targets, in ascending order of index. The number of a target with n candidates above it
    is -n; targets with equal scores have equal numbers. NaN means that a target is not ranked.

    Raises DataError if a user has more candidates in the file than targets.

    Parameters
    ----------
    learned
        The result of `read_places`.
    train
        The train set.
    users
        Users to rank.
    targets
        The targets of each of these users, shape (len(users), n_items).
    source
        The file, for messages.
    """
    numbers = np.full(targets.shape, np.nan)
    n_candidates, n_targets = learned[_CANDIDATES][users], targets.sum(axis=1)
    beyond = np.flatnonzero(n_candidates > n_targets)
    if len(beyond):
        row = beyond[0]
        raise DataError(
            f"user '{_name(train, users[row])}' has {n_candidates[row]:,} candidates, but only {n_targets[row]:,} targets",
            where=source,
            allowed="candidates that are items of the data set and not in the user's train or validation set",
            remedy="leave out all other candidates, or make sure that the train set names every item",
        )
    for row, user in enumerate(users.tolist()):
        own = slice(learned[_STARTS][user], learned[_STARTS][user + 1])
        items, above, equal, places = (learned[name][own] for name in (_ITEMS, _ABOVE, _EQUAL, _PLACES))
        by_place = -np.arange(n_candidates[row], dtype=np.float64)
        for first, equals in {*zip(above.tolist(), equal.tolist(), strict=True)}:
            by_place[first : first + equals + 1] = -first
        is_named = targets[row, items]
        numbers[row, items[is_named]] = -above[is_named]
        left = np.delete(by_place, places[is_named])
        others = np.flatnonzero(targets[row] & np.isnan(numbers[row]))
        numbers[row, others[: len(left)]] = left
    return numbers + 0.0  # no -0


def _name(train: Interactions, user: int) -> str:
    return str(user if train.user_ids is None else train.user_ids[user])


_KIND, _ROWS, _COLUMNS = "score_kind", "score_rows", "score_columns"
"""Names of arrays: the kind of scores, each user's row and each item's column in the file (-1 if the file lacks the name)."""

_AT_ONCE = 1 << 22
"""Number of dense scores that are counted at a time."""

_MOST_STRANGERS = 100
"""Number of unknown names that are stored with a model."""

log = logging.getLogger(__name__)


def arrays_for_train(file: ScoreFile, train: Interactions) -> dict[str, NDArray[Any]]:
    """Return the file's arrays, each user's row and each item's column in these arrays, and the arrays of `Matching`.

    Raises
    ------
    DataError
        If the file names no user, or no item, of the train set.
    DesignError
        If the train set has no raw names.
    """
    user_ids, item_ids = names_of(train, Path(file.source))
    row_of, column_of = indices_in(file.users, map(str, user_ids)), indices_in(file.items, map(str, item_ids))
    _warn_of_rounding(file)
    of_items = {"item": (item_ids, file.items, column_of)}
    of_users = {"user": (user_ids, file.users, row_of)} if file.users else {}
    refuse_strangers(Path(file.source), of_users | of_items)
    return {
        **file.arrays,
        _KIND: np.array(file.kind),
        _ROWS: row_of,
        _COLUMNS: column_of,
        **_match_train(file, row_of, column_of, train).arrays,
    }


def is_compact(learned: Arrays) -> bool:
    """Whether scores are computed from arrays that `arrays_for_train` returned."""
    return _KIND in learned


def compact_scores(learned: Arrays, train: Interactions, users: Ints) -> Reals:
    """Compute some users' scores for all items of the train set; NaN where there is no score."""
    kind, columns = str(learned[_KIND]), learned[_COLUMNS]
    if kind == "item_weights":
        rows, profiles = np.arange(len(users)), _train_profiles(train, users, columns, len(learned["indptr"]) - 1)
        return _in_train_order(scores_of_users(kind, learned, rows, profiles), np.ones(len(users), dtype=np.bool_), columns)
    rows = learned[_ROWS][users]
    return _in_train_order(scores_of_users(kind, learned, rows[rows >= 0]), rows >= 0, columns)


def _in_train_order(block: Reals, has_row: Bools, columns: Ints) -> Reals:
    """Return a block's scores in the train set's item order; NaN for users and items that the file does not name."""
    if has_row.all() and (columns >= 0).all():
        return block if np.array_equal(columns, np.arange(block.shape[1])) else block[:, columns]
    scores = np.full((len(has_row), len(columns)), np.nan, dtype=block.dtype)
    known = np.flatnonzero(columns >= 0)
    scores[np.ix_(has_row, known)] = block[:, columns[known]]
    return scores


def _train_profiles(train: Interactions, users: Ints, columns: Ints, n_items: int) -> csr_array:
    """Return some users' train ratings, with items numbered as in the file."""
    given = train.matrix[users]
    item, user = columns[given.indices], np.repeat(np.arange(len(users)), np.diff(given.indptr))
    known = np.flatnonzero(item >= 0)
    order = known[np.lexsort((item[known], user[known]))]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(user[order], minlength=len(users)))])
    return csr_array((given.data[order], item[order], indptr), shape=(len(users), n_items))


def _warn_of_rounding(file: ScoreFile) -> None:
    """Warn about 16-bit dense scores, and count equal ones; the file does not show how many became equal by rounding."""
    if file.kind != "dense" or not file.is_half_precision:
        return
    scores, n_scores, n_tied = file.arrays["scores"], 0, 0
    for rows in _row_batches(scores):
        falling = np.sort(scores[rows], axis=1)
        is_same = falling[:, 1:] == falling[:, :-1]
        is_tied = np.zeros(falling.shape, dtype=np.bool_)
        is_tied[:, 1:] |= is_same
        is_tied[:, :-1] |= is_same
        n_tied += int(np.count_nonzero(is_tied))
        n_scores += int(np.count_nonzero(~np.isnan(falling)))
    log.warning(
        "%s: scores are numbers of 16 bits, and rounding makes scores equal: %s of %s scores are equal to another score of the "
        "same user; ties.csv shows how far the order of equal scores can change the values",
        # If a program wrote the file, its folder is gone by the time anybody reads this.
        *(Path(file.source).name, f"{n_tied:,}", f"{n_scores:,}"),
    )


def _row_batches(scores: NDArray[Any]) -> Iterator[slice]:
    """Yield a matrix's rows in batches; a matrix on disk is then never wholly in memory."""
    step = max(_AT_ONCE // max(scores.shape[1], 1), 1)
    yield from (slice(first, first + step) for first in range(0, len(scores), step))


def _match_train(file: ScoreFile, row_of: Ints, column_of: Ints, train: Interactions) -> Matching:
    """Match a file with the train set: find the users and items with a score, and count the names that only one of the two has."""
    columns = column_of[column_of >= 0]
    n_rows, n_columns = int(np.count_nonzero(row_of >= 0)), len(columns)
    has_row, has_column = row_of >= 0, column_of >= 0
    if file.kind == "factors":
        n_scores, n_known = len(file.users) * len(file.items), n_rows * n_columns
    elif file.kind == "dense":
        n_scores, by_row, by_column = _count_scores(file.arrays["scores"], row_of, columns)
        n_known = int(by_row.sum())
        has_row[has_row] = by_row > 0
        has_column[has_column] = by_column > 0
    else:
        n_scores, n_known, reached = _count_weights(file, columns)
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


def _count_scores(scores: NDArray[Any], row_of: Ints, columns: Ints) -> tuple[int, Ints, Ints]:
    """Count a matrix's scores, and the scores of each known user and each known item."""
    n_scores, by_row, by_column = 0, np.zeros(len(scores), dtype=np.int64), np.zeros(len(columns), dtype=np.int64)
    known = np.zeros(len(scores), dtype=np.bool_)
    known[row_of[row_of >= 0]] = True
    for rows in _row_batches(scores):
        is_scored = ~np.isnan(scores[rows])
        n_scores += int(np.count_nonzero(is_scored))
        both = is_scored[:, columns] & known[rows, np.newaxis]
        by_row[rows] = np.count_nonzero(both, axis=1)
        by_column += np.count_nonzero(both, axis=0)
    return n_scores, by_row[row_of[row_of >= 0]], by_column


def _count_weights(file: ScoreFile, columns: Ints) -> tuple[int, int, Bools]:
    """Count all weights and the weights between known items, and find which of these items may have a score."""
    arrays = file.arrays
    known = np.zeros(len(file.items), dtype=np.bool_)
    known[columns] = True
    source = np.repeat(np.arange(len(file.items)), np.diff(arrays["indptr"]))
    both = known[source] & known[arrays["indices"]]
    reached = np.bincount(arrays["indices"][both], minlength=len(file.items)) > 0
    return len(both), int(np.count_nonzero(both)), reached[columns] | (str(arrays["unreached"]) == "zero")


FileForm = Form | ScoreFormat
"""The format of a file of scores: a table, a run in TREC's form, or compact scores."""

Learnt = dict[str, NDArray[Any]]
"""Named arrays, as a recommender learns them."""

_BY_ENDING: dict[str, Form] = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".trec": "trec", ".run": "trec", ".txt": "trec"}
_FEW = 8
"""If a list contains at most one in this many of all items, sorting the lists is faster than counting over all items."""

EXPORT = "'recsens export' with the study's name writes the train set of each fold; see docs/your-model.md"
"""Advice if the names in a file do not match those of the data set."""


def form_by_name(name: str) -> FileForm | None:
    """Return the format indicated by a file's name, if any."""
    return format_by_name(name) or _BY_ENDING.get(Path(name.lower().removesuffix(".gz")).suffix)


def form_of(path: Path) -> FileForm:
    """Return a file's format, as its name shows it or, failing that, its first bytes."""
    named = form_by_name(path.name)
    if named is not None:
        return named
    return format_by_content(path) or ("parquet" if has_types(path) else "csv")


def learnt_from(path: Path, train: Interactions, form: FileForm | None = None, rank_by: RankBy = "score") -> Learnt:
    """Read scores in any form and return them as named arrays, together with the arrays of `Matching`.

    Factors stay factors, dense scores keep their type, and judged ranks stay ranks; `scores_for` computes scores from the arrays.

    Parameters
    ----------
    path
        A table, a run, or compact scores.
    train
        The train set, whose raw names identify users and items.
    form
        The format of the file; by default, the format that its name or content shows.
    rank_by
        Whether scores or ranks order the items in tables and lists; other forms have only scores.

    Raises
    ------
    DataError
        If the file does not have the format, has no scores, or names no user or no item of the train set.
    DesignError
        If the train set has no raw names.
    """
    form = form or form_of(path)
    if holds_judged_ranks(path, form):
        ranks = read_scores(path, "npz") if form == "npz" else read_judged_ranks(path)
        assert isinstance(ranks, JudgedRanks), "as its beginning shows"
        return read_places(ranks, train, path)
    if form in {"npz", "npy"}:
        found = read_scores(path, form, rank_by)
        assert not isinstance(found, JudgedRanks), "read above"
        if isinstance(found, ScoreFile):
            if rank_by == "rank":
                raise DataError(f"{describe(found)} have no ranks", where=str(path), remedy="leave out rank_by=rank")
            return arrays_for_train(found, train)
        return _kept_rows(found, train, path, rank_by)
    run = read_foreign(path, RUNS[rank_by], form)  # type: ignore[arg-type]
    if run.ignored and form != "trec":
        log.info("%s: columns that are not read: %s", path, ", ".join(run.ignored))
    return _kept_rows(run, train, path, rank_by)


def holds_judged_ranks(path: Path, form: FileForm | None = None) -> bool:
    """Whether the beginning of a file shows that it contains judged ranks.

    Raises
    ------
    DataError
        If the file is an archive that is damaged or does not have the format.
    """
    form = form or form_of(path)
    return archive_kind(path) == "judged_ranks" if form == "npz" else form in {"csv", "parquet"} and has_judged_ranks(path)


def empty_arrays(train: Interactions) -> Learnt:
    """Return the arrays of a model without scores."""
    return _sorted_by_user(train, *(np.zeros(0, dtype=np.int64),) * 2, np.zeros(0))[0]


def scores_for(learned: Arrays, train: Interactions, users: Ints) -> Reals:
    """Return some users' scores for all items, from the arrays of `learnt_from`; NaN where there is no score."""
    if is_compact(learned):
        return compact_scores(learned, train, users)
    lists = _lists(learned, users)
    scores = np.full((len(users), train.n_items), np.nan)
    scores[lists.row, lists.items] = lists.scores
    return scores


def few_scores_for(learned: Arrays, train: Interactions, users: Ints) -> ScoredLists | None:
    """Return some users' scores as lists; None if the lists have a large share of all items, or if scores must be computed."""
    if is_compact(learned) or has_places(learned):
        return None
    n_scores = int((learned["indptr"][users + 1] - learned["indptr"][users]).sum())
    return _lists(learned, users) if n_scores * _FEW <= len(users) * train.n_items else None


def _lists(learned: Arrays, users: Ints) -> ScoredLists:
    indptr = learned["indptr"]
    counts = indptr[users + 1] - indptr[users]
    starts = np.concatenate([[0], np.cumsum(counts)])
    entries = np.arange(starts[-1]) + np.repeat(indptr[users] - starts[:-1], counts)
    return ScoredLists(starts, learned["items"][entries], learned["scores"][entries])


def _kept_rows(run: FileTable, train: Interactions, path: Path, rank_by: RankBy) -> Learnt:
    user_ids, item_ids = names_of(train, path)
    user_of, item_of = indices_in(map(str, user_ids), run.user.names), indices_in(map(str, item_ids), run.item.names)
    refuse_strangers(path, {"user": (user_ids, run.user.names, user_of), "item": (item_ids, run.item.names, item_of)})
    user, item = user_of[run.user.code], item_of[run.item.code]
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
    return {**learned, **Matching.of(run.user, run.item, user_of, item_of, train).arrays}


def _sorted_by_user(train: Interactions, user: Ints, item: Ints, score: Floats) -> tuple[dict[str, NDArray[Any]], Ints | None]:
    """Return the scores sorted by user, and the first two rows of a repeated pair, if there is one."""
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
