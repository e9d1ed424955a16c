"""Measures: the value of each metric for each user's ranking."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from recsens.arrays import Floats
from recsens.comparison.users import Population, Users
from recsens.errors import DesignError, check_word
from recsens.files.scale import Scale
from recsens.metrics import Catalogue, Judged, ListMetric, Lists, MeasuredAt, Metric, Moments, parse_measured_at
from recsens.notebook.arguments import one_blas_thread, refuse_conflicts
from recsens.notebook.folds import Side, TrainTest
from recsens.notebook.models import Model
from recsens.notebook.rankings import UserRankings, threshold_for
from recsens.notebook.ratings import Ratings
from recsens.notebook.shown_tables import sample_of, users_frame
from recsens.outcomes.measuring.own_positions import measure as measure_arrays
from recsens.outcomes.measuring.own_positions import metrics_asked
from recsens.outcomes.measuring.stored_measures import Measured
from recsens.outcomes.measuring.stored_rankings import Cell, RankedUsers, count_columns, population_of, user_counts
from recsens.outcomes.panels import FoldMeasures
from recsens.outcomes.shared_panels import FoldFrame
from recsens.pipeline.measuring import MetricTask, columns_by_name, pooled_values, values_at_cutoffs
from recsens.plugins.specs import Spec
from recsens.ranking.targets import Targets
from recsens.report.html.plots import shares
from recsens.report.html.templates import cell
from recsens.study.carried import check_features
from recsens.study.design import Design
from recsens.vocabulary import Role, View

if TYPE_CHECKING:
    from recsens.report.html.picture import Picture


@dataclass(frozen=True, eq=False)
class Measures(Mapping[str, Floats]):
    """The users' values for one ranking, by metric: ``measures["nDCG@10"]`` has shape (n_users,), in the order of `users`.

    The values cover all users; `summarise` and `compare` later choose which users are averaged. A metric with one value for all
    users together has no values for single users, and is not a key of this mapping.

    Attributes
    ----------
    ranking
        The rankings that were measured.
    design
        Every decision made so far.
    asked
        The metrics, by short name.
    """

    ranking: UserRankings
    design: Design
    asked: Mapping[str, MeasuredAt]

    def __getitem__(self, metric: str) -> Floats:
        measured = self.measured(metric)
        if measured.metric.unit == "pooled":
            raise DesignError(
                f"'{metric}' has one value for all users together, not one per user",
                remedy="use recsens.summarise(...), which returns it",
            )
        of_users = FoldMeasures.of(
            self._values_by_metric[measured.metric.spec.slug][f"@{measured.cutoff}"],
            self.ranked.weights,
            np.ones(self.ranked.n_users, dtype=np.bool_),
            self.population,
            self.ranked.cover(self.design.view, self.judged, ()),
        )
        values = of_users.values.view()  # noqa: PD011 - no frame
        # Make the values read-only: a mean of values that were changed by hand would still have the metric's name.
        values.flags.writeable = False
        return values

    def __iter__(self) -> Iterator[str]:
        return (name for name, measured in self.asked.items() if measured.metric.unit == "user")

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, metric: object) -> bool:
        return metric in list(self)

    def __repr__(self) -> str:
        return f"<{', '.join(self.asked)} of {self.ranking!r}>"

    def _repr_html_(self) -> str:
        said = "Values of all users; summarise and compare choose which users are averaged."
        return cell(re.sub("[<>]", "", repr(self)), said=[said], tables=[sample_of(self.frame)])

    def plot(self) -> Picture:
        """For each metric, draw the share of all users with a value of at least x."""
        return shares(f"Users by value: {self.ranking.model.recommender.spec}", dict(self))

    @property
    def users(self) -> pd.DataFrame:
        """Each user's counts: train, test, relevant and listed items."""
        population = self.population
        counts = {name: getattr(population, name) for name in ("train", "test", "relevant", "listed")}
        return users_frame(counts, self.ranking.model.fold.ratings.interactions)

    @property
    def frame(self) -> pd.DataFrame:
        """One row per user: the value of each metric, and the counts that determine whether the user is averaged."""
        values = users_frame(dict(self), self.ranking.model.fold.ratings.interactions)
        return pd.concat([values, self.users], axis=1)

    @property
    def ranked(self) -> RankedUsers:
        """The judged items' positions in the full rankings."""
        return self.ranking.judged

    @cached_property
    def judged(self) -> Judged:
        """The judged positions under the view and the relevance threshold."""
        return self.ranked.judged(self.design.view, self.design.relevance)

    @cached_property
    def population(self) -> Population:
        """The counts of each user on which the selection of users (B1) depends."""
        return population_of(self.ranked, self.judged)

    def measured(self, metric: str) -> MeasuredAt:
        """Return a measured metric by name.

        Raises
        ------
        KeyError
            If this metric was not measured.
        """
        if metric in self.asked:
            return self.asked[metric]
        [parsed, *_] = parse_measured_at(metric)
        if parsed.short not in self.asked:
            raise KeyError(f"'{metric}' was not measured; measured: {', '.join(self.asked)}")
        return self.asked[parsed.short]

    def frame_of(self, users: Spec) -> FoldFrame:
        """Return the measures and counts of the users, of whom a selection (B1) admits some."""
        cell = Cell("", self.design.view, self.design.relevance)
        depths = sorted({each.cutoff for each in self.asked.values() if not each.is_whole})
        counts = user_counts(cell.view, self.ranked, self.judged, depths)

        @cache
        def columns(slug: str) -> dict[Cell, dict[str, Floats]]:
            if slug in self._values_by_metric:
                return {cell: self._values_by_metric[slug]}
            task = replace(self._tasks[slug], selections=[str(users)])
            with one_blas_thread():
                pooled = pooled_values(task, self.ranked, self.judged, self._lists_for(task.metric))
            return {cell: columns_by_name(task.columns, pooled)}

        return FoldFrame.read(Measured({cell: columns_by_name(count_columns(depths), counts)}, columns), cell, users, depths)

    @cached_property
    def _tasks(self) -> dict[str, MetricTask]:
        """The metrics with all their cut-offs, by slug."""
        cutoffs: dict[str, dict[int, None]] = {}
        for measured in self.asked.values():
            cutoffs.setdefault(measured.metric.spec.slug, {})[measured.cutoff] = None
        metrics = {measured.metric.spec.slug: measured.metric for measured in self.asked.values()}
        return {slug: MetricTask(metric, tuple(cutoffs[slug])) for slug, metric in metrics.items()}

    @cached_property
    def _values_by_metric(self) -> dict[str, dict[str, Floats]]:
        """Values of each metric with one value per user, shape (n_groups, n_users), by slug and column."""
        values = {}
        for slug, task in self._tasks.items():
            if task.metric.unit == "user":
                with one_blas_thread():
                    measured = values_at_cutoffs(task.metric, self.judged, self._lists_for(task.metric), task.cutoffs)
                values[slug] = columns_by_name([f"@{cutoff}" for cutoff in task.cutoffs], self.ranked.grouped(measured))
        return values

    def _lists_for(self, metric: Metric) -> Lists | None:
        return self._lists if isinstance(metric, ListMetric) else None

    @cached_property
    def _lists(self) -> Lists:
        """The lists of all users: the top of each ranking or, in the condensed view, the ranking's judged items in order."""
        fold, judged = self.ranking.model.fold, self.judged
        train, columns = fold.train.interactions, fold.ratings.item_columns
        everything, is_test = fold.ratings.interactions, fold.roles == Role.TEST
        time = everything.timestamp
        shape = train.n_users, train.n_items
        moments = None if time is None else Moments.of(everything.user, everything.item, time, is_test, shape)
        catalogue = Catalogue(train.user, train.item, *shape, columns, moments)
        users = np.arange(judged.n_users)
        if self.design.view == "condensed":
            assert judged.item is not None
            return Lists(judged.item[judged.order], judged.order_starts, catalogue, users)
        tops = self.ranking.arrays.lists
        lengths = np.bincount(tops["user"], minlength=judged.n_users)
        return Lists(tops["item"], np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), catalogue, users)


