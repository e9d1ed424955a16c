"""Compare several runs: each further run with the first."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.comparison.significance import Comparison, SignificanceTest
from recsens.runs.evaluation._evaluation import Evaluation, mean_of
from recsens.seeds import Stream


@dataclass(frozen=True)
class RunComparison:
    """A comparison of a run with the first run on one metric.

    The users compared are those whom both runs average and for whom the metric is defined in both runs.

    Attributes
    ----------
    comparison
        The result of the test. For two pooled values, it contains only their difference, which is NaN if the two runs pool
        different users.
    mean, versus_mean
        Means of the run, and of the first run, over the users compared.
    is_whole
        Whether the reported mean of each run covers exactly the users compared.
    is_alike
        Whether both runs predict the same items; if not, metrics that read predictions are not compared.
    """

    comparison: Comparison
    mean: float
    versus_mean: float
    is_whole: bool
    is_alike: bool = True


def compare(evaluations: Mapping[str, Evaluation], test: SignificanceTest) -> dict[str, list[RunComparison]]:
    """Compare every further run with the first run, metric by metric."""
    first, *others = evaluations
    return {
        name: [_compared(test, label, evaluations[name], evaluations[first]) for label in evaluations[name].labels]
        for name in others
    }


def _compared(test: SignificanceTest, label: str, run: Evaluation, base: Evaluation) -> RunComparison:
    if label in run.pooled:
        return _pooled(label, run, base)
    values, others = run.column(label), base.column(label)
    own, its = run.counts & ~np.isnan(values), base.counts & ~np.isnan(others)
    both = own & its
    is_whole = bool((own == its).all())
    if not _is_alike(label, run, base, both):
        return _not_compared(both, is_whole=is_whole)
    comparison = test.compare(values[both], others[both], Stream.of(0, "evaluate", label))
    return RunComparison(comparison, mean_of(values[both]), mean_of(others[both]), is_whole)


def _pooled(label: str, run: Evaluation, base: Evaluation) -> RunComparison:
    """Return the difference between two pooled values over the same users; tests over users do not apply."""
    is_whole, both = bool((run.counts == base.counts).all()), run.counts & base.counts
    if not _is_alike(label, run, base, both):
        return _not_compared(both, is_whole=is_whole)
    mean, versus_mean = (run.means[label], base.means[label]) if is_whole else (math.nan, math.nan)
    comparison = Comparison(mean - versus_mean, *(math.nan,) * 4, n_users=int(np.count_nonzero(both)))
    return RunComparison(comparison, mean, versus_mean, is_whole)


def _is_alike(label: str, run: Evaluation, base: Evaluation, users: NDArray[np.bool_]) -> bool:
    """Whether a metric reads the same items of both runs for the given users. Errors on different items are not comparable."""
    if label not in run.predictive or run.predicted is None or base.predicted is None:
        return True
    return run.predicted.is_same(base.predicted, users)


def _not_compared(users: NDArray[np.bool_], *, is_whole: bool) -> RunComparison:
    comparison = Comparison(*(math.nan,) * 5, n_users=int(np.count_nonzero(users)))
    return RunComparison(comparison, math.nan, math.nan, is_whole, is_alike=False)
