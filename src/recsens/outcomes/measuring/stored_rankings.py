"""Stored rankings as arrays: the positions of users' judged items, users' weights, and coverage, one ranking at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recsens.arrays import Bools, Floats, Ids, Ints, digest_of
from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import PositionFiles
from recsens.artefacts.folds import read_scale
from recsens.artefacts.statements import DELETE
from recsens.comparison.aggregation import Cover
from recsens.comparison.users import Population
from recsens.errors import ArtefactError, DesignError
from recsens.files.scale import Scale
from recsens.metrics import Judged, Memo
from recsens.ranking import Rankings as Ranked
from recsens.ranking import user_stretches
from recsens.vocabulary import Coverage, Reading, State

CELL = pa.schema(
    [
        pa.field("ranking", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("view", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("relevance", pa.float64()),
        pa.field("user", pa.int32(), nullable=False),
    ],
    metadata={"kind": "measures 1"},
)
"""The user, ranking, view and threshold of a row; ``relevance`` is null for the default threshold, which the data set's scale sets.

Rows with the same ranking, view and threshold are adjacent, and sorted by user. Under P1R, they are sorted by percentile of
popularity, then by user.
"""

POPULATION = pa.schema(
    [
        *CELL,
        *(
            pa.field(name, pa.int32(), nullable=False)
            for name in ("train", "test", "relevant", "listed", "targets", "scored", "weight", "rankings", "covered")
        ),
    ],
    metadata={"kind": "population 1"},
)
"""A user's counts under a view and threshold, as in `recsens.comparison.users.Population`.

``targets`` and ``scored`` are the numbers of target items and of those that the system itself scores, whatever the view.
``weight`` is the number of the user's rankings that are measured. `recsens.comparison.aggregation.Cover` explains ``rankings``,
``covered`` and the columns ``@d``, one per depth d, which only a study with rankings of ratings has.
"""


_TIES = ("above", "tied")
"""Columns of the positions that give the range of an item's position over all orders of equal scores."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One ranking under one view and one relevance threshold."""

    ranking: str
    view: Reading
    relevance: float | None


@dataclass(frozen=True)
class RatingRankings:
    """The rankings of all relevant test ratings (1R), one row per ranking.

    Attributes
    ----------
    ranked
        Number of ranked items in each ranking, shape (n,).
    group
        Group of each ranking, which under P1R is a percentile, shape (n,).
    targets
        Number of targets of each ranking, ranked or not, shape (n,).
    n_groups
        Number of groups; by default, one more than the highest number in ``group``. A user need not have a ranking in every group.
    """

    ranked: Ints
    group: Ints
    targets: Ints
    n_groups: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        if not self.n_groups:
            object.__setattr__(self, "n_groups", int(self.group.max(initial=0)) + 1)


