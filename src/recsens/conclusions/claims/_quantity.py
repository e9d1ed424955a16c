"""What a claim is about: a metric of the study, or a coverage."""

from dataclasses import dataclass

from recsens.conclusions.verdicts.space.naming import metrics_of
from recsens.errors import SpecError, nearest
from recsens.metrics import MeasuredAt
from recsens.study import Experiment

_COVERAGES = ("user_coverage", "rating_coverage")

_AT_DEPTH = "Coverage@"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that every system has under every design.

    Attributes
    ----------
    name
        As readers know it.
    metric
        The metric in whose rows it stands.
    column
        Its column in the summary.
    """

    name: str
    metric: MeasuredAt
    column: str = "value"

    @property
    def is_measured(self) -> bool:
        """Whether it is the value of a metric, of which folds and tests say how exact it is."""
        return self.column == "value"

    @property
    def ranks(self) -> bool:
        """Whether more, or less, of it is better."""
        return self.is_measured and not self.metric.metric.is_descriptive

    @property
    def sign(self) -> int:
        """1 where more is better, -1 where less is."""
        return -1 if self.ranks and not self.metric.metric.higher_is_better else 1


def quantity(experiment: Experiment, name: str, over: str = "") -> Quantity:
    """Return the quantity of a name; without one, the study's first metric that ranks systems.

    Raises SpecError if the study does not have it.

    Parameters
    ----------
    experiment
        The experiment.
    name
        A metric of the study, ``user_coverage``, ``rating_coverage``, or ``Coverage@10`` for a cut-off of its metrics.
    over
        The dimension that numbers lie along; the name may leave out a cut-off, or a parameter of a metric, if it is that.
    """
    ranking = [at for at in experiment.metrics if not at.metric.is_descriptive] or list(experiment.metrics)
    if not name:
        return Quantity(ranking[0].written, ranking[0])
    if name in _COVERAGES:
        return Quantity(name.replace("_", " "), ranking[0], name)
    at_depth = {f"{_AT_DEPTH}{at.cutoff}": at for at in experiment.metrics if not at.is_whole}
    if name in at_depth:
        return Quantity(name, at_depth[name], "coverage_at_cutoff")
    try:
        found = _named(experiment, name, over)
    except SpecError as error:
        known = [*(at.written for at in experiment.metrics), *_COVERAGES, *at_depth]
        raise SpecError(f"metric: the study has no '{name}'{nearest(name, known)}", allowed=", ".join(known)) from error
    return Quantity(found.written if name == found.written else name, found)


def _named(experiment: Experiment, name: str, over: str) -> MeasuredAt:
    try:
        return metrics_of(experiment, name)[0]
    except SpecError:
        if not over:
            raise
        return metrics_of(experiment, name, [over])[0]
