"""From users' measures to outcomes: each system's value, the users averaged, and comparisons of systems."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from recsens.comparison.aggregation import Aggregate
from recsens.comparison.significance import SignificanceTest
from recsens.comparison.users import Users
from recsens.errors import DesignError, check_word
from recsens.metrics import MeasuredAt
from recsens.notebook.arguments import one_blas_thread, read_component, refuse_conflicts, refuse_other
from recsens.notebook.compared import Compared, Summarised
from recsens.notebook.evaluations import Evaluations, compare_each_fold, compare_evaluations
from recsens.notebook.measures import Measures
from recsens.outcomes.counting import count_users
from recsens.outcomes.panels import Panel, PooledPanel
from recsens.outcomes.shared_panels import FoldFrame, panel_of
from recsens.outcomes.summary import aggregate_panel, compare_panel, comparison_columns, hypothesis, system_columns, value_columns
from recsens.plugins.specs import Spec
from recsens.report.alerts import design_warning
from recsens.runs.evaluation import Evaluation
from recsens.study.design import Design
from recsens.vocabulary import Correction, Coverage

log = logging.getLogger(__name__)

Folds = Measures | Sequence[Measures]
"""The measures of a system on one fold, or on several folds of one split."""

_MAKER = "recsens.measure(recsens.rank(...), ...)"


def summarise(
    systems: Folds | Mapping[str, Folds],
    *,
    users: str | Users = "with_ratings",
    aggregate: str | Aggregate = "mean",
    coverage: Coverage = "full",
) -> pd.DataFrame:
    """Return each system's value by each metric, the users averaged and the coverage, as in a study's summary.

    Parameters
    ----------
    systems
        The result of `measure`; for several folds, a list of results; for several systems, a mapping from labels to results or
        lists of results.
    users, aggregate, coverage
        As in a study: which users are averaged (B1), how they are averaged (C3), and whether users without a ranking count as zero
        (C4).

    Returns
    -------
    pandas.DataFrame
        One row per system and metric, indexed by both. ``value`` is the mean over folds, and ``spread`` the standard deviation over
        folds. ``n_users`` is the number of users averaged, and ``effective_users`` the number of equally weighted users who would
        be as informative. ``full`` and ``reduced`` are the averages under full and reduced coverage. Further columns are the
        covered shares and all decisions. ``seed`` is the seed of the split, and ``fit_seed`` is the seed of `fit`.

    Raises
    ------
    SpecError
        If there is no such component; the message suggests the nearest name.
    DesignError
        If decisions exclude each other, if systems were measured differently, if a list mixes systems, or if no user is averaged.
    """
    inputs = _MeasuredSystems(systems, {"users": users, "aggregate": aggregate, "coverage": coverage})
    inputs.warn_of_unscorable()
    rows = []
    for measured, panel in inputs.panels():
        with one_blas_thread():
            values = value_columns(panel, inputs.design, measured)
        for label, columns in zip(inputs.systems, values, strict=True):
            head = {"system": label, "metric": measured.short}
            rows.append({**head, **columns, "definition": str(measured), **inputs.decisions(label)})
    return Summarised(pd.DataFrame(rows).set_index(["system", "metric"]))


def counted(
    systems: Folds | Mapping[str, Folds], *, users: str | Users = "with_ratings", aggregate: str | Aggregate = "mean"
) -> pd.DataFrame:
    """For each fold, count averaged users, averaged users who can score, and test ratings of users who are not averaged.

    Parameters
    ----------
    systems, users, aggregate
        As in `summarise`.

    Returns
    -------
    pandas.DataFrame
        One row per system and fold, indexed by both, with the columns of a study's ``counted.csv``.

    Raises
    ------
    DesignError
        In the same cases as `summarise`.
    """
    return _MeasuredSystems(systems, {"users": users, "aggregate": aggregate}).counted


def compare(
    a: Folds | Evaluation | Evaluations,
    b: Folds | Evaluation | Evaluations,
    *,
    test: str | SignificanceTest = "t",
    users: str | Users = "with_ratings",
    aggregate: str | Aggregate = "mean",
    coverage: Coverage = "full",
) -> pd.DataFrame:
    """Compare two systems by every metric, over the users who count for both.

    Parameters
    ----------
    a, b
        The result of `measure` for each system; for several folds, lists of results. Or two results of `evaluate`, which may be
        results for each fold.
    test
        As in a study (D).
    users, aggregate, coverage
        As in `summarise`; for two results of `evaluate`, their settings determine these.

    Returns
    -------
    pandas.DataFrame
        One row per metric (and per fold if evaluations have several folds), indexed by these. The columns are the values of both
        systems, the difference a - b with its interval (``low``, ``high``), the effect size, the p-value with its null hypothesis
        (``hypothesis``), and the number of users compared. A metric with one value for all users together has no p-value.
        ``fit_seed_a`` and ``fit_seed_b`` are the seeds of fitting.

    Raises
    ------
    SpecError
        If there is no such component; the message suggests the nearest name.
    DesignError
        If decisions exclude each other, or the systems were not measured in the same way.
    """
    decisions = {"test": test, "users": users, "aggregate": aggregate, "coverage": coverage}
    if isinstance(a, Evaluation | Evaluations) or isinstance(b, Evaluation | Evaluations):
        _refuse_decided_by_settings(decisions)
        compared = compare_each_fold if isinstance(a, Evaluations) or isinstance(b, Evaluations) else compare_evaluations
        return compared(a, b, read_component("test", test, SignificanceTest.build))
    inputs = _MeasuredSystems({"a": a, "b": b}, decisions)
    _refuse_pooled(inputs.design.aggregate)
    table = _compare_pairs(inputs)
    return Compared(table.drop(columns=["system_a", "system_b", "p_adjusted"]).set_index("metric"))


def _refuse_decided_by_settings(decisions: Mapping[str, Any]) -> None:
    for name, usual in (("users", "with_ratings"), ("aggregate", "mean"), ("coverage", "full")):
        if decisions[name] != usual:
            raise DesignError(
                f"{name} = {decisions[name]!r} is given, but the settings of the two evaluations decide which users are averaged",
                remedy=f"leave {name} out, and choose no_relevant=, no_list= in recsens.evaluate(...)",
            )


def _refuse_pooled(aggregate: Spec) -> None:
    """Refuse an aggregate that depends on all systems of a study, because the values of two systems alone would be different."""
    if Aggregate.build(aggregate).pools_systems:
        raise DesignError(
            f"aggregate '{aggregate}' depends on all systems measured, so two of them alone would give different numbers",
            remedy="compare all systems at once: recsens.compare_all({'kNN': ..., 'MF': ..., 'Popularity': ...})",
        )


def compare_all(
    systems: Mapping[str, Folds],
    *,
    test: str | SignificanceTest = "t",
    correction: Correction = "none",
    users: str | Users = "with_ratings",
    aggregate: str | Aggregate = "mean",
    coverage: Coverage = "full",
) -> pd.DataFrame:
    """Compare every pair of systems by every metric, each pair over the users who count for both systems.

    Parameters
    ----------
    systems
        The result of `measure`, by label; for several folds, lists of results.
    test, users, aggregate, coverage
        As in `compare`.
    correction
        As in a study: how the p-values of all pairs by one metric are adjusted for the number of pairs.

    Returns
    -------
    pandas.DataFrame
        One row per pair and metric, indexed by them, with the columns of `compare` and ``p_adjusted``.

    Raises
    ------
    SpecError
        If there is no such component; the message suggests the nearest name.
    DesignError
        In the same cases as `compare`, or if there are fewer than two systems.
    """
    decisions = {"test": test, "users": users, "aggregate": aggregate, "coverage": coverage, "correction": correction}
    table = _compare_pairs(_MeasuredSystems(systems, decisions))
    return Compared(table.set_index(["system_a", "system_b", "metric"]))


def _compare_pairs(inputs: _MeasuredSystems) -> pd.DataFrame:
    labels = list(inputs.systems)
    pairs = [(a, b) for a in range(len(labels)) for b in range(a + 1, len(labels))]
    if not pairs:
        raise DesignError(f"there is nothing to compare '{labels[0]}' with", allowed="two systems or more")
    inputs.warn_of_unscorable()
    rows = []
    for measured, panel in inputs.panels():
        with one_blas_thread():
            values = aggregate_panel(panel, inputs.design)[0]
            main, _, _ = compare_panel(panel, pairs, inputs.design)
        of_pairs = comparison_columns(main, inputs.design, hypothesis(panel, inputs.design))
        for (a, b), numbers in zip(pairs, of_pairs, strict=True):
            head = {"system_a": labels[a], "system_b": labels[b], "metric": measured.short}
            both = {"value_a": float(values[a]), "value_b": float(values[b])}
            seeds = {"fit_seed_a": inputs.fit_seed(labels[a]), "fit_seed_b": inputs.fit_seed(labels[b])}
            rows.append({**head, **both, **numbers, "definition": str(measured), **inputs.design.columns(), **seeds})
    return pd.DataFrame(rows)


class _MeasuredSystems:
    """Systems measured in the same way, with the decisions about their users."""

    def __init__(self, systems: Folds | Mapping[str, Folds], decisions: Mapping[str, Any]) -> None:
        self.systems = _systems_by_label(systems)
        self.first = next(iter(self.systems.values()))[0]
        _refuse_unlike(self.systems)
        self.design = _decide_design(self.first.design, decisions)
        models = {label: folds[0].ranking.model.recommender for label, folds in self.systems.items()}
        refuse_conflicts(self.design, models, self.first.asked.values())

    @property
    def user_columns(self) -> dict[str, NDArray[Any]]:
        """Columns of the user table from which the aggregate takes users' weights."""
        aggregate = Aggregate.build(self.design.aggregate)
        table = self.first.ranking.model.fold.ratings.user_columns
        return {name: pa.array(table[name]).to_numpy(zero_copy_only=False) for name in aggregate.user_columns if name in table}

    @cached_property
    def counted(self) -> pd.DataFrame:
        """Numbers of averaged users and lost ratings, one row per system and fold."""
        rows = [
            {"system": label, "fold": fold.ranking.model.fold.name, **count_users(frame, self.design, self.user_columns)}
            for label, folds in self.systems.items()
            for fold, frame in zip(folds, self.frames[label], strict=True)
        ]
        return pd.DataFrame(rows).set_index(["system", "fold"])

    @cached_property
    def frames(self) -> dict[str, list[FoldFrame]]:
        """Measures and counts of the users of each system, fold by fold."""
        return {label: [fold.frame_of(self.design.users) for fold in folds] for label, folds in self.systems.items()}

    def warn_of_unscorable(self) -> None:
        """Warn, as a study does, if most averaged users cannot score or most ratings are lost; refuse a selection without users."""
        for label, rows in self.counted.groupby(level="system", sort=False):
            if not rows["averaged"].any():
                raise DesignError(
                    f"users '{self.design.users}' admits no user of '{label}'",
                    allowed="a selection that admits at least one user",
                    remedy="lower its numbers, or test on more ratings; recsens.counted(...) has the numbers of users",
                )
            if problem := design_warning(rows):
                log.warning("'%s': %s; users=\"with_ratings(relevant=1)\" averages only users who can score", label, problem)

    def panels(self) -> Iterator[tuple[MeasuredAt, Panel | PooledPanel]]:
        """Yield all systems' scores by each metric."""
        for measured in self.first.asked.values():
            yield measured, panel_of(self.frames, measured, self.design, self.user_columns)

    def decisions(self, label: str) -> dict[str, Any]:
        """Return the system and all decisions, as columns of a row."""
        described = system_columns(self.systems[label][0].ranking.model.recommender, self.design.split)
        return {**described, **self.design.columns(), "fit_seed": self.fit_seed(label)}

    def fit_seed(self, label: str) -> int:
        """Return the seed with which a system was fitted; the design's ``seed`` is the seed of the split."""
        return self.systems[label][0].ranking.model.seed


