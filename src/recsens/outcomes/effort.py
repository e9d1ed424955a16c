"""Verdicts after k trials of tuning: what a study's rule would say of the systems that searches of k trials choose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from recsens.arrays import Bools, Floats, Ints
from recsens.comparison.significance import FEWEST_USERS, SignificanceTest
from recsens.comparison.significance.t import T
from recsens.metrics import MeasuredAt
from recsens.outcomes.panels import FoldMeasures, Panel, SystemMeasures
from recsens.outcomes.rounding import rounded
from recsens.outcomes.searches import AGREEING, RandomSearch, expected, expected_error, shares, verdict_share_errors
from recsens.outcomes.summary import compare_over_folds, paired_over_folds, values_of
from recsens.outcomes.winner import SECOND, ahead, better, decide
from recsens.ranking.targets import Targets
from recsens.seeds import Origin, Stream
from recsens.study import Experiment
from recsens.study.design import Design

N_SIMULATED = 400
"""Number of pairs of searches whose choices are compared where not all pairs of candidates are."""

_EVERY_EFFORT_TO = 20
_STEP = 1.25
_BORDERLINE = 1e-6
"""Pairs whose p is this close to alpha, relative to it, are tested again by the test itself, whose rounding is another one."""

Choice = tuple[int, ...]
"""The candidate that a search chooses on each fold."""


@dataclass(frozen=True)
class SearchedSystem:
    """A system, its search, and the values of its candidates on test data.

    Attributes
    ----------
    spec
        The tuned recommender, which names the random stream of simulated searches; empty if the system stays as written.
    search
        The search.
    folds
        The users' values for each candidate, fold by fold.
    """

    spec: str
    search: RandomSearch
    folds: Sequence[Sequence[FoldMeasures]]

    def chosen(self, choice: Choice) -> SystemMeasures:
        """Return the values of the system that has one of its candidates on each fold."""
        return SystemMeasures(tuple(candidates[own] for candidates, own in zip(self.folds, choice, strict=True)))


@dataclass(frozen=True)
class EffortOutcomes:
    """The searches of all systems on one data set, under its base design, by one metric.

    Attributes
    ----------
    experiment, label, identity, design, measured
        The experiment, the label of its data set, the data set's name in random streams, the base design and the metric.
    systems
        The systems, by label.
    user_columns
        Columns by which the design's aggregate weights users.
    """

    experiment: Experiment
    label: str
    identity: str
    design: Design
    measured: MeasuredAt
    systems: Mapping[str, SearchedSystem]
    user_columns: Mapping[str, NDArray[Any]]

    @property
    def efforts(self) -> list[int]:
        """The efforts of curves, from the smallest listed to the largest: every one up to 20, then in steps of a quarter."""
        lowest, highest = min(self.experiment.effort), max(self.experiment.effort)
        steps = int(np.log(max(highest, 2)) / np.log(_STEP)) + 1
        further = [round(_EVERY_EFFORT_TO * _STEP**step) for step in range(steps)]
        every = {*range(min(highest, _EVERY_EFFORT_TO) + 1), *further, *self.experiment.effort}
        return sorted(effort for effort in every if lowest <= effort <= highest)

    def of_systems(self) -> Iterator[dict[str, Any]]:
        """Yield the expected value of each system after each number of trials; it is a mean over systems, not a system's value."""
        for name, system in self.systems.items():
            values = self._candidate_values[name]
            for effort in self.efforts:
                yield {
                    **self._row_head,
                    "system": name,
                    "effort": effort,
                    "value": expected(system.search, values, effort),
                    "error": float(rounded(expected_error(system.search, values, effort))),
                    "trials": system.search.n_trials,
                    "is_of_this_search": self._is_of_this_search(name, effort),
                }

    def of_pairs(self) -> Iterator[dict[str, Any]]:
        """Yield the shares of searches that end in each verdict, for each pair of systems.

        Both systems get the same number of trials; for the efforts that the study lists, also each other's numbers.
        """
        listed = self.experiment.effort
        for pair in self.experiment.pairs():
            met = dict.fromkeys([*((effort, effort) for effort in self.efforts), *product(listed, listed)])
            for (k_a, k_b), (found, errors) in self._verdict_shares(pair, list(met)):
                winner = next((name for name, share in zip(pair, found, strict=False) if rounded(share) >= AGREEING), "")
                yield {
                    **self._row_head,
                    **dict(zip(("system_a", "system_b"), pair, strict=True)),
                    "effort_a": k_a,
                    "effort_b": k_b,
                    **dict(zip(("share_a", "share_b", "share_neither"), rounded(found).tolist(), strict=True)),
                    **dict(zip(("error_a", "error_b", "error_neither"), rounded(errors).tolist(), strict=True)),
                    "winner": winner,
                    "is_of_this_search": any(self._is_of_this_search(*each) for each in zip(pair, (k_a, k_b), strict=True)),
                    "is_simulated": self._draws_searches,
                }

    @property
    def _row_head(self) -> dict[str, str]:
        return {"dataset": self.label, "metric": self.measured.written, "metric_full": str(self.measured)}

    def _is_of_this_search(self, system: str, effort: int) -> bool:
        """Whether an effort is so close to all trials that the result is that of this search, without an error over searches."""
        n_trials = self.systems[system].search.n_trials
        return bool(n_trials) and 2 * effort > n_trials

    @cached_property
    def _candidate_values(self) -> dict[str, Floats]:
        """Each candidate's value on each fold, shape (n_folds, n_candidates), by system."""
        found = {}
        for name, system in self.systems.items():
            every = {str(own): system.chosen((own,) * len(system.folds)) for own in range(len(system.folds[0]))}
            found[name] = values_of(self._panel(every), self.design)[1]
        return found

    def _panel(self, systems: Mapping[str, SystemMeasures]) -> Panel:
        return Panel(systems, Targets.build(self.design.targets).unit, self.design.coverage, self.user_columns)

    @property
    def _draws_searches(self) -> bool:
        """Whether pairs of searches are drawn: with several folds there are too many choices, and other tests than t are slow."""
        n_folds = len(next(iter(self.systems.values())).folds)
        return n_folds > 1 or not isinstance(SignificanceTest.build(self.design.test), T)

    def _verdict_shares(
        self, pair: tuple[str, str], efforts: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[tuple[int, int], tuple[Floats, Floats]]]:
        a, b = (self.systems[name].search for name in pair)
        if self._draws_searches:
            for k_a, k_b in efforts:
                yield (k_a, k_b), self._draw_searches(pair, k_a, k_b)
            return
        n_a, n_b = (search.validation.shape[1] for search in (a, b))
        every: list[tuple[Choice, Choice]] = [((own,), (other,)) for own in range(n_a) for other in range(n_b)]
        outcomes = self._decide_choices(pair, every).reshape(n_a, n_b)
        for k_a, k_b in efforts:
            yield (k_a, k_b), (shares(a, b, outcomes, k_a, k_b), verdict_share_errors(a, b, outcomes, k_a, k_b))

    def _draw_searches(self, pair: tuple[str, str], k_a: int, k_b: int) -> tuple[Floats, Floats]:
        """Draw pairs of searches, and return the shares of verdicts with the errors of the drawing; none is over searches of n."""
        choices = [
            self.systems[name].search.simulated(effort, N_SIMULATED, self._stream(name, effort).generator())
            for name, effort in zip(pair, (k_a, k_b), strict=True)
        ]
        drawn = [(tuple(map(int, a)), tuple(map(int, b))) for a, b in zip(*choices, strict=True)]
        distinct = list(dict.fromkeys(drawn))
        verdicts = dict(zip(distinct, self._decide_choices(pair, distinct), strict=True))
        found = np.array([verdicts[each] for each in drawn])
        share = np.array([(found == side).mean() for side in (1, -1, 0)])
        return share, np.sqrt(share * (1 - share) / N_SIMULATED)

    def _stream(self, system: str, effort: int) -> Stream:
        return Origin(self.design.seed, self.identity).stream("effort", self.systems[system].spec, effort)

    def _decide_choices(self, pair: tuple[str, str], met: Sequence[tuple[Choice, Choice]]) -> Ints:
        """Decide between the choices of two systems by the study's rule, shape (n,): 1, -1 or 0.

        The p-value is that of the pair alone, without a correction for the other pairs of systems.
        """
        first, second = (self.systems[name] for name in pair)
        rows: dict[tuple[int, Choice], SystemMeasures] = {}
        for a, b in met:
            rows.setdefault((0, a), first.chosen(a))
            rows.setdefault((1, b), second.chosen(b))
        place = {key: nth for nth, key in enumerate(rows)}
        panel = self._panel({str(key): measures for key, measures in rows.items()})
        return decided(panel, [(place[0, a], place[1, b]) for a, b in met], self.design, self.measured, self.experiment)


