"""What a random search of n trials says about searches of k trials: which candidate these would choose, and how surely."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from recsens.arrays import Floats, Ints

AGREEING = 0.95
"""The share of searches that must agree on a winner; otherwise the verdict of an effort is undecided."""


@dataclass(frozen=True)
class RandomSearch:
    """The candidates of one system, and the trials that drew them.

    Candidate 0 is the system as written: every search of k trials tries it beside k trials that are drawn without replacement from
    the n that were run. A search chooses the candidate with the best validation value; among equals candidate 0, otherwise that of
    the trial drawn first.

    Attributes
    ----------
    validation
        Each candidate's value on validation data, fold by fold; higher is better; shape (n_folds, n_candidates). NaN if a candidate
        has no value: it is chosen after all others.
    draws
        The candidate of each trial, shape (n_trials,). Several trials may draw the same candidate. Without trials, the system stays
        as written whatever the effort.
    """

    validation: Floats
    draws: Ints

    @classmethod
    def fixed(cls, n_folds: int) -> RandomSearch:
        """Return the search for a system that has nothing to search."""
        return cls(np.zeros((n_folds, 1)), np.empty(0, dtype=np.int64))

    @property
    def n_trials(self) -> int:
        """The number n of trials that were run."""
        return len(self.draws)

    def effort(self, k: int) -> int:
        """Return the number of trials that a search of k trials has here: there are no more than n."""
        return min(k, self.n_trials)

    def weights(self, k: int) -> Floats:
        """Return the probability that a search of k trials chooses each candidate, shape (n_folds, n_candidates).

        With m_x of n trials at or below the value x, P(the best of k trials ≤ x) = C(m_x, k) / C(n, k). Trials with equal values
        share the probability of their value evenly.
        """
        return np.stack([self._choice_weights(values, self.effort(k)) for values in self._ordered])

    @cached_property
    def _ordered(self) -> Floats:
        return np.where(np.isnan(self.validation), -np.inf, self.validation)

    def _choice_weights(self, values: Floats, k: int) -> Floats:
        tried = values[self.draws]
        is_better = tried > values[0]
        _, level, n_equal = np.unique(tried[is_better], return_inverse=True, return_counts=True)
        at_most = np.cumsum([(~is_better).sum(), *n_equal])
        within = self._share_within(at_most, k)
        weights = np.zeros(len(values))
        weights[0] = within[0]
        np.add.at(weights, self.draws[is_better], (np.diff(within) / np.maximum(n_equal, 1))[level])
        return weights

    def _share_within(self, at_most: Ints, k: int) -> Floats:
        """Return C(m, k) / C(n, k) for each m, as a product of k quotients."""
        steps = np.arange(k)
        return np.asarray(np.prod(np.maximum(at_most[:, np.newaxis] - steps, 0) / (self.n_trials - steps), axis=1))

    def without(self, trial: int) -> RandomSearch:
        """Return the search without one of its trials."""
        return replace(self, draws=np.delete(self.draws, trial))

    def left_out(self, k: int) -> Floats:
        """Return the `weights` with each trial left out in turn, shape (n_trials, n_folds, n_candidates)."""
        if k not in self._left_out:
            each = [self.without(trial).weights(k) for trial in range(self.n_trials)]
            self._left_out[k] = np.reshape(each, (self.n_trials, *self.validation.shape))
        return self._left_out[k]

    @cached_property
    def _left_out(self) -> dict[int, Floats]:
        """What `left_out` returned, because every pair of systems asks for it."""
        return {}

    def simulated(self, k: int, n_searches: int, generator: np.random.Generator) -> Ints:
        """Draw searches of k trials, each the same on all folds, and return their choices, shape (n_searches, n_folds)."""
        effort = self.effort(k)
        order = generator.random((n_searches, self.n_trials)).argsort(axis=1)[:, :effort]
        tried = np.concatenate([np.zeros((n_searches, 1), dtype=np.int64), self.draws[order]], axis=1)
        best = np.stack([values[tried].argmax(axis=1) for values in self._ordered], axis=1)
        return np.asarray(np.take_along_axis(tried, best, axis=1))


def expected(search: RandomSearch, values: Floats, k: int) -> float:
    """Return the expected value of the system after k trials: the mean over folds of Σ_c w_fc v_fc.

    ``values`` has each candidate's value on test data, shape (n_folds, n_candidates). It is an average over systems, smoother than
    each of them: no test runs on it.
    """
    return float(_mean_over_choices(search.weights(k), values))


def expected_error(search: RandomSearch, values: Floats, k: int) -> float:
    """Return the standard error of `expected` over searches, by the jackknife over trials; 0 for a system without a search."""
    return float(np.sqrt(_jackknife_variance(_mean_over_choices(search.left_out(k), values))))


def _mean_over_choices(weights: Floats, values: Floats) -> Floats:
    return np.asarray(np.where(weights > 0, weights * values, 0.0).sum(axis=-1).mean(axis=-1))


def shares(a: RandomSearch, b: RandomSearch, outcomes: Ints, k_a: int, k_b: int) -> Floats:
    """Return the shares of searches after which A wins, B wins, and neither does, on one fold; shape (3,).

    ``outcomes`` is the verdict on each pair of candidates by the study's rule, shape (n_candidates of A, of B): 1 if A wins, -1 if
    B wins, otherwise 0.
    """
    return np.asarray(_shares_by_weights(a.weights(k_a)[:1], b.weights(k_b)[:1], outcomes)[0])


def verdict_share_errors(a: RandomSearch, b: RandomSearch, outcomes: Ints, k_a: int, k_b: int) -> Floats:
    """Return the standard errors of `shares` over searches, by the jackknife over the trials of either system; shape (3,)."""
    of_a, of_b = a.weights(k_a)[:1], b.weights(k_b)[:1]
    variance = _jackknife_variance(_shares_by_weights(a.left_out(k_a)[:, 0], of_b, outcomes))
    return np.asarray(np.sqrt(variance + _jackknife_variance(_shares_by_weights(of_a, b.left_out(k_b)[:, 0], outcomes))))


def _shares_by_weights(of_a: Floats, of_b: Floats, outcomes: Ints) -> Floats:
    """Return the shares for several weights of the candidates of A, or of B, shape (n, 3)."""
    wins = [((of_a @ (outcomes == side)) * of_b).sum(axis=1) for side in (1, -1)]
    return np.stack([*wins, np.maximum(1.0 - sum(wins), 0.0)], axis=1)


def _jackknife_variance(left: Floats) -> Floats:
    """Return the jackknife's variance of a statistic θ: (n - 1) / n Σ_i (θ_i - θ̄)², trial i of n left out; 0 without trials."""
    n = len(left)
    return np.asarray((n - 1) / n * np.square(left - left.mean(axis=0)).sum(axis=0) if n else np.zeros(left.shape[1:]))
