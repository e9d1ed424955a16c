"""The plug-ins that draw an experiment's usual figures."""

from recsens.report.figures import Drawing
from recsens.report.figures.by_option import DifferenceByOption, ScoresByOption
from recsens.report.figures.effort import Effort
from recsens.report.figures.forest import Forest
from recsens.report.figures.specification_curve import SpecificationCurve
from recsens.report.figures.systems import Systems
from recsens.report.figures.tipping import Tipping
from recsens.study.experiment import FIGURES_OF_EFFORT, OVER_DATASETS, UNRATED

DESIGNS = "designs"
"""Name of the specification curve."""

EFFORTS = dict(zip(FIGURES_OF_EFFORT, (Effort(), Effort(show="verdicts")), strict=True))
"""The figures of an experiment that varies the effort."""

_COMPARING = ("test", "correction")
"""Decisions that do not change the systems' scores, only the verdicts on their differences."""


def usual(name: str) -> Drawing:
    """Return one of an experiment's usual figures (`recsens.study.Experiment.figures`)."""
    if name == "systems":
        return Systems()
    if name in EFFORTS:
        return EFFORTS[name]
    if name == OVER_DATASETS:
        return Forest()
    if name == UNRATED:
        return Tipping()
    if name == DESIGNS:
        return SpecificationCurve()
    return (DifferenceByOption if name in _COMPARING else ScoresByOption)(varied=name)