def decided(panel: Panel, pairs: Sequence[tuple[int, int]], design: Design, measured: MeasuredAt, experiment: Experiment) -> Ints:
    """Decide each pair of rows of a panel by an experiment's rule, shape (n,): 1 if the first wins, -1 if the second does, else 0.

    Where all rows count the same users with equal weights, the t-tests of all pairs come from one product of matrices; pairs on
    which its rounding could matter are tested one by one.
    """
    values, _ = values_of(panel, design)
    sign = 1 if measured.metric.higher_is_better else -1
    first, second = (values[np.asarray(side, dtype=np.int64)] for side in zip(*pairs, strict=True))
    by_value = better(first, second, sign)
    margins = experiment.margin.beside(np.where(by_value == SECOND, second, first))
    found = _t_tests(panel, pairs, design)
    unsure = np.flatnonzero(_is_close(found, experiment.alpha, margins)).tolist()
    compared = compare_over_folds(panel, [pairs[nth] for nth in unsure], design) if unsure else []
    for nth, each in zip(unsure, compared, strict=True):
        found[:, nth] = each.difference, each.low, each.high, each.p_value
    difference, low, high, p_value = found
    favoured = ahead(difference, sign)
    return decide(by_value, favoured, p_value, experiment.alpha, low=low, high=high, margins=margins).winner