def _systems_by_label(systems: Folds | Mapping[str, Folds]) -> dict[str, tuple[Measures, ...]]:
    if isinstance(systems, Measures | Sequence):
        folds = _check_folds(systems)
        return {str(folds[0].ranking.model.recommender.spec): folds}
    refuse_other("the input", systems, Mapping, _MAKER)
    if not systems:
        raise DesignError("there are no systems", allowed="measures of at least one")
    return {str(label): _check_folds(folds_of_label) for label, folds_of_label in systems.items()}


def _check_folds(measures: Folds) -> tuple[Measures, ...]:
    folds = (measures,) if isinstance(measures, Measures) or not isinstance(measures, Sequence) else tuple(measures)
    if not folds:
        raise DesignError("a system has no measures", allowed="measures of at least one fold")
    for fold in folds:
        refuse_other("the input", fold, Measures, _MAKER)
    _refuse_several_systems(folds)
    return folds


def _refuse_several_systems(folds: Sequence[Measures]) -> None:
    """Refuse a list unless it contains the folds of a single system, all fitted with the same seed."""
    specs = list(dict.fromkeys(str(fold.ranking.model.recommender.spec) for fold in folds))
    if len(specs) > 1:
        raise DesignError(
            f"a list must contain the folds of one system, but this one has {', '.join(specs)}",
            allowed="measures of one system, one for each fold",
            remedy="give several systems as a mapping of labels to measures: {'a': ..., 'b': ...}",
        )
    seeds = list(dict.fromkeys(fold.ranking.model.seed for fold in folds))
    if len(seeds) > 1:
        raise DesignError(
            f"'{specs[0]}' is fitted with several seeds: {', '.join(map(str, seeds))}",
            allowed="one seed for all folds of a system",
            remedy="fit on all folds with the same seed=, or leave it out",
        )


