"""One of a study's experiments, which compares systems under a base design and its variations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field

from recsens.metrics import MeasuredAt
from recsens.plugins.specs import Spec
from recsens.study.decisions import Decisions
from recsens.study.design import has_components
from recsens.study.families import Families, Scale
from recsens.study.field_types import GroupSpec
from recsens.study.margin import Margin
from recsens.study.metric_analyses import MetricAnalysisEntry, all_pairs

Vary = dict[str, tuple[Any, ...]]
Efforts = Annotated[
    tuple[Annotated[int, Field(ge=0, le=500, strict=True)], ...], AfterValidator(lambda efforts: tuple(sorted(set(efforts))))
]
UnratedRates = Annotated[
    tuple[Annotated[float, Field(gt=0, lt=1, strict=True)], ...], AfterValidator(lambda rates: tuple(sorted(set(rates))))
]
Groupings = Annotated[
    tuple[GroupSpec, ...], AfterValidator(lambda groupings: tuple({str(each): each for each in groupings}.values()))
]
Combine = Literal["one_at_a_time", "grid"]
Pairs = tuple[tuple[str, str], ...]


class Question(NamedTuple):
    """A question that only some studies ask, named after the step that answers it.

    Attributes
    ----------
    is_asked
        Whether an experiment asks it.
    tables
        The tables with the answer, by name.
    figures
        Keys of the usual figures of an experiment with pairs of systems that show these tables.
    without_pairs
        Those of an experiment without pairs.
    key
        The key by which a study asks, and on which no other step depends; empty if the answer follows from other keys alone.
    """

    is_asked: Callable[[Experiment], bool]
    tables: tuple[str, ...]
    figures: tuple[str, ...]
    without_pairs: tuple[str, ...] = ()
    key: str = ""

    def usual_figures(self, experiment: Experiment) -> tuple[str, ...]:
        """Return the keys of the usual figures of an experiment; none if it does not ask."""
        return () if not self.is_asked(experiment) else self.figures if experiment.pairs() else self.without_pairs


@dataclass(frozen=True)
class Experiment:
    """One of a study's experiments.

    Every study has its own experiment, which covers all its data sets. A further experiment has its own base design, on one data
    set.

    Attributes
    ----------
    title
        Heading in the report: the title of the study, or the label of a further experiment.
    description
        The experiment's question, in a sentence or two.
    datasets
        Data sets by their label in tables: the study's labels, or the label of a further experiment.
    systems
        Recommenders by label; by default, a further experiment has the systems of the study.
    design
        The base design. The base design of a further experiment differs from the study's in the decisions that the experiment
        names.
    vary, combine
        The options to try for each decision besides the base design's option, and whether to vary one decision at a time or to try
        all combinations.
    compare
        Pairs of systems, by label; None compares every pair.
    metrics
        Metrics with cut-offs; by default, a further experiment has the metrics of the study.
    seed, alpha, margin
        The seed, the significance level and the margin of the study.
    says
        What systems are, in words for the methods paragraph, by label.
    chosen
        By whom parameters were chosen, in words, by label of the system.
    analyses
        The analyses of the experiment's metrics, by name.
    effort
        The numbers of random trials for which verdicts are computed; none if the study does not vary how hard systems are tuned.
    families, scale, friedman
        The families of data sets over which comparisons are combined, and the scale of differences; no families if they are not.
        ``friedman`` asks for tests of mean ranks, strengths and weighted means beside them.
    tipping
        The rates of relevance among unrated items for which ratios are computed; none if the study does not ask how far its
        verdicts could be pushed.
    groups
        The groupings of users or items within which pairs are compared too; none if the study does not ask.
    """

    datasets: Mapping[str, Spec]
    systems: Mapping[str, Spec]
    metrics: list[MeasuredAt]
    alpha: float
    title: str = ""
    description: str = ""
    seed: int = 0
    design: Decisions = field(default_factory=Decisions)
    vary: Vary = field(default_factory=dict)
    combine: Combine = "one_at_a_time"
    compare: Pairs | None = None
    margin: Margin = field(default_factory=Margin)
    says: Mapping[str, str] = field(default_factory=dict)
    chosen: Mapping[str, str] = field(default_factory=dict)
    analyses: Mapping[str, MetricAnalysisEntry] = field(default_factory=dict)
    effort: Efforts = ()
    families: Families = field(default_factory=dict)
    scale: Scale = "relative"
    friedman: bool = False
    tipping: UnratedRates = ()
    groups: Groupings = ()

    def designs(self) -> list[Decisions]:
        """List the distinct designs: the base design first, then the variations in the file's order."""
        return list(self._designs)

    @cached_property
    def _designs(self) -> tuple[Decisions, ...]:
        options = {
            decision: [getattr(Decisions.model_validate({decision: o}), decision) for o in varied]
            for decision, varied in self.vary.items()
        }
        if self.combine == "grid":
            beside = [[getattr(self.design, decision), *varied] for decision, varied in options.items()]
            changes = [dict(zip(options, chosen, strict=True)) for chosen in product(*beside)]
        else:
            changes = [{decision: option} for decision, varied in options.items() for option in varied]
        return tuple(dict.fromkeys([self.design, *(self.design.model_copy(update=change) for change in changes)]))

    def pairs(self) -> list[tuple[str, str]]:
        """List the pairs of systems to compare, by label."""
        return all_pairs(list(self.systems)) if self.compare is None else list(self.compare)

    @cached_property
    def asked(self) -> frozenset[str]:
        """The pair that the experiment asks about: the first of ``compare``, or the only two systems that its title names."""
        if self.compare is not None:
            return frozenset(next(iter(self.compare), ()))
        longest_first = "|".join(re.escape(label) for label in sorted(self.systems, key=len, reverse=True))
        named = frozenset(re.findall(rf"(?<!\w)(?:{longest_first})(?!\w)", self.title))
        return named if len(named) == 2 else frozenset()

    def figures(self) -> list[str]:
        """List the keys of figures: one for each decision with at least two options, named after the decision.

        If there is no such decision, the key is ``systems``. If there are pairs to compare and several combinations of design and
        metric, the key of the specification curve, ``designs``, is added; then those of every question that the experiment asks.
        """
        designs = self.designs()
        varied = [key for key in self.vary if len({str(getattr(design, key)) for design in designs}) > 1]
        curve = ["designs"] if self.pairs() and len(designs) * len(self.metrics) > 1 else []
        answers = [key for question in QUESTIONS.values() for key in question.usual_figures(self)]
        return [*(varied or ["systems"]), *curve, *answers]


QUESTIONS: Mapping[str, Question] = {
    "components": Question(lambda each: bool(each.pairs()) and has_components(each.design), ("components",), ("components",)),
    "over_datasets": Question(
        lambda each: bool(each.families), ("over_datasets", "effects"), ("over-datasets",), key="over_datasets"
    ),
    "effort": Question(
        lambda each: bool(each.effort),
        ("effort", "searches"),
        ("effort", "effort-verdicts"),
        without_pairs=("effort",),
        key="effort",
    ),
    "unrated": Question(lambda each: bool(each.tipping), ("unrated", "unrated_rates"), ("unrated",), key="tipping"),
    "compare_groups": Question(lambda each: bool(each.groups), ("groups", "group_values"), ("groups",), key="groups"),
}
"""Every question by its step, in the order in which a report answers them."""


def tables_of(experiments: list[Experiment]) -> list[str]:
    """List the tables that answer what some experiments ask, by name."""
    return [table for each in QUESTIONS.values() if any(map(each.is_asked, experiments)) for table in each.tables]
