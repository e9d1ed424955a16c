"""The contract of a metric, and a metric with its cut-off as a printable value."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.errors import SpecError
from recsens.metrics._judged import Judged
from recsens.plugins import Plugin, build

__all__ = ["Judged", "MeasuredAt", "Metric", "parse_measured_at"]


class Metric(Plugin):
    """Measures each user's ranking from the positions of the judged items (decision C2).

    A user without relevant items or without a ranking measures 0; whether such users are averaged is decided by B1 and C4.
    """

    kind: ClassVar[str] = "metric"
    unit: ClassVar[str] = "user"
    """One value a user."""
    higher_is_better: ClassVar[bool] = True
    is_descriptive: ClassVar[bool] = False
    """Whether the metric describes a ranking without saying that more, or less, is better."""
    values_range: ClassVar[str] = "[0, 1]"
    """Printed in the report; a bound that depends on parameters stands in the docstring."""

    @abstractmethod
    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Measure all users at all cut-offs (each >= 1) in one pass, shape (n_users, n_cutoffs)."""

    @property
    def printed(self) -> str:
        """The name with every parameter written out, so that no definition hides in a default."""
        return str(self.full_spec)


@dataclass(frozen=True, slots=True)
class MeasuredAt:
    """A metric at a cut-off, such as ``nDCG(discount=log2,gain=binary,ideal=cut)@10``."""

    metric: Metric
    cutoff: int

    def __str__(self) -> str:
        return f"{self.metric.printed}@{self.cutoff}"

    @property
    def short(self) -> str:
        """The name as one would write it: defaults left out."""
        return f"{self.metric.spec}@{self.cutoff}"


def parse_measured_at(text: str) -> list[MeasuredAt]:
    """Read a metric with one or more cut-offs: ``P@10``, ``nDCG(gain=exp)@5,10``.

    Raises
    ------
    SpecError
        If there is no such metric, or no positive whole cut-off.
    """
    name, at, depths = text.rpartition("@")
    cutoffs = [depth.strip() for depth in depths.split(",")]
    if not at or not all(depth.isdecimal() and int(depth) >= 1 for depth in cutoffs):
        raise SpecError(f"metric '{text}' has no cut-off", allowed=f"a positive whole number or several, as in {name or text}@10")
    metric: Metric = build("metric", name)
    return [MeasuredAt(metric, int(depth)) for depth in cutoffs]