@overload
def measure(
    positions: UserRankings, metrics: str | Iterable[str], *, relevance: float | None = None, view: View = "full"
) -> Measures: ...


@overload
def measure(
    positions: Any,
    metrics: str | Iterable[str],
    *,
    ranked: int | Sequence[int] | NDArray[Any] | None = None,
    scale: Scale | tuple[float, float] | None = None,
    relevance: float | None = None,
    view: View = "full",
) -> dict[str, Floats]: ...


def measure(
    positions: Any,
    metrics: str | Iterable[str],
    *,
    ranked: int | Sequence[int] | NDArray[Any] | None = None,
    scale: Scale | tuple[float, float] | None = None,
    relevance: float | None = None,
    view: View = "full",
) -> Measures | dict[str, Floats]:
    """Measure rankings made by `rank`, or judged positions of your own (`recsens.outcomes.measuring.own_positions`).

    Parameters
    ----------
    positions
        The result of `rank`, or judged positions: the columns user, position and rating as a frame, a mapping or a tuple of arrays,
        or the path of a study's ``positions.parquet``.
    metrics
        Names of metrics, such as ``["nDCG@10", "P@5,10", "AP"]``.
    ranked, scale
        Only for your own positions: the number of items ranked for each user, and the rating scale. Rankings contain both.
    relevance
        Lowest relevant rating; by default, the threshold with which the rankings were made, or the scale's default.
    view
        Full rankings, or rankings condensed to the judged items.

    Returns
    -------
    Measures or dict
        Each user's values by metric, with the counts that determine which users are averaged. For your own positions, the result is
        a mapping from metrics to arrays.

    Raises
    ------
    SpecError
        If there is no such metric; the message suggests the nearest name.
    DesignError
        If a metric is meaningless for these rankings, or needs data that they do not contain.
    DataError
        If your own positions are inconsistent.

    Examples
    --------
    >>> values = measure(([0, 0, 1], [2, 0, 1], [5, 4, 1]), ["RR", "P@1,2"], ranked=3)
    >>> {name: of_users.tolist() for name, of_users in values.items()}
    {'RR': [0.5, 0.0], 'P@1': [0.0, 0.0], 'P@2': [0.5, 0.0]}
    """
    if not isinstance(positions, UserRankings):
        _refuse_what_is_no_ranking(positions)
        return measure_arrays(positions, metrics, ranked=ranked, scale=scale, relevance=relevance, view=view)
    for name, argument in (("ranked", ranked), ("scale", scale)):
        if argument is not None:
            raise DesignError(f"{name} = {argument!r} is given, but the rankings already contain it", remedy=f"leave {name} out")
    check_word("view", view, View)
    parsed = metrics_asked(metrics)
    design = positions.design.replaced(view=view, relevance=_threshold(positions, relevance))
    measures = Measures(positions, design, parsed)
    _refuse_what_cannot_be_measured(measures)
    return measures


