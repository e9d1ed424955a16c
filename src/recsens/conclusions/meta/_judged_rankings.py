"""The board: the judged rankings of all systems on one test set, and the pairs and values that analyses of metrics compare.

Rankings can be measured on all test ratings or on a part of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Bools, Floats, Ids, Ints
from recsens.comparison.aggregation import Aggregate, UserMeasures, counted
from recsens.comparison.significance import SignificanceTest
from recsens.comparison.users import Population, Users
from recsens.errors import ArtefactError, SpecError
from recsens.files.scale import Scale
from recsens.metrics import Judged, ListMetric, Lists, MeasuredAt, Memo, by_metric
from recsens.outcomes.measuring.stored_rankings import RankedUsers, check_threshold, population_of
from recsens.outcomes.paired import Paired
from recsens.outcomes.panels import FoldMeasures, Panel, SystemMeasures
from recsens.outcomes.rounding import rounded
from recsens.plugins.frozen import Frozen, frozen_property
from recsens.plugins.specs import Spec
from recsens.recommenders import progress
from recsens.seeds import Stream
from recsens.study import MetricAnalysisTask
from recsens.vocabulary import Coverage, Reading


@dataclass(frozen=True)
class Rules(Frozen):
    """The decisions that are made after ranking.

    Attributes
    ----------
    view, relevance
        The view (C1), and the lowest relevant rating (None for the default of the scale).
    users, coverage
        The selection of users (B1) and the coverage (C4); together they determine which users are averaged.
    aggregate
        The aggregate (C3): how users are averaged.
    """

    view: Reading
    relevance: float | None
    users: Users
    coverage: Coverage
    aggregate: Aggregate


@dataclass(frozen=True)
class Board(Frozen):
    """The judged rankings of several systems on one test set. Each row is a test rating; the rows are the same for every system.

    Attributes
    ----------
    systems
        Labels, in the order of the study.
    user, item, rating
        User, item and rating of each row, shape (n,); users are ascending.
    position
        Position of each row's item in each system's ranking, counted from 1, or 0 if the item is not ranked; shape (n_systems, n),
        int32.
    score
        Each system's score of each row's item, shape (n_systems, n); NaN if the system did not score the item. None if no metric
        reads scores.
    ranked
        Number of items in each user's full ranking by each system, shape (n_systems, n_users).
    train
        Number of each user's train ratings, shape (n_users,).
    item_train
        Number of each item's train ratings, shape (n_items,); None if the numbers are unknown, as for runs of other programs.
    scale, rules
        The rating scale, and the decisions after ranking.
    user_columns
        The columns of the user table that the aggregate reads.
    targets
        Number of each user's targets, ranked or not, shape (n_systems, n_users); None if all targets are ranked.
    is_target
        Whether each row is a target of its user, ranked or not, shape (n_systems, n); None if all targets are ranked.
    lists
        The top of each system's full rankings; empty if no metric reads lists.
    by_rating
        Under 1R, each system's rankings, one for each row; empty if each user has one ranking.
    """

    systems: tuple[str, ...]
    user: Ids
    item: Ids
    rating: Floats
    position: Ids
    score: Floats | None
    ranked: Ints
    train: Ints
    item_train: Ints | None
    scale: Scale
    rules: Rules
    user_columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    targets: Ints | None = None
    is_target: Bools | None = None
    lists: tuple[Lists, ...] = ()
    by_rating: tuple[RankedUsers, ...] = ()

    @classmethod
    def of(
        cls,
        systems: Mapping[str, RankedUsers],
        item_train: Ints,
        rules: Rules,
        user_columns: Mapping[str, NDArray[Any]],
        lists: Sequence[Lists] = (),
    ) -> Board:
        """Join the rankings of several systems; ``systems`` maps their labels to rankings, and ``lists`` has them in this order.

        Raises DesignError if no rating reaches the threshold of relevance.
        Raises ArtefactError if the rankings have different test sets.
        """
        rankings = list(systems.values())
        first = rankings[0]
        for label, ranking in systems.items():
            alike = ranking.item is not None and first.item is not None and np.array_equal(ranking.item, first.item)
            if not (
                alike and np.array_equal(ranking.user, first.user) and np.array_equal(ranking.rating, first.rating, equal_nan=True)
            ):
                raise ArtefactError(
                    f"the rankings of '{label}' have a different test set than the rankings of the other systems",
                    remedy="run again",
                )
        if rules.relevance is not None and not np.isnan(first.rating).all():
            check_threshold(rules.relevance, first.scale)
        assert first.item is not None
        scored = all(ranking.score is not None for ranking in rankings)
        return cls(
            systems=tuple(systems),
            user=first.user,
            item=first.item,
            rating=first.rating,
            position=np.stack([ranking.position.astype(np.int32) for ranking in rankings]),
            score=np.stack([ranking.score for ranking in rankings if ranking.score is not None]) if scored else None,
            ranked=np.stack([ranking.counts["scored"] for ranking in rankings]),
            train=first.counts["train"],
            item_train=item_train,
            scale=first.scale,
            rules=rules,
            user_columns=user_columns,
            targets=np.stack([ranking.counts["targets"] for ranking in rankings]),
            is_target=np.stack([ranking.position > 0 if ranking.is_target is None else ranking.is_target for ranking in rankings]),
            lists=tuple(lists),
            by_rating=() if first.by_rating is None else tuple(rankings),
        )

    @property
    def n_users(self) -> int:
        """Number of users, with or without judged items."""
        return int(self.ranked.shape[1])

    @property
    def n_items(self) -> int:
        """Number of items, without those that occur only in other programs' runs."""
        return int(self.item.max(initial=-1)) + 1 if self.item_train is None else len(self.item_train)

    @property
    def relevance(self) -> float:
        """The lowest rating that counts as relevant."""
        return self.scale.threshold(self.rules.relevance)

    @frozen_property
    def is_relevant(self) -> Bools:
        """Whether each row is relevant, shape (n,)."""
        return np.isnan(self.rating) | (self.rating >= self.relevance)

    def judged(self, system: int, kept: Bools | None = None, memo: Memo | None = None) -> Judged:
        """Return one system's judged items; with a mask ``kept``, rows outside the mask count as absent from the test set.

        ``memo`` holds results that all systems share under the same mask.
        """
        memo = memo or Memo()
        order, parts = self._sorted_rows[system]
        # Use row numbers, because numpy would search a mask again for each array.
        rows = slice(None) if kept is None else np.flatnonzero(kept[order])
        rating, position, score = (None if part is None else part[rows] for part in parts)
        assert position is not None
        assert rating is not None
        return Judged.of(
            user=memo.once("user", lambda: self.user if kept is None else self.user[kept]),
            position=position,
            rating=rating,
            targets_ranked=self.ranked[system],
            view=self.rules.view,
            scale=self.scale,
            relevance=self.relevance,
            score=score,
            item=self.item[order][rows],
            known=memo,
        )

    @cached_property
    def _sorted_rows(self) -> list[tuple[Ints, tuple[NDArray[Any] | None, ...]]]:
        """Each system's rows, sorted by user and then by position. Any subset of these rows is sorted too."""
        orders = [np.lexsort((self.item, position, self.user)) for position in self.position]
        scores: Sequence[Floats | None] = [None] * len(orders) if self.score is None else [*self.score]
        return [
            (order, (self.rating[order], position[order].astype(np.int64), None if score is None else score[order]))
            for order, position, score in zip(orders, self.position, scores, strict=True)
        ]

    def population(self, judged: Judged) -> Population:
        """Return the counts on which a selection of users (B1) depends."""
        return Population(train=self.train, test=judged.n_judged, relevant=judged.n_relevant, listed=judged.listed)

    @frozen_property
    def admitted(self) -> Bools:
        """Whether B1 admits each user for each system on the whole test set, shape (n_systems, n_users)."""
        return np.stack([self.rules.users.admit(self.population(self.judged(system))) for system in range(len(self.systems))])

    def values(self, metrics: Sequence[MeasuredAt], system: int, kept: Bools | None = None) -> tuple[Floats, Judged]:
        """Measure all users for one system, shape (n_metrics, n_users). All cut-offs of a metric are computed in one pass."""
        judged = self.judged(system, kept)
        values = np.empty((len(metrics), self.n_users))
        self._measure(metrics, self.lists_of(system, judged), judged, values)
        return values, judged

    def counts(self, system: int, judged: Judged, *, skip_emptied: bool = False) -> Bools:
        """Return whether each user counts for a system (see `panel`), shape (n_users,)."""
        users = counted(self.admitted[system], judged.listed, self.rules.coverage)
        return users & (judged.n_relevant > 0) if skip_emptied else users

    def panel(self, metrics: Sequence[MeasuredAt], kept: Bools | None = None, *, skip_emptied: bool = False) -> list[UserMeasures]:
        """Measure every system; return, for each metric, the data that an aggregate averages.

        B1 admits users by the whole test set, and coverage is computed on the part that ``kept`` selects. A user who loses all
        relevant ratings gets the metric's value for users without relevant ratings, which is mostly 0; with ``skip_emptied``, such
        a user is left out. Under 1R, a user's value is the mean over the user's rankings, as in `FoldMeasures.of`, and no row can
        be left out, because every ranking's targets depend on the whole test set.
        """
        if self.by_rating:
            return self._panel_of_ratings(metrics)
        values = np.empty((len(metrics), len(self.systems), self.n_users))
        counts = np.empty((len(self.systems), self.n_users), dtype=np.bool_)
        population, memo = None, Memo()
        for system in range(len(self.systems)):
            judged = self.judged(system, kept, memo)
            self._measure(metrics, self.lists_of(system, judged), judged, values[:, system])
            population = population or self.population(judged)
            counts[system] = self.counts(system, judged, skip_emptied=skip_emptied)
        assert population is not None
        users = {
            **self.user_columns,
            **{name: getattr(population, name).astype(np.float64) for name in ("train", "test", "relevant")},
        }
        return [
            UserMeasures(self.systems, of_metric, counts & ~np.isnan(of_metric), np.ones(self.n_users), users)
            for of_metric in values
        ]

    def _panel_of_ratings(self, metrics: Sequence[MeasuredAt]) -> list[UserMeasures]:
        of_systems = []
        for ranked in self.by_rating:
            judged = ranked.judged(self.rules.view, self.rules.relevance)
            known, cover = population_of(ranked, judged), ranked.cover(self.rules.view, judged, ())
            admitted, values = self.rules.users.admit(known), np.empty((len(metrics), len(judged.listed)))
            for metric, rows in by_metric(metrics):
                values[rows] = metric.measure(judged, tuple(metrics[row].cutoff for row in rows)).T
            means = ranked.grouped(values.T)
            each = (FoldMeasures.of(means[..., row], ranked.weights, admitted, known, cover) for row in range(len(metrics)))
            of_systems.append([SystemMeasures((fold,)) for fold in each])
        panels = (dict(zip(self.systems, of_metric, strict=True)) for of_metric in zip(*of_systems, strict=True))
        return [Panel(panel, "rating", self.rules.coverage, self.user_columns).by_fold[0] for panel in panels]

    def totals(self, metrics: Sequence[MeasuredAt], kept: Bools | None = None, *, skip_emptied: bool = False) -> Floats:
        """Return each system's value on each metric, shape (n_metrics, n_systems), rounded to remove floating-point noise.

        A pooled metric measures the users that count, together.
        """
        values = np.empty((len(metrics), len(self.systems)))
        by_user = [row for row, measured in enumerate(metrics) if measured.metric.unit == "user"]
        if by_user:
            panel = self.panel([metrics[row] for row in by_user], kept, skip_emptied=skip_emptied)
            values[by_user] = [self.rules.aggregate.aggregate(scores) for scores in panel]
        pooled = [row for row, measured in enumerate(metrics) if measured.metric.unit == "pooled"]
        for system in range(len(self.systems)) if pooled else ():
            judged = self.judged(system, kept)
            users, lists = self.counts(system, judged, skip_emptied=skip_emptied), self.lists_of(system, judged)
            found = np.empty((len(pooled), 1))
            self._measure([metrics[row] for row in pooled], lists and lists.of_users(users), judged.of_users(users), found)
            values[pooled, system] = found[:, 0]
        return rounded(values)

    def _measure(self, metrics: Sequence[MeasuredAt], lists: Lists | None, judged: Judged, values: Floats) -> None:
        """Fill ``values``, shape (n_metrics, n_users), or (n_metrics, 1) if the metrics are pooled."""
        for metric, rows in by_metric(metrics):
            cutoffs = tuple(metrics[row].cutoff for row in rows)
            if isinstance(metric, ListMetric) and lists is not None:
                values[rows] = metric.measure_lists(lists, judged, cutoffs).T
            else:
                values[rows] = metric.measure(judged, cutoffs).T

    def lists_of(self, system: int, judged: Judged) -> Lists | None:
        """Return a system's lists: the top of its rankings or, in the condensed view, the judged items; None if unknown."""
        top = self.lists[system] if self.lists else None
        if top is None or self.rules.view != "condensed":
            return top
        assert judged.item is not None
        return replace(top, item=judged.item[judged.order], starts=judged.order_starts)


