"""Several runs side by side: the first against each other one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.evaluation._evaluate import Evaluation, mean_of
from recsens.seeds import Stream
from recsens.significance import Comparison, SignificanceTest


@dataclass(frozen=True)
class Compared:
    """A run against the first by one metric, over the users averaged in both for whom it is defined.

    Attributes
    ----------
    found
        What the test says; of one value of all users no more than the difference, and not that where the users differ.
    mean, versus_mean
        Mean of the run, and of the first, over these users.
    is_whole
        Whether these are all the users of either run's own mean.
    is_alike
        Whether a metric that reads predictions reads those of the same items in both runs; where not, nothing is compared.
    """

    found: Comparison
    mean: float
    versus_mean: float
    is_whole: bool
    is_alike: bool = True


def compare(evaluations: Mapping[str, Evaluation], test: SignificanceTest) -> dict[str, list[Compared]]:
    """Compare every further run with the first, metric by metric."""
    first, *others = evaluations
    return {
        name: [_compared(test, label, evaluations[name], evaluations[first]) for label in evaluations[name].labels]
        for name in others
    }


def _compared(test: SignificanceTest, label: str, run: Evaluation, base: Evaluation) -> Compared:
    if label in run.pooled:
        return _pooled(label, run, base)
    values, others = run.column(label), base.column(label)
    own, its = run.counts & ~np.isnan(values), base.counts & ~np.isnan(others)
    both = own & its
    is_whole = bool((own == its).all())
    if not _is_alike(label, run, base, both):
        return _not_compared(both, is_whole=is_whole)
    found = test.compare(values[both], others[both], Stream.of(0, "evaluate", label))
    return Compared(found, mean_of(values[both]), mean_of(others[both]), is_whole)


def _pooled(label: str, run: Evaluation, base: Evaluation) -> Compared:
    """Subtract one value of all users from another where they are of the same users: nothing is paired, and there is no test."""
    is_whole, both = bool((run.counts == base.counts).all()), run.counts & base.counts
    if not _is_alike(label, run, base, both):
        return _not_compared(both, is_whole=is_whole)
    mean, versus_mean = (run.means[label], base.means[label]) if is_whole else (math.nan, math.nan)
    found = Comparison(mean - versus_mean, *(math.nan,) * 4, n_users=int(np.count_nonzero(both)))
    return Compared(found, mean, versus_mean, is_whole)


def _is_alike(label: str, run: Evaluation, base: Evaluation, users: NDArray[np.bool_]) -> bool:
    """Whether a metric of two runs is over the same items of the users compared: errors on other items differ by the items too."""
    if label not in run.predictive or run.predicted is None or base.predicted is None:
        return True
    return run.predicted.is_same(base.predicted, users)


def _not_compared(users: NDArray[np.bool_], *, is_whole: bool) -> Compared:
    found = Comparison(*(math.nan,) * 5, n_users=int(np.count_nonzero(users)))
    return Compared(found, math.nan, math.nan, is_whole, is_alike=False)