def _t_tests(panel: Panel, pairs: Sequence[tuple[int, int]], design: Design) -> Floats:
    """Return difference, low, high and p of the paired t-test of each pair, shape (4, n); NaN where the test needs another way."""
    found = np.full((4, len(pairs)), np.nan)
    test = SignificanceTest.build(design.test)
    (data, _), *others = paired_over_folds(panel, pairs, design)
    values = data.values[:, data.counts[0]]
    n_users = values.shape[1]
    is_plain = isinstance(test, T) and not test.log and data.weights is None and data.offsets is None
    if not is_plain or any(other is not data for other, _ in others) or n_users < FEWEST_USERS:
        return found
    assert isinstance(test, T)
    a, b = np.asarray(pairs, dtype=np.int64).T
    means = values.mean(axis=1)
    centred = values - means[:, np.newaxis]
    products = centred @ centred.T
    squares = np.maximum(products[a, a] + products[b, b] - 2 * products[a, b], 0.0)
    # Differences that hardly vary are all rounding errors.
    squares[squares < 1e-9 * (products[a, a] + products[b, b])] = np.nan
    error = np.sqrt(squares / (n_users - 1) / n_users)
    difference = means[a] - means[b]
    half = special.stdtrit(n_users - 1, (1 + test.confidence) / 2) * error
    p_value = 2 * special.stdtr(n_users - 1, -np.abs(difference) / error)
    return np.stack([difference, difference - half, difference + half, p_value])


def _is_close(found: Floats, alpha: float, margins: Floats) -> Bools:
    """Return which comparisons are unknown, or so close to a limit of the rule that rounding errors could decide."""
    difference, low, high, p_value = found
    size = _BORDERLINE * (high - low)
    at_margin = (np.abs(low - margins) < size) | (np.abs(high + margins) < size)
    return np.asarray(~(np.abs(p_value - alpha) > _BORDERLINE * alpha) | ~(np.abs(difference) > size) | ((margins > 0) & at_margin))