def check_gives_p(spec: Spec) -> Spec:
    """Check a test that is a parameter of an analysis: refuse a test without a p-value."""
    test = SignificanceTest.build(spec)
    if test.answer != "p":
        raise ValueError(f"'{spec}' gives a share of subsets instead of a p-value; name the test that it repeats")
    return spec


def check_pairs(asked: MetricAnalysisTask) -> None:
    """Raise SpecError if there are fewer than two systems to compare."""
    if not asked.pairs:
        raise SpecError("there is no pair of systems to compare", allowed="two systems or more")


def values_to_compare(board: Board, metrics: Sequence[MeasuredAt], what: str) -> Iterator[tuple[MeasuredAt, UserMeasures, Paired]]:
    """Yield each metric, all systems' values, and the data that the test compares; ``what`` names this work in the log."""
    aggregate = board.rules.aggregate
    groups = [rows for _, rows in by_metric(metrics)]
    # Measure one metric at a time, with all its cut-offs: the cut-offs share a pass, and only one metric is in memory.
    panels = (scores for rows in groups for scores in board.panel([metrics[row] for row in rows]))
    for row, scores in zip(progress([row for rows in groups for row in rows], what), panels, strict=True):
        yield metrics[row], scores, Paired.of(scores, aggregate.tested(scores), aggregate)


def swaps_of(n_users: int, stream: Stream, samples: Iterable[int]) -> NDArray[np.int8]:
    """Toss a coin for each user in each sample: -1 swaps the user's values."""
    users = np.arange(n_users)
    # Use the highest bit of a hash as the coin.
    tossed = [stream.hashes(sample, users) >> np.uint64(63) for sample in samples]
    return 1 - 2 * np.stack(tossed).astype(np.int8)


def board_rows(board: Board, pairs: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """Return the indices of each pair's systems on the board."""
    number = {label: nth for nth, label in enumerate(board.systems)}
    return [(number[a], number[b]) for a, b in pairs]