@dataclass(frozen=True)
class RankedUsers:
    """The positions of judged items in users' rankings as arrays, read once for all views and thresholds.

    Attributes
    ----------
    user, position, rating
        Columns of the positions; a position is 0 if the item is not ranked. Under 1R, there is one row per ranking.
    counts
        Columns of `recsens.artefacts.schemas.RANKED_USERS`.
    scale
        The rating scale.
    by_rating
        The length and group of each ranking under 1R; None if every user has one ranking.
    score, item
        Further columns of the positions; None if no metric reads them. The score is NaN if the recommender did not score the item.
    is_target
        Whether each judged item is a target, shape (n,); None if coverage is not computed.
    above, tied
        Numbers of ranked items with a higher score, and with the same score, shape (n,); None if ties are not counted.
    """

    user: Ids
    position: Ints
    rating: Floats
    counts: dict[str, Ints]
    scale: Scale
    by_rating: RatingRankings | None = None
    score: Floats | None = None
    item: Ids | None = None
    is_target: Bools | None = None
    above: Ints | None = None
    tied: Ints | None = None
    # By threshold, what all views of the rankings share; and what all views and thresholds share.
    _known: dict[float, Memo] = field(default_factory=dict, init=False, repr=False, compare=False)
    _ordered: Memo = field(default_factory=Memo, init=False, repr=False, compare=False)

    @classmethod
    def read(cls, positions: str, users: str, dataset: str) -> RankedUsers:
        """Read the positions, the users and the scale of a ranking."""
        schema, names = _schema_and_columns(positions)
        table = storage.read_table(positions, schema, names)
        counts = storage.read_table(users, schemas.RANKED_USERS)
        return cls._take_users(table, counts, read_scale(dataset))

    @classmethod
    def stretches(cls, positions: str, users: str, dataset: str, *, ties: bool = False) -> Iterator[RankedUsers]:
        """Read a ranking for a stretch of users at a time, to bound memory; the users of each stretch are numbered from 0.

        If ``ties``, also read the columns ``above`` and ``tied``.

        Raises
        ------
        ArtefactError
            If positions are not in order, or belong to a user without counts.
        """
        schema, names = _schema_and_columns(positions)
        names += _TIES if ties else ()
        counts = storage.read_table(users, schemas.RANKED_USERS)
        scale, n_groups = read_scale(dataset), _n_groups(positions) if "percentile" in names else 0
        own = user_stretches(len(counts))
        ends = [int(each[-1]) + 1 if len(each) else 0 for each in own]
        cut = _cut_by_user(storage.read_groups(positions, schema, names), ends, positions)
        for each, table in zip(own, cut, strict=True):
            first = int(each[0]) if len(each) else 0
            yield cls._take_users(table, counts.slice(first, len(each)), scale, first, n_groups)

    @classmethod
    def _take_users(cls, table: pa.Table, counts: pa.Table, scale: Scale, first: int = 0, n_groups: int = 0) -> RankedUsers:
        """Build rankings from the rows of some users; the user with number ``first`` becomes number 0."""
        position = table.column("position").fill_null(0).to_numpy()
        by_rating = ("ranked", "percentile", "targets")
        return cls(
            user=storage.column(table, "user") - np.int32(first),
            position=position.astype(np.int64),
            rating=storage.column(table, "rating", "float64"),
            counts={name: storage.column(counts, name, "int64") for name in schemas.RANKED_USERS.names},
            scale=scale,
            by_rating=RatingRankings(*(storage.column(table, name, "int64") for name in by_rating), n_groups=n_groups)
            if "percentile" in table.column_names
            else None,
            score=storage.column(table, "score", "float64"),
            item=storage.column(table, "item"),
            is_target=storage.column(table, "state") != State.OUTSIDE_TARGETS,
            **{name: table.column(name).fill_null(0).to_numpy().astype(np.int64) for name in _TIES if name in table.column_names},
        )

    @classmethod
    def of(cls, rankings: Ranked, scale: Scale) -> RankedUsers:
        """Build rankings from the result of `recsens.ranking.rank`, for ratings on a scale."""
        columns = rankings.positions
        return cls(
            user=columns["user"],
            position=np.ma.filled(columns["position"], 0).astype(np.int64),
            rating=np.ma.filled(columns["rating"], np.nan),
            counts={name: counts.astype(np.int64) for name, counts in rankings.users.items()},
            scale=scale,
            by_rating=RatingRankings(*(columns[name].astype(np.int64) for name in ("ranked", "percentile", "targets")))
            if "ranked" in columns
            else None,
            score=np.ma.filled(columns["score"], np.nan),
            item=columns["item"],
            is_target=columns["state"] != State.OUTSIDE_TARGETS,
        )

    @property
    def n_users(self) -> int:
        """Number of users, with or without a ranking."""
        return len(self.counts["scored"])

    @property
    def n_groups(self) -> int:
        """Number of groups of rankings: the percentiles of P1R, otherwise 1."""
        return 1 if self.by_rating is None else self.by_rating.n_groups

    def judged(self, view: Reading, relevance: float | None) -> Judged:
        """Apply a view and a threshold. Under 1R, the ranking of each rating is treated like a user's ranking.

        Raises
        ------
        DesignError
            If no rating on the scale could reach the threshold.
        ArtefactError
            If ratings below the threshold were ranked under 1R.
        """
        if relevance is not None and not np.isnan(self.rating).all():
            check_threshold(relevance, self.scale)
        threshold = self.scale.threshold(relevance)
        if self.by_rating is not None and (self.rating < threshold).any():
            raise ArtefactError(
                f"ratings below {threshold:g} have rankings: these rankings were made for another relevance threshold",
                remedy="delete the folder of the ranking and run again",
            )
        return Judged.of(
            user=self.user if self.by_rating is None else np.arange(len(self.user), dtype=np.int32),
            position=self.position,
            rating=self.rating,
            targets_ranked=self.counts["scored"] if self.by_rating is None else self.by_rating.ranked,
            view=view,
            scale=self.scale,
            relevance=threshold,
            score=self.score,
            item=self.item,
            rater=None if self.by_rating is None else self.user.astype(np.int64),
            targets=self.counts["targets"] if self.by_rating is None else self.by_rating.targets,
            is_target=self.is_target,
            known=self._known.setdefault(threshold, Memo()),
            ordered=self._ordered,
        )

    def unordered(self, judged: Judged, view: Reading) -> Judged:
        """Return the judged items that are targets, without an order, for `recsens.metrics.Metric.at_random`.

        Parameters
        ----------
        judged
            The result of `judged` under the view.
        view
            Full rankings contain targets; condensed rankings contain the judged items among them.
        """
        assert self.is_target is not None
        if self.by_rating is not None:
            n_targets = self.by_rating.targets
        elif view != "condensed":
            n_targets = self.counts["targets"]
        else:
            n_targets = np.bincount(self.user[self.is_target], minlength=self.n_users)
        return replace(judged, position=self.is_target.astype(np.int64), listed=n_targets)

    @cached_property
    def targets_digest(self) -> str:
        """A digest of the judged items and of the numbers of targets, which rankings of the same targets share."""
        assert self.is_target is not None
        n_targets = self.counts["targets"] if self.by_rating is None else self.by_rating.targets
        group = () if self.by_rating is None else (self.by_rating.group,)
        return digest_of(self.user, self.rating, self.is_target, n_targets, *group)

    @property
    def weights(self) -> Ints:
        """Each user's number of rankings, shape (n_groups, n_users): 1 or, under 1R, one for each relevant rating in the group."""
        if self.by_rating is None:
            return np.ones((1, self.n_users), dtype=np.int64)
        return np.bincount(self._group_and_user, minlength=self.n_groups * self.n_users).reshape(self.n_groups, self.n_users)

    def grouped(self, values: Floats) -> Floats:
        """Average measures over each user's rankings in each group.

        Parameters
        ----------
        values
            Measures of the rankings that `judged` returns, shape (n_rankings, n_cutoffs).

        Returns
        -------
        numpy.ndarray
            The means, shape (n_groups, n_users, n_cutoffs); 0 if a user has no ranking in a group.
        """
        if self.by_rating is None:
            return values[np.newaxis]
        n_cells = self.n_groups * self.n_users
        sums = np.stack([np.bincount(self._group_and_user, weights=column, minlength=n_cells) for column in values.T], axis=1)
        means = sums / np.maximum(self.weights.reshape(-1, 1), 1)
        return means.reshape(self.n_groups, self.n_users, -1)

    def cover(self, view: Reading, judged: Judged, depths: Sequence[int]) -> Cover:
        """Count rankings, covered rankings and filled ranks under a view, as arrays of shape (n_groups, n_users).

        Parameters
        ----------
        view
            Full rankings contain targets; condensed rankings contain the judged items among them.
        judged
            The result of `judged` under the view.
        depths
            Depths d of Coverage@d.
        """
        if self.by_rating is not None:
            return self._cover_of_ratings(self.by_rating, depths)
        assert self.is_target is not None
        judged_targets = np.bincount(self.user[self.is_target], minlength=self.n_users)
        to_rank = self.counts["targets"] if view != "condensed" else judged_targets
        return Cover(
            rankings=(to_rank > 0)[np.newaxis].astype(np.int64),
            covered=(judged.listed > 0)[np.newaxis].astype(np.int64),
            filled={depth: np.minimum(judged.listed, depth)[np.newaxis] for depth in depths},
        )

    def _cover_of_ratings(self, rankings: RatingRankings, depths: Sequence[int]) -> Cover:
        def summed(numbers: NDArray[Any]) -> Ints:
            sums = np.bincount(self._group_and_user, weights=numbers, minlength=self.n_groups * self.n_users)
            return sums.astype(np.int64).reshape(self.n_groups, self.n_users)

        filled = {depth: summed(np.minimum(rankings.ranked, depth)) for depth in depths}
        return Cover(rankings=self.weights, covered=summed(self.position > 0), filled=filled)

    @property
    def _group_and_user(self) -> Ints:
        assert self.by_rating is not None
        return self.by_rating.group * self.n_users + self.user


