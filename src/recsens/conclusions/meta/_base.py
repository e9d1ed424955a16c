"""The contract of an analysis of metrics, and what it finds."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from recsens.conclusions.meta._judged_rankings import Board
from recsens.errors import SpecError
from recsens.metrics import MeasuredAt
from recsens.plugins import Plugin
from recsens.plugins.own import Call, returns
from recsens.ranking.targets import Targets
from recsens.study import Asked, Decisions

_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Finding:
    """One number that an analysis finds.

    Attributes
    ----------
    quantity
        What it is: one of the analysis's `Analysis.quantities`.
    value
        The number; NaN where it is not defined.
    metric, against
        The metric it is about, and another that it is compared with.
    at
        Where on the analysis's axis: a share, a size, a depth.
    system_a, system_b
        Labels of the systems it is about.
    low, high
        Interval of the value.
    spread
        Standard deviation over what it is a mean of.
    n
        How many samples, pairs or users it is a mean of.
    """

    quantity: str
    value: float
    metric: MeasuredAt | None = None
    against: MeasuredAt | None = None
    at: float = _NAN
    system_a: str = ""
    system_b: str = ""
    low: float = _NAN
    high: float = _NAN
    spread: float = _NAN
    n: int = 0


def _findings(call: Call, findings: object) -> list[Finding]:
    if not isinstance(findings, Sequence) or not all(isinstance(each, Finding) for each in findings):
        raise call.refused(f"returned {type(findings).__name__}", "a list of Findings")
    unknown = sorted({each.quantity for each in findings} - set(call.plugin.quantities))
    if unknown:
        raise call.refused(f"returned the quantity '{unknown[0]}'", ", ".join(call.plugin.quantities))
    return list(findings)


class Analysis(Plugin):
    """An analysis of metrics, from the judged rankings of all systems on one fold."""

    kind: ClassVar[str] = "analysis"
    quantities: ClassVar[dict[str, str]]
    """What it finds: the name of each quantity, and its meaning in a sentence."""
    headline: ClassVar[str]
    """The quantity by which metrics are ordered: one number a metric."""
    best_says: ClassVar[str] = "comes first"
    """What is true of the metric that it puts first, in words that follow its name: ``keeps the order of systems best``."""
    is_merit: ClassVar[bool] = True
    """Whether the headline tells a better metric from a worse one, and not only how like others it is."""
    sampled: ClassVar[str] = "samples"
    """What `Finding.n` counts of the headline, and its interval is over."""
    less_is_better: ClassVar[frozenset[str]] = frozenset()
    """Quantities of which a metric with less is the better one; of all others it is the one with more."""
    undirected: ClassVar[frozenset[str]] = frozenset()
    """Quantities of which neither more nor less is better."""
    several: ClassVar[frozenset[str]] = frozenset()
    """Quantities with several numbers a metric: by place of the axis, by pair, by another metric."""
    not_averaged: ClassVar[frozenset[str]] = frozenset()
    """Quantities that stay apart by fold, such as p-values: their mean is none of their kind."""
    axis: ClassVar[str] = ""
    """What `Finding.at` holds, with its unit."""
    axis_falls: ClassVar[bool] = False
    """Whether figures draw the axis from its largest number to its smallest, so that the whole test set stands at the left."""
    drawn_by: ClassVar[str] = ""
    """The figure, as a spec without ``analysis``, by which a study shows it that declares no figures; empty for none."""
    thins: ClassVar[bool] = False
    """Whether it takes ratings out of the test set, which is valid only if target items do not depend on it."""

    @property
    def higher_is_better(self) -> bool:
        """Whether metrics with more of the headline come first."""
        return self.headline not in self.less_is_better

    def check(self, asked: Asked) -> None:
        """Refuse metrics that it cannot analyse, when the study file is read.

        Raises
        ------
        SpecError
            The message names the metric and says what is allowed.
        """
        for measured in asked.metrics:
            _refuse_unless_by_user(measured)

    def check_design(self, design: Decisions) -> None:
        """Refuse a design whose rankings it cannot analyse, when the study file is read.

        Raises SpecError if there is one ranking for each relevant rating (1R), or if ratings are taken out of a test set that
        target items depend on.
        """
        targets = Targets.build(design.targets)
        if targets.unit != "user":
            raise SpecError(
                f"by targets '{targets.spec}', each relevant rating has a ranking of its own, with one judged item (1R)",
                allowed="targets that give a user one ranking, such as ar",
            )
        if self.thins and targets.uses_test:
            raise SpecError(
                f"targets '{targets.spec}' are chosen by the test set, so that a part of it must be ranked anew",
                allowed="targets that leave the test set alone, such as ar",
                remedy="thin the split instead: split: thinned(...)",
            )

    @abstractmethod
    @returns(_findings)
    def analyse(self, board: Board, asked: Asked) -> list[Finding]:
        """Analyse all metrics on one fold."""


def _refuse_unless_by_user(measured: MeasuredAt) -> None:
    metric = measured.metric
    if metric.unit != "user":
        raise SpecError(f"metric '{measured.written}' has one value for all users together", allowed="metrics with a value a user")
    if metric.is_descriptive:
        raise SpecError(f"metric '{measured.written}' only describes rankings: no system is better by it", allowed="other metrics")
    if metric.reads == "lists":
        raise SpecError(
            f"metric '{measured.written}' reads whole lists, of which an analysis knows the judged items only",
            allowed="metrics that read positions or predictions",
        )
