"""Tuned: a recommender whose parameters are chosen on validation data."""

from collections.abc import Iterator
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, PlainSerializer, PlainValidator, PrivateAttr, model_validator

from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.errors import SpecError
from recsens.plugins import Component, component
from recsens.plugins.specs import Spec, parse
from recsens.recommenders import Arrays, Bools, Extent, Ints, Reals, Recommender
from recsens.recommenders._base import Wrapper, learn
from recsens.recommenders._tuning_candidates import (
    Candidate,
    candidates,
    check_search,
    draws_own_space,
    in_full,
    n_candidates,
    trials,
    with_trials,
)
from recsens.seeds import Stream

VALIDATION = "validation"
"""Value of ``split`` that means the validation set of the study's own split."""

LIKE_STUDY = "like_study"
"""Value of ``split`` that means a split of the same kind as the study's own: by time if that goes by time, otherwise random."""

_CHOICE = "tuned.choice"
"""Name of the array with the chosen recommender's spec, in UTF-8."""

_SPLIT = Component("split")
_METRICS = "a metric of positions with its cut-off, such as nDCG@10, P@10 or AP"


def _check_validation(value: object) -> Spec | str:
    return str(value) if value in {VALIDATION, LIKE_STUDY} else _SPLIT.canonical(value)


def _search(value: object) -> Spec:
    if not isinstance(value, Spec):
        raise SpecError(f"{value!r} is not a search", allowed="its parameters with lists of values: grid(k=[10,50])")
    return value


def _check_metric(value: object) -> str:
    """Check a metric with its cut-off, and return it in canonical form."""
    if not isinstance(value, str | Spec):
        raise SpecError(f"{value!r} is not a metric", allowed=_METRICS)
    name, at, depth = str(value).rpartition("@") if "@" in str(value) else (str(value), "", "")
    metric: Any = plugins.build("metric", name)
    is_depth = depth.isdecimal() and int(depth) > 0
    if {"always": not is_depth, "optionally": bool(at) and not is_depth, "never": bool(at)}[metric.takes_cutoff]:
        cutoff = "no cut-off" if metric.takes_cutoff == "never" else "a positive whole number as its cut-off"
        raise SpecError(f"'{value}': the metric takes {cutoff}", allowed=_METRICS)
    if metric.reads == "lists":
        raise SpecError(f"'{value}' reads lists, but tuning uses positions", allowed=_METRICS)
    if metric.is_descriptive:
        raise SpecError(f"'{value}' only describes a ranking: neither higher nor lower is better", allowed=_METRICS)
    return f"{metric.spec}@{int(depth)}" if at else str(metric.spec)


