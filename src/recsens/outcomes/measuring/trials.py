"""Tuning trials: measure every candidate on validation data."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import ceil
from statistics import fmean
from typing import Any

import numpy as np

from recsens.arrays import Bools
from recsens.artefacts.folds import sides
from recsens.comparison.users.with_ratings import WithRatings
from recsens.data.interactions import Interactions
from recsens.data.splitting import Splitter
from recsens.errors import DesignError, RecsensError, ShortOfMemoryError
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.outcomes.measuring.stored_rankings import RankedUsers, population_of
from recsens.plugins.specs import Spec
from recsens.ranking import rank
from recsens.ranking.nc.drop import Drop
from recsens.ranking.targets.all_relevant import AR
from recsens.recommenders import Candidate, Recommender, group_by_shared_fit, learn_each, progress
from recsens.recommenders.tuned import Tuned
from recsens.seeds import Stream

AVERAGED = WithRatings(train=1, test=1)
"""The users who are averaged: those with train and validation ratings."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A candidate with its value on each validation fold; a value is NaN if the metric is undefined for all users.

    A candidate that could not be fitted has no values, but a ``refusal``: what the recommender said.
    """

    candidate: Candidate
    values: tuple[float, ...]
    refusal: str | None = None

    @property
    def mean(self) -> float:
        """The mean over the folds; NaN without values."""
        return fmean(self.values) if self.values else float("nan")


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
                    **({} if trial.refusal is None else {"refusal": trial.refusal}),
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
    search = ParameterSearch.of(tuned, identity=identity, fold=fold, seed=seed)
    return search.joined([search.measure(train, validation)])


@dataclass(frozen=True)
class ParameterSearch:
    """The candidates of a tuned recommender on one fold; they may be measured in shards, which does not change their values.

    Attributes
    ----------
    tuned
        The tuned recommender; its parameter ``split`` names a split, never that of the study.
    candidates
        The candidates, in the order of the search.
    stream, fold
        The stream of tuning on this data set, and the name of the fold.
    """

    tuned: Tuned
    candidates: list[Candidate]
    stream: Stream
    fold: str

    @classmethod
    def of(cls, tuned: Tuned, *, identity: str, fold: str, seed: int) -> "ParameterSearch":
        """List the candidates; for the parameters, see `tune`."""
        stream, tuned = _tuning_stream(identity, seed), tuned.within(Spec("random"))
        return cls(tuned, tuned.candidates(_search_stream(tuned, stream)), stream, fold)

    def shard(self, number: int, n_shards: int) -> list[int]:
        """Return the numbers of one shard's candidates, ascending.

        Candidates whose fits share work stay together up to a quarter of all, so that four processors have work. If the shared
        part draws at random, all stay together, because what each learns depends on the others in its last bits.
        """
        shards: list[list[int]] = [[] for _ in range(n_shards)]
        recommenders = self._recommenders(range(len(self.candidates)))
        parts = [
            part
            for group in group_by_shared_fit(recommenders)
            for part in np.array_split(group, 1 if recommenders[group[0]].draws else ceil(4 * len(group) / len(self.candidates)))
        ]
        for part in sorted(parts, key=len, reverse=True):
            min(shards, key=len).extend(map(int, part))
        return sorted(shards[number])

    def measure(self, train: Interactions, validation: Interactions | None, shard: tuple[int, int] = (0, 1)) -> dict[str, Any]:
        """Fit and measure the candidates of a shard, and return a record of them for `joined`; raises the same errors as `tune`.

        Refused are, without stopping the others, candidates that were drawn from the recommender's own search space, of which no
        user has chosen a value. If they only lack memory, the search stops: its result must not depend on the machine.
        """
        numbers = self.shard(*shard)
        parts = list(_validation_folds(self.tuned, train, validation, self.stream, self.fold))
        values: dict[int, list[float]] = {number: [] for number in numbers}
        refusals: dict[int, str] = {}
        tried = chain.from_iterable(self._measure_candidates(numbers, part, *sides_of) for part, sides_of in enumerate(parts))
        for _, (number, value) in zip(
            progress(range(len(numbers) * len(parts)), f"tuning {self.tuned.of.name}"), tried, strict=True
        ):
            if not isinstance(value, RecsensError):
                values[number].append(value)
            elif number == 0 or not self.tuned.draws_own_space or isinstance(value, ShortOfMemoryError):
                raise value.at(f"candidate '{self.candidates[number].spec}'") from value
            else:
                refusals.setdefault(number, value.problem)
        return {
            "folds": [{"train": len(known), "validation": len(judged)} for known, judged in parts],
            "trials": [
                {"number": number, "values": [*map(_number, values[number])], "refusal": refusals.get(number)} for number in numbers
            ],
        }

    def joined(self, records: Iterable[Mapping[str, Any]]) -> Trials:
        """Join the records of all shards."""
        shards = list(records)
        found = sorted((trial for shard in shards for trial in shard["trials"]), key=lambda trial: trial["number"])
        trials = [
            Trial(
                candidate,
                () if trial["refusal"] else tuple(float("nan") if value is None else value for value in trial["values"]),
                trial["refusal"],
            )
            for candidate, trial in zip(self.candidates, found, strict=True)
        ]
        sizes = tuple((each["train"], each["validation"]) for each in shards[0]["folds"])
        return Trials(parse_measured_at(self.tuned.metric)[0], tuple(trials), sizes)

    def _recommenders(self, numbers: Iterable[int]) -> list[Recommender]:
        return [Recommender.build(self.candidates[number].spec) for number in numbers]

    def _measure_candidates(
        self, numbers: list[int], part: int, known: Interactions, judged: Interactions
    ) -> Iterator[tuple[int, float | RecsensError]]:
        """Yield the number of each candidate with its value on one validation fold, or with the error that refuses it."""
        stream = self.stream.child(self.tuned.stream_name, self.fold, part)
        measured = parse_measured_at(self.tuned.metric)[0]
        named = [recommender.on_fold(self.fold) for recommender in self._recommenders(numbers)]
        for place, fitted in learn_each(named, known, stream.child("fit").generator):
            yield numbers[place], fitted if isinstance(fitted, RecsensError) else _value(fitted, known, judged, measured, stream)


def drawn_trials(tuned: Tuned, *, identity: str, seed: int) -> list[Spec]:
    """List the candidate of every trial of a search, also those that are drawn twice, without the system as written."""
    return tuned.trials(_search_stream(tuned, _tuning_stream(identity, seed)))


def ranked_candidates(record: Mapping[str, Any]) -> list[str]:
    """List the candidates in a record of tuning that have a value, those whose fits share work next to each other."""
    specs = [trial["spec"] for trial in record["trials"] if trial["mean"] is not None]
    return [specs[number] for group in group_by_shared_fit(list(map(Recommender.build, specs))) for number in group]


def _tuning_stream(identity: str, seed: int) -> Stream:
    return Stream.of(seed, identity, "tuning")


def _search_stream(tuned: Tuned, stream: Stream) -> Stream:
    return stream.child("search", tuned.stream_name)


def _validation_folds(
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


def _value(
    recommender: Recommender, train: Interactions, judged: Interactions, measured: MeasuredAt, stream: Stream
) -> float | RecsensError:
    """Rank items with a candidate, and measure the ranking; return the error of a candidate that cannot score."""
    try:
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
    except RecsensError as error:
        return error
    return _mean_over_users(measured, RankedUsers.of(rankings, train.scale))


def _mean_over_users(measured: MeasuredAt, ranked: RankedUsers) -> float:
    """Average over the users who have ratings in both parts and a defined value; a pooled metric has one value for all users."""
    judged = ranked.judged("full", None)
    admitted: Bools = AVERAGED.admit(population_of(ranked, judged))
    values = measured.metric.measure(judged.of_users(admitted), (measured.cutoff,))[:, 0]
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value
