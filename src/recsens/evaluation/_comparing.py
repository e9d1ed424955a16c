"""Several runs side by side: the first against each other one."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from recsens import plugins
from recsens.evaluation._evaluate import Evaluation
from recsens.seeds import Stream
from recsens.significance import Comparison, SignificanceTest


def compare(evaluations: Mapping[str, Evaluation], test: str) -> dict[str, list[Comparison]]:
    """Compare every further run with the first, metric by metric, over the users averaged in both.

    Raises
    ------
    SpecError
        If there is no such test.
    """
    component: SignificanceTest = plugins.build("test", test)
    first, *others = evaluations
    return {
        name: [_compared(component, label, evaluations[name], evaluations[first]) for label in evaluations[name].labels]
        for name in others
    }


def _compared(test: SignificanceTest, label: str, run: Evaluation, base: Evaluation) -> Comparison:
    if label in run.pooled:
        # One value of all users: nothing is paired.
        return Comparison(run.means[label] - base.means[label], *(math.nan,) * 4, n_users=run.n_users)
    values, others = run.column(label), base.column(label)
    both = run.counts & base.counts & ~np.isnan(values) & ~np.isnan(others)
    return test.compare(values[both], others[both], Stream.of(0, "evaluate", label))