def population_of(ranked: RankedUsers, judged: Judged) -> Population:
    """Count each user's train ratings, test ratings, relevant ratings and listed items; decision B1 selects users by these counts.

    Under 1R, the listed items are all scored targets of the user.
    """
    by_user = ranked.by_rating is None
    return Population(
        train=ranked.counts["train"],
        test=ranked.counts["test"],
        relevant=judged.n_relevant if by_user else ranked.weights.sum(axis=0),
        listed=judged.listed if by_user else ranked.counts["scored"],
    )


def count_columns(depths: Sequence[int]) -> list[str]:
    """Name the columns that `user_counts` returns."""
    return [*(each.name for each in POPULATION if each not in CELL), *(f"@{depth}" for depth in depths)]


def user_counts(view: Reading, ranked: RankedUsers, judged: Judged, depths: Sequence[int]) -> Ints:
    """Count each user's ratings, listed items, rankings and filled positions, shape (n_groups, n_users, n_columns)."""
    known = population_of(ranked, judged)
    cover = ranked.cover(view, judged, depths)
    own = ranked.counts["targets"], ranked.counts["scored"] - ranked.counts["filled"]
    by_user = np.stack([known.train, known.test, known.relevant, known.listed, *own], axis=1)
    by_group = [ranked.weights, cover.rankings, cover.covered, *(cover.filled[depth] for depth in depths)]
    repeated = np.broadcast_to(by_user, (ranked.n_groups, *by_user.shape))
    return np.concatenate([repeated, np.stack(by_group, axis=-1)], axis=-1)


