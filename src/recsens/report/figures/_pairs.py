"""Code shared by figures about pairs of systems."""

from recsens.errors import SpecError
from recsens.study import Experiment

MOST_PANELS = 12
"""Largest number of pairs in such a figure, which shows the first pairs, one per panel."""


def refuse_single_analysis(experiment: Experiment) -> None:
    """Refuse an experiment that compares no pair of systems, or that has one metric and varies no decision."""
    if not experiment.pairs():
        raise SpecError("no two systems are compared", remedy="name pairs in 'compare'")
    if not experiment.vary and len(experiment.metrics) < 2:
        raise SpecError("nothing varies", remedy="add to 'vary' or 'metrics'")


def titled(experiment: Experiment, dataset: str, words: str) -> str:
    """Return a panel title, which begins with the data set if there are several."""
    return f"{dataset}: {words}" if len(experiment.datasets) > 1 else words