class Tuned(Wrapper):
    """s(u, i) of the recommender ``of``, with the parameters that do best on validation data.

    ``search=random(trials=20)`` tries ``of`` as written, and 20 random draws from the recommender's own search space, which its
    entry on this page states; parameters that ``of`` sets to other values than the defaults keep these. Otherwise, ``search`` names
    parameters of ``of``: ``grid(k=[10,50],q=[1,2])`` tries every combination;
    ``random(trials=20,k=[10,50],alpha=log_uniform(low=0.1,high=100))`` draws each trial's values from lists and from the ranges
    ``uniform`` and ``log_uniform`` (with four significant digits; integers if the parameter is an integer). Parameters that are not
    searched keep their values in ``of``. ``as_written=true`` in a search has ``of`` as written first among the candidates. At most
    1,000 candidates are tried.

    ``split`` divides the train set: every candidate learns from one part and is measured on the other. The values are averaged over
    the folds of this split. ``split=like_study`` divides it at random or, if the study's split goes by time, by time too: the last
    part of the train set after ``temporal``, the last ratings of each user after ``leave_out(which=last)``. ``split=validation``
    uses the validation set of the study's own split, ``validated(...)``. All candidates get the same split, the same random numbers
    and the same order of ties. Targets are all items that the user has not rated in the train part; items without a score are left
    out. Ratings at or above the data set's threshold are relevant. The average is over users with ratings in both parts, and a
    user without a ranking counts as 0. The candidate with the best mean is chosen; among equals, the first. Test data are never
    read. Each fold of the study has its own choice.

    The chosen candidate then learns from the whole train set and gives the same scores as if the study named it directly. Outside a
    study, nothing is chosen, and ``of`` is fitted as written.
    """

    source = "Bergstra & Bengio (2012), Random Search for Hyper-Parameter Optimization; Cañamares et al. (2020), section 3.2"

    of: Annotated[Spec, *component("recommender")] = Field(Spec("user_knn"), description="the recommender to tune")
    search: Annotated[Spec, PlainValidator(_search, json_schema_input_type=str), PlainSerializer(str, return_type=str)] = Field(
        Spec("random", (("trials", 20),)),
        description="parameters with values to try, grid(...) or random(...); if it names none, the recommender's search space",
    )
    split: Annotated[
        Spec | str, _SPLIT, PlainValidator(_check_validation, json_schema_input_type=str), PlainSerializer(str, return_type=str)
    ] = Field(
        LIKE_STUDY,
        description="how the train set is split again: like_study, a split, or validation, the validation set of the study's split",
    )
    metric: Annotated[str, PlainValidator(_check_metric, json_schema_input_type=str)] = Field(
        "nDCG@10", description="the metric that decides, with a cut-off"
    )

    _chosen: Spec | None = PrivateAttr(None)
    _fitted: Recommender = PrivateAttr()

    @model_validator(mode="after")
    def _check(self) -> Self:
        inner = self.inner
        if isinstance(inner, Tuned):
            raise SpecError(f"'{self.of}' is already tuned", remedy="search all parameters at once")
        check_search(self.search, self.of)
        if self._metric_plugin.reads == "predictions" and not inner.predicts_ratings:
            raise SpecError(f"'{self.metric}' compares ratings, but '{self.of}' does not predict any", allowed=_METRICS)
        if isinstance(self.split, Spec) and plugins.build("split", self.split).own_files():
            raise SpecError(f"'{self.split}' reads roles from files, which describe the whole data set, not a train set")
        if isinstance(self.split, Spec) and getattr(plugins.build("split", self.split), "tests_truth", False):
            raise SpecError(
                f"'{self.split}' tests with the complete relevance, on which no system may be tuned",
                remedy="write the split inside it, its 'of'",
            )
        return self

    def _fitted_spec(self) -> Spec:
        return self._chosen or self.of

    @property
    def _metric_plugin(self) -> Any:
        return plugins.build("metric", self.metric.rpartition("@")[0] or self.metric)

    @property
    def predicts_ratings(self) -> bool:  # type: ignore[override]
        """Whether the inner recommender predicts ratings."""
        return self.inner.predicts_ratings

    @property
    def search_in_full(self) -> Spec:
        """The search with its parameters, also those of the recommender's own search space."""
        return in_full(self.search, self.of)

    @property
    def n_candidates(self) -> int:
        """The maximum number of candidates."""
        return n_candidates(self.search)

    @property
    def n_fits(self) -> int:
        """The maximum number of fits of the search, on all validation folds."""
        n_folds = plugins.build("split", self.split).n_folds if isinstance(self.split, Spec) else 1  # type: ignore[attr-defined]
        return int(n_folds) * self.n_candidates

    @property
    def draws_own_space(self) -> bool:
        """Whether candidates are drawn from the recommender's own search space, with ``of`` itself as the first."""
        return self.search_in_full != self.search or draws_own_space(self.search, self.of)

    def candidates(self, stream: Stream) -> list[Candidate]:
        """List the distinct candidates; random draws come from ``stream``."""
        return candidates(self.search, self.of, stream)

    def trials(self, stream: Stream) -> list[Spec]:
        """List the candidate of every trial, also those drawn twice, without ``of`` as written; draws come from ``stream``."""
        return [each.spec for each in trials(self.search, self.of, stream)]

    def searched(self, n_trials: int) -> Self:
        """Return the recommender with another number of random trials, and ``of`` as written among them; a grid stays a grid."""
        return self.model_copy(update={"search": with_trials(self.search, self.of, n_trials)})

    def seconds_needed(self, extent: Extent) -> float:
        """Return the seconds for every candidate on every validation fold, and for the final fit."""
        return super().seconds_needed(extent) * (1 + self.n_fits)

    def nested(self) -> Iterator[tuple[str, Spec]]:
        """Yield the recommender, the split (the random one if it follows the study's), their inner components, and the metric."""
        yield from super().nested()
        if self.split == LIKE_STUDY:
            yield "split", Spec("random")
        yield "metric", self._metric_plugin.spec

    @property
    def score_files(self) -> str | None:
        """The score files of the inner recommender."""
        return self.inner.score_files

    def within(self, outer: Spec) -> Self:
        """Return the recommender with the split on which it is tuned if the study has the split ``outer``."""
        splitter: Any = plugins.build("split", outer)
        return self.model_copy(update={"split": splitter.tuning_split}) if self.split == LIKE_STUDY else self

    def choosing(self, choice: Spec) -> Self:
        """Return the recommender that fits a candidate."""
        bound = self.model_copy()
        bound._chosen = choice  # noqa: SLF001 - of this class
        return bound

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Fit the chosen recommender, or ``of`` if nothing was chosen."""
        self._fitted = learn(self.inner, train, rng)
        self._learned = {**self._fitted.learned, _CHOICE: np.frombuffer(str(self._fitted.spec).encode(), dtype=np.uint8)}
        return self

    def restore(self, arrays: Arrays) -> Self:
        """Restore the learnt arrays into the candidate that learnt them."""
        super().restore(arrays)
        self._chosen = parse(arrays[_CHOICE].tobytes().decode())
        self._fitted = self.inner.restore({name: array for name, array in arrays.items() if name != _CHOICE})
        return self

    def check_judged(self, train: Interactions, judged: Bools) -> None:
        """Refuse a score file if the fitted recommender refuses it."""
        self._fitted.check_judged(train, judged)

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Score with the fitted recommender."""
        return self._fitted.score(train, users)
