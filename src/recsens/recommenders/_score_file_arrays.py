"""Scores from a file, stored as named arrays and numbered as in a train set; `from_file` and `program` use them."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Floats, Ints, Reals
from recsens.data.interactions import Interactions
from recsens.errors import DataError
from recsens.files import FileTable, Form, found_in, is_parquet
from recsens.files.foreign_files import read_foreign
from recsens.files.kinds import RUNS, RankBy
from recsens.recommenders import Arrays, Matching, ScoredLists
from recsens.recommenders._compact_scores import are_compact, compact_scores, kept
from recsens.recommenders._places_in_files import are_places, places_learnt
from recsens.recommenders._score_file_names import names_of, refuse_strangers
from recsens.score_files import (
    JudgedRanks,
    ScoreFile,
    ScoreFormat,
    describe,
    format_by_content,
    format_by_name,
    has_judged_ranks,
    kind_of,
    read_judged_ranks,
    read_scores,
)

FileForm = Form | ScoreFormat
"""The format of a file of scores: a table, a run in TREC's form, or compact scores."""

Learnt = dict[str, NDArray[Any]]
"""Named arrays, as a recommender learns them."""

_BY_ENDING: dict[str, Form] = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".trec": "trec", ".run": "trec", ".txt": "trec"}
_FEW = 8
"""If a list contains at most one in this many of all items, sorting the lists is faster than counting over all items."""

EXPORT = "'recsens export' with the study's name writes the train set of each fold; see docs/evaluate-your-own-recommender.md"
"""Advice if the names in a file do not match those of the data set."""

log = logging.getLogger(__name__)


def form_by_name(name: str) -> FileForm | None:
    """Return the format indicated by a file's name, if any."""
    return format_by_name(name) or _BY_ENDING.get(Path(name.lower().removesuffix(".gz")).suffix)


def form_of(path: Path) -> FileForm:
    """Return a file's format, as its name shows it or, failing that, its first bytes."""
    named = form_by_name(path.name)
    if named is not None:
        return named
    return format_by_content(path) or ("parquet" if is_parquet(path) else "csv")


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
        return places_learnt(ranks, train, path)
    if form in {"npz", "npy"}:
        found = read_scores(path, form, rank_by)
        assert not isinstance(found, JudgedRanks), "read above"
        if isinstance(found, ScoreFile):
            if rank_by == "rank":
                raise DataError(f"{describe(found)} have no ranks", where=str(path), remedy="leave out rank_by=rank")
            return kept(found, train)
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
    return kind_of(path) == "judged_ranks" if form == "npz" else form in {"csv", "parquet"} and has_judged_ranks(path)


def nothing_learnt(train: Interactions) -> Learnt:
    """Return the arrays of a model without scores."""
    return _sorted_by_user(train, *(np.zeros(0, dtype=np.int64),) * 2, np.zeros(0))[0]


def scores_for(learned: Arrays, train: Interactions, users: Ints) -> Reals:
    """Return some users' scores for all items, from the arrays of `learnt_from`; NaN where there is no score."""
    return compact_scores(learned, train, users) if are_compact(learned) else _looked_up(learned, train, users)


def few_scores_for(learned: Arrays, train: Interactions, users: Ints) -> ScoredLists | None:
    """Return some users' scores as lists; None if the lists have a large share of all items, or if scores must be computed."""
    if are_compact(learned) or are_places(learned):
        return None
    n_scores = int((learned["indptr"][users + 1] - learned["indptr"][users]).sum())
    return _lists(learned, users) if n_scores * _FEW <= len(users) * train.n_items else None


def _looked_up(learned: Arrays, train: Interactions, users: Ints) -> Floats:
    scores = np.full((len(users), train.n_items), np.nan)
    lists = _lists(learned, users)
    scores[lists.row, lists.items] = lists.scores
    return scores


def _lists(learned: Arrays, users: Ints) -> ScoredLists:
    indptr = learned["indptr"]
    counts = indptr[users + 1] - indptr[users]
    starts = np.concatenate([[0], np.cumsum(counts)])
    entries = np.arange(starts[-1]) + np.repeat(indptr[users] - starts[:-1], counts)
    return ScoredLists(starts, learned["items"][entries], learned["scores"][entries])


def _kept_rows(run: FileTable, train: Interactions, path: Path, rank_by: RankBy) -> Learnt:
    user_ids, item_ids = names_of(train, path)
    user_of, item_of = found_in(map(str, user_ids), run.user.names), found_in(map(str, item_ids), run.item.names)
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