def _refuse_unlike(systems: Mapping[str, tuple[Measures, ...]]) -> None:
    """Refuse systems unless they are measured on the same folds, by the same metrics, under the same decisions."""
    first_label, first = next(iter(systems.items()))
    names = [fold.ranking.model.fold.name for fold in first]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DesignError(
            f"the fold '{twice}' of '{first_label}' appears twice",
            allowed="each fold once",
            remedy="leave out the repeated one; give several systems as a mapping of labels to measures: {'a': ..., 'b': ...}",
        )
    for label, folds in systems.items():
        if len(folds) != len(first):
            raise DesignError(
                f"'{first_label}' is measured on {len(first)} folds and '{label}' on {len(folds)}", allowed="the same folds"
            )
        for mine, other in zip(folds, first, strict=True):
            _refuse_unlike_decisions(label, mine.design, first[0].design)
            if not mine.ranking.model.fold.is_same(other.ranking.model.fold):
                raise DesignError(
                    f"'{label}' and '{first_label}' are not measured on the same fold of the same ratings",
                    allowed="systems fitted on the same train set and ranked for the same test set",
                    remedy="split once, and fit both on the train set",
                )
            if set(mine.asked) != set(first[0].asked):
                metrics, others = ", ".join(mine.asked), ", ".join(first[0].asked)
                raise DesignError(f"'{label}' is measured by {metrics}, '{first_label}' by {others}", allowed="the same metrics")


def _refuse_unlike_decisions(label: str, mine: Design, other: Design) -> None:
    here, there = mine.columns(), other.columns()
    differing = next((name for name in here if here[name] != there[name]), None)
    if differing is not None:
        raise DesignError(
            f"'{label}' is measured with {differing}: {here[differing]}, but another system or fold with {there[differing]}",
            allowed="systems measured under the same decisions",
            remedy="split once, fit every system on that train set, and rank and measure all of them in the same way",
        )


def _decide_design(design: Design, decisions: Mapping[str, Any]) -> Design:
    """Return a design with the decisions about users and their values; components are text or objects, other options are words."""
    builders: dict[str, Any] = {"users": Users.build, "aggregate": Aggregate.build, "test": SignificanceTest.build}
    words = {"coverage": Coverage, "correction": Correction}
    chosen: dict[str, Any] = {}
    for name, option in decisions.items():
        if name in builders:
            chosen[name] = read_component(name, option, builders[name]).spec
        else:
            check_word(name, option, words[name])
            chosen[name] = option
    return design.replaced(**chosen)
