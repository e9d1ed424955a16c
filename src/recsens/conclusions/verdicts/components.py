"""The components behind the specs in a table of results."""

import math
from functools import cache

from recsens import plugins
from recsens.data.splitting import Splitter
from recsens.errors import RecsensError, SpecError
from recsens.plugins.specs import Spec, parse


def built(kind: str, spec: Spec) -> plugins.Plugin | None:
    """Build the component that a spec names; None if the plug-in no longer exists."""
    try:
        component = plugins.build(kind, spec)
    except SpecError:
        return None
    return component


@cache
def n_folds_of(split: str, repeats: str) -> float:
    """Return a design's number of folds; infinity if the plug-in, or a file that it reads, no longer exists."""
    splitter = built("split", parse(split))
    try:
        return int(repeats) * splitter.n_folds if isinstance(splitter, Splitter) else math.inf
    except RecsensError:
        return math.inf


def n_splits_of(split: str, repeats: str) -> float:
    """Return over how many splits a design's p over splits is computed; several fits on one split count once."""
    splitter = built("split", parse(split))
    return n_folds_of(split, repeats) / getattr(splitter, "folds_per_split", 1)


def confidence_of(test: str) -> float:
    """Return the confidence level of a test's intervals; .95 for a test without that parameter, which has no intervals."""
    level = getattr(built("test", parse(test)), "confidence", None)
    return level if isinstance(level, float) else 0.95


@cache
def compares_means(aggregate: str, test: str) -> bool:
    """Whether a win depends only on the mean difference: the test is about this difference, and the systems' values are means."""
    averaged, tested = built("aggregate", parse(aggregate)), built("test", parse(test))
    return bool(getattr(averaged, "is_tested", False) and getattr(tested, "tests_mean", False))


def scale_of(aggregate: str) -> str:
    """Name the scale of a difference; empty if it is the scale of the systems' values, as for means."""
    component = built("aggregate", parse(aggregate))
    is_of_values = component is None or getattr(component, "averages_values", False)
    return "" if is_of_values else f" in {getattr(component, 'mean', '')} of {getattr(component, 'differences', '')}"