def _refuse_what_is_no_ranking(positions: object) -> None:
    if isinstance(positions, tuple | list) and any(isinstance(item, UserRankings) for item in positions):
        raise DesignError(
            f"{len(positions)} rankings in a {type(positions).__name__}",
            allowed="one ranking per call",
            remedy="measure each one: [recsens.measure(ranking, ...) for ranking in rankings]",
        )
    if isinstance(positions, Model | TrainTest | Side | Ratings):
        raise DesignError(
            f"the rankings are of type {type(positions).__name__}, not UserRankings",
            remedy="make one with recsens.rank(model, test)",
        )


def _threshold(ranking: UserRankings, relevance: float | None) -> float | None:
    """Return the metrics' relevance threshold as a design stores it: None for the scale's default."""
    if relevance is None:
        return ranking.design.relevance
    relevance = threshold_for(relevance, ranking.model.fold.ratings.interactions)
    if relevance == ranking.design.relevance:
        return relevance
    targets = Targets.build(ranking.design.targets)
    if targets.uses_relevance:
        raise DesignError(
            f"targets '{targets.spec}' were chosen with a relevance threshold other than {relevance:g}",
            remedy=f"rank again: recsens.rank(..., relevance={relevance:g})",
        )
    return relevance


def _refuse_what_cannot_be_measured(measures: Measures) -> None:
    # The users to average are chosen later; the selection here is compatible with any split and fallback.
    undecided = measures.design.replaced(users=Users.build("with_ratings(train=0,test=1)").spec)
    refuse_conflicts(
        undecided, {str(measures.ranking.model.recommender.spec): measures.ranking.model.recommender}, measures.asked.values()
    )
    fold = measures.ranking.model.fold
    for measured in measures.asked.values():
        if isinstance(measured.metric, ListMetric):
            check_features(list(fold.ratings.item_columns), measured.metric.item_columns, str(fold.ratings.component.spec))
            depth = measures.ranking.list_depth
            if measured.cutoff > depth:
                raise DesignError(
                    f"'{measured.short}' needs longer lists than those stored",
                    allowed=f"cut-offs up to {depth}",
                    remedy=f"rank with list_depth={measured.cutoff} or more",
                )
