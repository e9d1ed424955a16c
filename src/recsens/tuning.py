"""Tuning: what every candidate of a tuned recommender comes to on validation data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens import plugins
from recsens.artefacts import sides
from recsens.errors import DesignError, RecsensError
from recsens.interactions import Interactions, Scale
from recsens.measures import RankedUsers, known_of
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.nc.drop import Drop
from recsens.ranking import Rankings, rank
from recsens.recommenders import Recommender, learn
from recsens.recommenders._progress import progress
from recsens.recommenders._search import Candidate
from recsens.recommenders.tuned import Tuned
from recsens.seeds import Stream
from recsens.specs import Spec
from recsens.splitting import Splitter
from recsens.targets.ar import AR
from recsens.users.with_ratings import WithRatings

AVERAGED = WithRatings(train=1, test=1)
"""Users whose validation ratings are measured: who has none says nothing of any candidate."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A candidate with its value on each validation fold; NaN where the metric is not defined for anybody."""

    candidate: Candidate
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over the folds."""
        return fmean(self.values)


@dataclass(frozen=True)
class Trials:
    """What was tried on one fold of a study.

    Attributes
    ----------
    metric
        What was measured.
    trials
        In the order of the search.
    sizes
        Train and validation ratings of each validation fold.
    """

    metric: MeasuredAt
    trials: tuple[Trial, ...]
    sizes: tuple[tuple[int, int], ...]

    @cached_property
    def best_first(self) -> list[Trial]:
        """The trials by their means; of equal ones, the earlier in the search comes first, and what has no value comes last."""
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
                f"'{self.metric}' is defined for no user of the validation set", remedy="choose another metric or split"
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

    All candidates meet the same parts of the train set and draw from the same streams, which are derived from the names of data
    set, recommender, split and fold. Nothing here is given test data.

    Parameters
    ----------
    tuned
        What is tuned, how and by what.
    train, validation
        These sides of a fold of the study; of the second only the ratings that ``split=validation`` asks for.
    identity, fold, seed
        Names of the data set and of the fold, and the root of all random streams.

    Raises
    ------
    DesignError
        If one part stays empty, a candidate cannot be fitted or scored, or the split asks for what the data do not have.
    """
    stream = Stream.of(seed, identity, "tuning")
    parts = list(_parts(tuned, train, validation, stream, fold))
    measured = parse_measured_at(tuned.metric)[0]
    tried = tuned.candidates(stream.child("search", tuned.stream_name))
    trials = []
    for candidate in progress(tried, f"tuning {tuned.of.name}"):
        try:
            values = [
                _value(candidate.spec, *part, measured, fold, stream.child(tuned.stream_name, fold, place))
                for place, part in enumerate(parts)
            ]
        except RecsensError as error:
            raise error.at(f"candidate '{candidate.spec}'") from error
        trials.append(Trial(candidate, tuple(values)))
    return Trials(measured, tuple(trials), tuple((len(known), len(judged)) for known, judged in parts))


def _parts(
    tuned: Tuned, train: Interactions, validation: Interactions | None, stream: Stream, fold: str
) -> Iterator[tuple[Interactions, Interactions]]:
    """Visit what candidates learn from and what they are measured on, fold by fold."""
    if not isinstance(tuned.split, Spec):
        if validation is None or len(validation) == 0:
            raise DesignError(f"the fold '{fold}' has no validation set to tune '{tuned.of}' on", remedy="split: validated(...)")
        yield train, validation
        return
    splitter: Splitter = plugins.build("split", tuned.split)
    for part in range(splitter.n_folds):
        try:
            roles = splitter.roles(train, part, stream.child("split", splitter.stream_name, fold))
        except RecsensError as error:
            raise error.at(f"the split of the train set that '{tuned.of}' is tuned by") from error
        known, judged = sides(train, roles)
        if len(known) == 0 or len(judged) == 0:
            problem = f"split '{tuned.split}' of the train set leaves one side empty, and '{tuned.of}' cannot be tuned"
            raise DesignError(problem, remedy="choose another split, or other parameters")
        yield known, judged


def _value(spec: Spec, train: Interactions, judged: Interactions, measured: MeasuredAt, fold: str, stream: Stream) -> float:
    """Fit a candidate, rank and measure."""
    named: Recommender = plugins.build("recommender", spec)
    recommender = learn(named.on_fold(fold), train, stream.child("fit").generator())
    found = rank(
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
    return _mean(measured, _ranked(found, train.scale))


def _ranked(found: Rankings, scale: Scale) -> RankedUsers:
    columns = found.positions
    return RankedUsers(
        user=columns["user"],
        position=np.ma.filled(columns["position"], 0).astype(np.int64),
        rating=np.ma.filled(columns["rating"], np.nan),
        counts={name: counts.astype(np.int64) for name, counts in found.users.items()},
        scale=scale,
        score=np.ma.filled(columns["score"], np.nan),
        item=columns["item"],
    )


def _mean(measured: MeasuredAt, ranked: RankedUsers) -> float:
    """Average over the users with ratings in both parts for whom the metric is defined; a pooled metric measures them at once."""
    judged = ranked.judged("full", None)
    admitted: NDArray[np.bool_] = AVERAGED.admit(known_of(ranked, judged))
    values = measured.metric.measure(judged.of_users(admitted), (measured.cutoff,))[:, 0]
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value
