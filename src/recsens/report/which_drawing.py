"""The plug-ins that draw an experiment's usual figures."""

from collections.abc import Mapping

from recsens.report.figures import Drawing
from recsens.report.figures.by_group import ByGroup
from recsens.report.figures.by_option import DifferenceByOption, ScoresByOption
from recsens.report.figures.components import Components
from recsens.report.figures.effort import Effort
from recsens.report.figures.forest import Forest
from recsens.report.figures.specification_curve import SpecificationCurve
from recsens.report.figures.systems import Systems
from recsens.report.figures.tipping import Tipping

DESIGNS = "designs"
"""Name of the specification curve."""

EFFORTS: Mapping[str, Drawing] = {"effort": Effort(), "effort-verdicts": Effort(show="verdicts")}
"""The figures of an experiment that varies the effort."""

_COMPARING = ("test", "correction")
"""Decisions that do not change the systems' scores, only the verdicts on their differences."""


_USUAL: Mapping[str, Drawing] = {
    "systems": Systems(),
    DESIGNS: SpecificationCurve(),
    "components": Components(),
    "over-datasets": Forest(),
    "unrated": Tipping(),
    "groups": ByGroup(),
    **EFFORTS,
}
"""The figures that are not about one decision."""


def usual_drawing(name: str) -> Drawing:
    """Return one of an experiment's usual figures (`recsens.study.Experiment.figures`)."""
    if name in _USUAL:
        return _USUAL[name]
    return (DifferenceByOption if name in _COMPARING else ScoresByOption)(varied=name)
