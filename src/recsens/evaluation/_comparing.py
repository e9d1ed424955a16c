"""Several runs side by side: the first against each other one."""

from __future__ import annotations

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
    base = evaluations[first]
    found: dict[str, list[Comparison]] = {}
    for name in others:
        other = evaluations[name]
        both = base.counts & other.counts
        found[name] = [
            component.compare(
                np.ascontiguousarray(other.values[both, column]),
                np.ascontiguousarray(base.values[both, column]),
                Stream.of(0, "evaluate", label),
            )
            for column, label in enumerate(base.labels)
        ]
    return found
