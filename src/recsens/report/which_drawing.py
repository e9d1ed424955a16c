"""The plug-ins that draw an experiment's usual figures."""

from collections.abc import Mapping

from recsens.report.figures import Drawing
from recsens.report.figures.by_option import DifferenceByOption, ScoresByOption
from recsens.report.figures.components import Components
from recsens.report.figures.effort import Effort
from recsens.report.figures.forest import Forest
from recsens.report.figures.specification_curve import SpecificationCurve
from recsens.report.figures.systems import Systems
from recsens.report.figures.tipping import Tipping
from recsens.study.experiment import COMPONENTS, FIGURES_OF_EFFORT, OVER_DATASETS, UNRATED

DESIGNS = "designs"
"""Name of the specification curve."""

EFFORTS = dict(zip(FIGURES_OF_EFFORT, (Effort(), Effort(show="verdicts")), strict=True))
"""The figures of an experiment that varies the effort."""

_COMPARING = ("test", "correction")
"""Decisions that do not change the systems' scores, only the verdicts on their differences."""


_USUAL: Mapping[str, Drawing] = {
    "systems": Systems(),
    DESIGNS: SpecificationCurve(),
    COMPONENTS: Components(),
    OVER_DATASETS: Forest(),
    UNRATED: Tipping(),
    **EFFORTS,
}
"""The figures that are not about one decision."""


def usual(name: str) -> Drawing:
    """Return one of an experiment's usual figures (`recsens.study.Experiment.figures`)."""
    if name in _USUAL:
        return _USUAL[name]
    return (DifferenceByOption if name in _COMPARING else ScoresByOption)(varied=name)
