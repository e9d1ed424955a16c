"""The contract of a figure, and what it is given to draw."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from recsens.interactions import Interactions
from recsens.own import Call, returns
from recsens.plugins import Plugin
from recsens.report.results import rows_of
from recsens.report.space.dimensions import Coordinates
from recsens.report.space.values import Values
from recsens.study import Experiment

Need = Literal["interactions", "positions", "roles"]
"""interactions: the ratings of each data set after the base design's filter. positions: the base design's rankings. roles: which of
these ratings are in train and in test, by every split of the experiment."""

RankedItems = tuple[NDArray[np.int32], NDArray[np.int32]]
"""The user and the position of every judged item that is ranked, in one fold."""


@dataclass(frozen=True)
class FigureData:
    """What a figure may show.

    Attributes
    ----------
    experiment
        The experiment.
    summary
        One row a data set, design, system and metric (``summary.csv``).
    comparisons
        One row a data set, design, pair of systems, metric and fold (``comparisons.csv``).
    interactions
        The ratings of each data set, by label, for a figure that needs them.
    positions
        The ranked judged items by label of data set and system, fold by fold, for a figure that needs them.
    roles
        The role of each of the ratings in the first fold, by label of data set and split as written, for a figure that needs them.
    """

    experiment: Experiment
    summary: pd.DataFrame
    comparisons: pd.DataFrame
    interactions: Mapping[str, Interactions] = field(default_factory=dict)
    positions: Mapping[tuple[str, str], Sequence[RankedItems]] = field(default_factory=dict)
    roles: Mapping[tuple[str, str], NDArray[np.uint8]] = field(default_factory=dict)

    @classmethod
    def of(cls, experiment: Experiment, summary: pd.DataFrame, comparisons: pd.DataFrame, **further: Any) -> FigureData:
        """Keep what the tables of a study say of one experiment."""
        return cls(experiment, rows_of(experiment, summary), rows_of(experiment, comparisons), **further)

    def value(self, at: Coordinates, column: str = "value") -> float:
        """Return the number in a column of the summary; NaN where there is none."""
        return self._values.number(at, column)

    @cached_property
    def _values(self) -> Values:
        return Values(self.summary)


def _drawn(call: Call, figure: object) -> Figure:
    if not isinstance(figure, Figure):
        raise call.refused(f"returned {type(figure).__name__}", "a matplotlib.figure.Figure")
    return figure


class Drawing(Plugin):
    """A figure: which numbers of an experiment it shows, and how."""

    kind: ClassVar[str] = "figure"
    needs: ClassVar[frozenset[Need]] = frozenset()
    """What it shows beside the tables of the study."""

    @abstractmethod
    def check(self, experiment: Experiment) -> None:
        """Refuse an experiment that lacks what the figure shows, when the study file is read.

        Raises
        ------
        SpecError
            The message says what is allowed.
        """

    @abstractmethod
    @returns(_drawn)
    def draw(self, data: FigureData) -> Figure:
        """Draw it; `recsens.report.figures.ink.house_style` is in force."""

    @abstractmethod
    def heading(self, experiment: Experiment) -> str:
        """Return a title for a figure without one."""

    @abstractmethod
    def caption(self, experiment: Experiment) -> str:
        """Say how to read the figure."""
