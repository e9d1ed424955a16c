"""Tuning trials: measure every candidate on validation data."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

import numpy as np

from recsens.arrays import Bools
from recsens.artefacts.folds import sides
from recsens.comparison.users.with_ratings import WithRatings
from recsens.data.interactions import Interactions
from recsens.data.splitting import Splitter
from recsens.errors import DesignError, RecsensError
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.outcomes.measuring.stored_rankings import RankedUsers, known_of
from recsens.plugins.specs import Spec
from recsens.ranking import rank
from recsens.ranking.nc.drop import Drop
from recsens.ranking.targets.all_relevant import AR
from recsens.recommenders import Candidate, Recommender, learn, progress
from recsens.recommenders.tuned import Tuned
from recsens.seeds import Stream

AVERAGED = WithRatings(train=1, test=1)
"""The users who are averaged: those with train and validation ratings."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A candidate with its value on each validation fold; a value is NaN if the metric is undefined for all users."""

    candidate: Candidate
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over the folds."""
        return fmean(self.values)


@dataclass(frozen=True)
class Trials:
    """All trials on one fold of a study.

    Attributes
    ----------
    metric
        The metric by which the best candidate is chosen.
    trials
        The trials in the order of the search.
    sizes
        Numbers of train and validation ratings in each validation fold.
    """

    metric: MeasuredAt
    trials: tuple[Trial, ...]
    sizes: tuple[tuple[int, int], ...]

    @cached_property
    def best_first(self) -> list[Trial]:
        """The trials, best mean first. Equal trials keep the order of the search; trials without a value come last."""
        sign = -1 if self.metric.metric.higher_is_better else 1
        return sorted(self.trials, key=lambda trial: (np.isnan(trial.mean), sign * trial.mean))

    @property
    def chosen(self) -> Spec:
        """The recommender with the best mean.

        Raises
        ------
        DesignError
            If no candidate has a value.
        """
        best = self.best_first[0]
        if np.isnan(best.mean):
            raise DesignError(
                f"'{self.metric}' is undefined for every user of the validation set", remedy="choose another metric or split"
            )
        return best.candidate.spec

    def record(self) -> dict[str, Any]:
        """Return the content of ``tuning.json``."""
        return {
            "metric": str(self.metric),
            "chosen": str(self.chosen),
            "folds": [{"train": train, "validation": validation} for train, validation in self.sizes],
            "trials": [
                {
                    "candidate": str(trial.candidate),
                    "spec": str(trial.candidate.spec),
                    "mean": _number(trial.mean),
                    "values": [_number(value) for value in trial.values],
                }
                for trial in self.best_first
            ],
        }


def tune(tuned: Tuned, train: Interactions, validation: Interactions | None, *, identity: str, fold: str, seed: int) -> Trials:
    """Try every candidate on validation data.

    All candidates get the same parts of the train set, and draw from the same random streams. The names of the streams come from
    the data set, recommender, split and fold. Test data are never used.

    Parameters
    ----------
    tuned
        The tuned recommender, with its search, metric and split; one that is split like the study's split is split at random.
    train, validation
        The train and validation sets of a fold of the study; the validation set is only used with ``split=validation``.
    identity, fold, seed
        The names of the data set and of the fold, and the seed of all random streams.

    Raises
    ------
    DesignError
        If a part of the train set is empty, if a candidate cannot be fitted or scored, or if the data lack what the split needs.
    """
    stream, tuned = _stream(identity, seed), tuned.within(Spec("random"))
    parts = list(_parts(tuned, train, validation, stream, fold))
    measured = parse_measured_at(tuned.metric)[0]
    tried = tuned.candidates(_draws(tuned, stream))
    trials = []
    for candidate in progress(tried, f"tuning {tuned.of.name}"):
        try:
            values = [
                _value(candidate.spec, *part, measured, fold, stream.child(tuned.stream_name, fold, part_number))
                for part_number, part in enumerate(parts)
            ]
        except RecsensError as error:
            raise error.at(f"candidate '{candidate.spec}'") from error
        trials.append(Trial(candidate, tuple(values)))
    return Trials(measured, tuple(trials), tuple((len(known), len(judged)) for known, judged in parts))


def drawn_trials(tuned: Tuned, *, identity: str, seed: int) -> list[Spec]:
    """List the candidate of every trial of a search, also those that are drawn twice, without the system as written."""
    return tuned.trials(_draws(tuned, _stream(identity, seed)))


def _stream(identity: str, seed: int) -> Stream:
    return Stream.of(seed, identity, "tuning")


def _draws(tuned: Tuned, stream: Stream) -> Stream:
    return stream.child("search", tuned.stream_name)


def _parts(
    tuned: Tuned, train: Interactions, validation: Interactions | None, stream: Stream, fold: str
) -> Iterator[tuple[Interactions, Interactions]]:
    """Yield, fold by fold, the ratings from which candidates learn, and the ratings on which candidates are measured."""
    if not isinstance(tuned.split, Spec):
        if validation is None or len(validation) == 0:
            raise DesignError(f"the fold '{fold}' has no validation set to tune '{tuned.of}' on", remedy="split: validated(...)")
        yield train, validation
        return
    splitter = Splitter.build(tuned.split)
    for part in range(splitter.n_folds):
        try:
            roles = splitter.roles(train, part, stream.child("split", splitter.stream_name, fold))
        except RecsensError as error:
            raise error.at(f"the split of the train set for tuning '{tuned.of}'") from error
        known, judged = sides(train, roles)
        if len(known) == 0 or len(judged) == 0:
            problem = f"split '{tuned.split}' of the train set leaves one side empty, so '{tuned.of}' cannot be tuned"
            raise DesignError(problem, remedy="choose another split, or other parameters")
        yield known, judged


def _value(spec: Spec, train: Interactions, judged: Interactions, measured: MeasuredAt, fold: str, stream: Stream) -> float:
    """Fit a candidate, rank items with it, and measure the ranking."""
    named = Recommender.build(spec)
    recommender = learn(named.on_fold(fold), train, stream.child("fit").generator())
    rankings = rank(
        recommender,
        train,
        judged,
        targets=AR(),
        relevance=train.scale.relevance,
        ties="random",
        nc=Drop(),
        fallback=None,
        list_depth=0,
        tie_stream=stream.child("ties"),
        target_stream=stream.child("targets"),
    )
    return _mean(measured, RankedUsers.of(rankings, train.scale))


def _mean(measured: MeasuredAt, ranked: RankedUsers) -> float:
    """Average over the users who have ratings in both parts and a defined value; a pooled metric has one value for all users."""
    judged = ranked.judged("full", None)
    admitted: Bools = AVERAGED.admit(known_of(ranked, judged))
    values = measured.metric.measure(judged.of_users(admitted), (measured.cutoff,))[:, 0]
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value