def pooled_column(cutoff: int, users: str, coverage: Coverage) -> str:
    """Name the column of a pooled value at a cut-off over the users whom a selection (B1) and a coverage policy (C4) admit."""
    return f"@{cutoff} {coverage} {users}"


def random_column(cutoff: int) -> str:
    """Name the column of values at a cut-off that are expected for targets in random order."""
    return f"@{cutoff} at random"


def settled_column(cutoff: int) -> str:
    """Name the column that says for which users every ranking of the same targets has the same value at a cut-off."""
    return f"@{cutoff} settled"


def check_threshold(relevance: float, scale: Scale) -> None:
    """Refuse a relevance threshold that no rating on a scale could reach.

    Raises
    ------
    DesignError
        If the threshold is above the highest rating.
    """
    if relevance > scale.highest:
        raise DesignError(
            f"relevance: {relevance:g} is above the highest rating, so nothing would be relevant",
            allowed=f"up to {scale.highest:g} on this data set's scale, which starts at {scale.lowest:g}",
        )


Look = tuple[Reading, float | None]
"""A view, and a threshold of relevance (None for the default of the scale)."""


def walk(rankings: Sequence[PositionFiles], cells: Sequence[Sequence[Look]]) -> Iterator[tuple[Cell, RankedUsers, Judged]]:
    """Yield every ranking under each of its views and thresholds; each ranking is read only once, as a whole.

    ``cells`` has, for each of the ``rankings``, its pairs of a view and a threshold. A ranking is identified by the folder of its
    positions.
    """
    for files, looks in zip(rankings, cells, strict=True):
        ranked = RankedUsers.read(*files)
        for cell in _cells_of(files, looks):
            yield cell, ranked, ranked.judged(cell.view, cell.relevance)


def walk_stretches(
    rankings: Iterable[PositionFiles],
    cells: Sequence[Sequence[Look]],
    of_users: Callable[[Cell, RankedUsers, Judged], Sequence[NDArray[Any]]],
) -> Iterator[tuple[Cell, list[NDArray[Any]]]]:
    """Yield each cell with the results of ``of_users``. The order is that of `walk`, but a ranking is read in stretches of users.

    ``of_users`` returns arrays for the users of a stretch, each of shape (n_groups, n_users, ...).
    """
    for files, looks in zip(rankings, cells, strict=True):
        seen = _cells_of(files, looks)
        found: list[list[Sequence[NDArray[Any]]]] = [[] for _ in seen]
        for ranked in RankedUsers.stretches(*files):
            for parts, cell in zip(found, seen, strict=True):
                parts.append(of_users(cell, ranked, ranked.judged(cell.view, cell.relevance)))
        for cell, parts in zip(seen, found, strict=True):
            yield cell, [np.concatenate(each, axis=1) for each in zip(*parts, strict=True)]


