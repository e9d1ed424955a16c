"""The contract of figures, the data that they receive, and parameters that several figures share."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from recsens.arrays import Floats, Ids
from recsens.conclusions.design_space import base_designs
from recsens.conclusions.experiment_results import ExperimentResults
from recsens.conclusions.verdicts.components import is_by_rating
from recsens.conclusions.verdicts.study_tables import experiment_rows
from recsens.data.interactions import Interactions
from recsens.errors import SpecError, nearest
from recsens.plugins import Plugin
from recsens.report.lazy_matplotlib import Figure
from recsens.study import Experiment

Need = Literal[
    "interactions", "positions", "roles", "multiverse", "components", "effort", "over_datasets", "unrated", "compare_groups"
]
"""interactions: the ratings of each data set after the base design's filter. positions: the base design's rankings. roles: for
every split of the experiment, which of these ratings are in train and which are in test. multiverse: the joint results of each
pair's analyses. components: the sources of uncertainty of differences. effort: the tables of a study that varies the effort.
over_datasets: those of one that combines data sets. unrated: those of a study that asks how far unrated items could push its
verdicts. compare_groups: those of one that asks about groups.
"""

RankedItems = tuple[Ids, Ids, Floats]
"""The user, the position and the rating (NaN in data without ratings) of every judged item that is ranked, in one fold."""


References = Annotated[
    tuple[str | int | float, ...], BeforeValidator(lambda value: value if isinstance(value, tuple) else (value,))
]
"""Numbers, labels of systems and names of analytic values, one or several."""

Y: Any = Field(
    (),
    description="metrics of the study, without a cut-off if a dimension is cutoff; by default the first metric that ranks systems",
)

BY: Any = Field(
    "system", description="what marks and colours stand for, such as system, view or metric; with none, all points are one series"
)

PANEL: Any = Field("dataset", description="what panels stand for; with none, there is one panel")

COLUMNS: Any = Field(2, description="how many columns of a paper the figure spans: 1 (84 mm) or 2 (174 mm)")

SYSTEM: Any = Field("", description="the only system shown, if systems are not a dimension of the figure")

ANALYSIS: Any = Field("", description="name of one of the study's analyses of metrics; by default the only analysis that fits")

METRICS: Any = Field(
    (),
    description="metrics of the analysis; a metric written without a cut-off is shown at all cut-offs; by default all metrics or, "
    "if there are many, each metric at its deepest cut-off",
)


@dataclass(frozen=True)
class FigureData(ExperimentResults):
    """The data for a figure: the results of an experiment and, if the figure `needs` them, ratings and rankings.

    Attributes
    ----------
    interactions
        The ratings of each data set, by label.
    positions
        The ranked judged items by label of data set and system, fold by fold.
    roles
        The role of each rating in the first fold, by the label of the data set and the split as written.
    """

    interactions: Mapping[str, Interactions] = field(default_factory=dict)
    positions: Mapping[tuple[str, str], Sequence[RankedItems]] = field(default_factory=dict)
    roles: Mapping[tuple[str, str], NDArray[np.uint8]] = field(default_factory=dict)

    @cached_property
    def multiverse(self) -> pd.DataFrame:
        """The joint results of all analyses of each pair of systems, one row per analysis (``multiverse.csv``)."""
        return experiment_rows(self.experiment, self.results.multiverse)

    @cached_property
    def joint(self) -> pd.DataFrame:
        """The joint results of all analyses, one row per pair of systems (``joint.csv``)."""
        return experiment_rows(self.experiment, self.results.joint)


class Drawing(Plugin):
    """A figure, which selects numbers of an experiment and draws them."""

    kind: ClassVar[str] = "figure"
    needs: ClassVar[frozenset[Need]] = frozenset()
    """The data that the figure shows in addition to the study's tables."""

    def check(self, experiment: Experiment) -> None:
        """Refuse an experiment that lacks what the figure shows; called when the study file is read. By default, accept all.

        Raises
        ------
        SpecError
            If the experiment lacks something; the message says what is allowed.
        """

    @abstractmethod
    def draw(self, data: FigureData) -> Figure:
        """Draw the figure; called within `recsens.report.figure_style.house_style`."""

    @abstractmethod
    def heading(self, experiment: Experiment) -> str:
        """Return the title for a figure to which the study gives no title."""

    @abstractmethod
    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""


MOST_PANELS = 12
"""Largest number of pairs in such a figure, which shows the first pairs, one per panel."""


def refuse_unknown(systems: Sequence[str], experiment: Experiment) -> None:
    """Refuse systems that the experiment lacks."""
    for system in systems:
        if system not in experiment.systems:
            near = nearest(system, experiment.systems)
            raise SpecError(f"systems: unknown system '{system}'{near}", allowed=", ".join(experiment.systems))


def refuse_without_pairs(experiment: Experiment) -> None:
    """Refuse an experiment that compares no pair of systems."""
    if not experiment.pairs():
        raise SpecError("no two systems are compared", remedy="name pairs in 'compare'")


def refuse_several_datasets(experiment: Experiment, shown: str) -> None:
    """Refuse an experiment with several data sets, of which the panels show only one."""
    if len(experiment.datasets) > 1:
        problem = f"{len(experiment.datasets)} data sets, but the panels show the {shown} of only one data set"
        raise SpecError(problem, remedy="name an experiment")


def first_shown(experiment: Experiment) -> str:
    """Say for a caption that only the first pairs are shown, if a figure has no panels for all pairs on all data sets."""
    return "" if len(experiment.pairs()) * len(experiment.datasets) <= MOST_PANELS else f" The first {MOST_PANELS} are shown."


class Titled(Drawing):
    """A figure whose title is the same in every experiment."""

    title: ClassVar[str]
    """The title for a figure to which the study gives no title."""

    def heading(self, experiment: Experiment) -> str:
        """Return the title."""
        return self.title


class OfRankings(Titled):
    """Base of figures of the rankings of users."""

    def check(self, experiment: Experiment) -> None:
        """Refuse designs with one ranking per rating, because users then have no ranking."""
        if any(map(is_by_rating, base_designs(experiment).values())):
            raise SpecError(f"under targets {experiment.design.targets} users have no rankings", allowed="targets such as ar")


class OfPairs(Titled):
    """A figure of all analyses of pairs of systems."""

    def check(self, experiment: Experiment) -> None:
        """Refuse an experiment that compares no pair of systems, or that has one metric and varies no decision."""
        refuse_without_pairs(experiment)
        if not experiment.vary and len(experiment.metrics) < 2:
            raise SpecError("nothing varies", remedy="add to 'vary' or 'metrics'")


def panel_title(experiment: Experiment, dataset: str, words: str) -> str:
    """Return a panel title, which begins with the data set if there are several."""
    return f"{dataset}: {words}" if len(experiment.datasets) > 1 else words
