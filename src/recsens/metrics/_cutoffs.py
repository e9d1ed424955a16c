"""Cut-offs: parse and print a metric with the depths at which it is measured, such as ``nDCG@5,10``."""

from collections.abc import ItemsView, Sequence
from dataclasses import dataclass, field

import numpy as np

from recsens.arrays import grouped
from recsens.errors import SpecError
from recsens.files.scale import Scale
from recsens.metrics._base import Metric
from recsens.metrics._judged import Judged
from recsens.plugins.specs import parse
from recsens.vocabulary import LIST_DEPTH

WHOLE = 2**31 - 1
"""The cut-off of a metric written without one; it is beyond the end of any ranking."""

_NONE = np.zeros(0, dtype=np.int64)
_NOBODY = Judged.of(
    user=_NONE.astype(np.int32),
    position=_NONE,
    rating=_NONE.astype(np.float64),
    targets_ranked=_NONE,
    view="full",
    scale=Scale(),
    relevance=Scale().relevance,
)


@dataclass(frozen=True, slots=True)
class MeasuredAt:
    """A metric at a cut-off, such as ``nDCG(discount=log2,gain=binary,ideal=cut)@10``; `WHOLE` means the whole ranking.

    ``spelling`` is the text from which the metric was read, without the cut-off, or empty if there is none. Metrics that differ
    only in their spelling are equal.
    """

    metric: Metric
    cutoff: int
    spelling: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.metric.printed}{self._suffix}"

    @property
    def short(self) -> str:
        """The name without defaults."""
        return f"{self.metric.spec}{self._suffix}"

    @property
    def written(self) -> str:
        """The metric's name as the user wrote it, with only this cut-off; `short` if the metric was not read from text."""
        return f"{self.spelling or self.metric.spec}{self._suffix}"

    @property
    def is_whole(self) -> bool:
        """Whether the metric reads the whole ranking."""
        return self.cutoff == WHOLE

    @property
    def is_open(self) -> bool:
        """Whether the value at a cut-off follows from gains by place, and lists are kept to the cut-off."""
        return self.cutoff <= LIST_DEPTH and self.metric.by_place(_NOBODY, 1) is not None

    @property
    def _suffix(self) -> str:
        return "" if self.is_whole else f"@{self.cutoff}"


def parse_measured_at(text: str) -> list[MeasuredAt]:
    """Parse a metric with one or more cut-offs (``P@10``, ``nDCG(gain=exp)@5,10``), or a metric of the whole ranking (``AP``).

    Aliases are accepted: ``recall@10``.

    Raises SpecError if there is no such metric, if a necessary cut-off is missing, if a cut-off is not a positive integer, or if
    the metric takes no cut-off but has one.
    """
    name, at, depths = text.rpartition("@") if "@" in text else (text, "", "")
    cutoffs = [depth.strip() for depth in depths.split(",")]
    if at and not all(depth.isdecimal() and len(depth) <= len(str(WHOLE)) and 1 <= int(depth) < WHOLE for depth in cutoffs):
        raise _without_cutoff(text, name)
    asked = parse(name)
    metric = Metric.build(asked)
    if not at and metric.takes_cutoff == "always":
        raise _without_cutoff(text, name)
    if at and metric.reads == "lists" and max(map(int, cutoffs)) > LIST_DEPTH:
        raise SpecError(f"metric '{text}' reads more of the lists than is kept", allowed=f"cut-offs up to {LIST_DEPTH}")
    if at and metric.takes_cutoff == "never":
        raise SpecError(f"metric '{name}' reads the whole ranking and takes no cut-off", allowed=str(metric.spec))
    return [MeasuredAt(metric, int(depth) if at else WHOLE, asked.spelling) for depth in cutoffs]


def by_metric(metrics: Sequence[MeasuredAt]) -> ItemsView[Metric, list[int]]:
    """Return each metric with the indices of its entries, which differ only in their cut-offs."""
    return grouped((measured.metric, row) for row, measured in enumerate(metrics)).items()


def _without_cutoff(text: str, name: str) -> SpecError:
    return SpecError(f"metric '{text}' has no cut-off", allowed=f"one or more positive whole numbers, as in {name or text}@10")