def _cells_of(files: PositionFiles, looks: Sequence[Look]) -> list[Cell]:
    return [Cell(str(Path(files.positions).parent), view, relevance) for view, relevance in looks]


def _schema_and_columns(positions: str) -> tuple[pa.Schema, list[str]]:
    """Return the schema of a positions file, and the columns to read from it."""
    names = ["user", "item", "rating", "score", "position", "state"]
    if storage.has_columns(positions, schemas.RATING_POSITIONS):
        return schemas.RATING_POSITIONS, [*names, "ranked", "percentile", "targets"]
    return schemas.POSITIONS, names


def _n_groups(positions: str) -> int:
    groups = storage.read_groups(positions, schemas.RATING_POSITIONS, ["percentile"])
    return max((int(storage.column(group, "percentile").max(initial=0)) for group in groups), default=0) + 1


def _cut_by_user(groups: Iterator[pa.Table], ends: Sequence[int], path: str) -> Iterator[pa.Table]:
    """Cut rows that are sorted by user into parts; each part ends before the next user in ``ends``."""
    rest = next(groups)
    for end in ends:
        while len(rest) == 0 or rest.column("user")[-1].as_py() < end:
            more = next(groups, None)
            if more is None:
                break
            rest = pa.concat_tables([rest, more])
        n_rows = int(np.searchsorted(storage.column(rest, "user"), end))
        yield rest.slice(0, n_rows)
        rest = rest.slice(n_rows)
    if len(rest):
        raise ArtefactError("contains positions of users without counts", where=path, remedy=DELETE)


def write_cells(
    files: Mapping[str, Sequence[str]], schema: pa.Schema, found: Iterable[tuple[Cell, Sequence[NDArray[Any]]]]
) -> None:
    """Write the results of cells to tables.

    Parameters
    ----------
    files
        The names of the results' columns in each file; there may be fewer columns than names.
    schema
        The schema of the other columns.
    found
        Each cell with an array for each file, all of shape (n_groups, n_users, n_columns).
    """
    with ExitStack() as held:
        appends = [held.enter_context(storage.append_rows(path, schema)) for path in files]
        for batch in _batch_cells(found):
            cells = [cell for cell, _ in batch]
            shapes = [values[0].shape for _, values in batch]
            heads = cell_columns(cells, [n_users for _, n_users, _ in shapes], [n_groups for n_groups, _, _ in shapes])
            for nth, (append, names) in enumerate(zip(appends, files.values(), strict=True)):
                table = np.concatenate([values[nth].reshape(-1, values[nth].shape[-1]) for _, values in batch])
                append({**heads, **dict(zip(names, table.T, strict=False))})


_Measured = tuple[Cell, Sequence[NDArray[Any]]]


def _batch_cells(found: Iterable[_Measured]) -> Iterator[list[_Measured]]:
    """Collect cells into row groups, so that many small rankings share one row group."""
    batch: list[_Measured] = []
    n_rows = 0
    for cell, values in found:
        rows = len(values[0]) * values[0].shape[1]
        if batch and n_rows + rows > storage.ROWS:
            yield batch
            batch, n_rows = [], 0
        batch.append((cell, values))
        n_rows += rows
    yield batch


def cell_columns(cells: Sequence[Cell], n_users: Sequence[int], n_groups: Sequence[int] | None = None) -> dict[str, Any]:
    """Return the columns of `CELL`, with each cell repeated for the users in each of its groups (by default, one group)."""
    shapes = list(zip(n_groups or [1] * len(cells), n_users, strict=True))
    rows = pa.array(np.repeat(np.arange(len(cells)), [groups * users for groups, users in shapes]))
    # Encode names before repeating them, because they are long and there are many users.
    return {
        "ranking": pa.array([cell.ranking for cell in cells]).dictionary_encode().take(rows),
        "view": pa.array([cell.view for cell in cells]).dictionary_encode().take(rows),
        "relevance": pa.array([cell.relevance for cell in cells], type=pa.float64()).take(rows),
        "user": np.concatenate([np.tile(np.arange(users, dtype=np.int32), groups) for groups, users in shapes]),
    }
