"""Geometric means over users."""

from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.errors import DesignError
from recsens.metrics import Judged, Metric, TakesCutoff, Unit
from recsens.plugins import component
from recsens.plugins.specs import Spec


class GeometricMean(Metric):
    """GM = exp((1 / |U|) Σ_u ln max(m_u, floor)) of the values m_u of another metric.

    Small values weigh more than in a mean. Values below the floor are raised to it, so a single 0 does not make the result 0. There
    is one value for all users; it is NaN without users. The range is that of the metric, but starts at the floor. The aggregate
    ``geometric`` adds a small number to each value instead.
    """

    label: ClassVar[str] = "GeometricMean"
    source: ClassVar[str] = "trec_eval's gm_map and gm_bpref"
    unit: ClassVar[Unit] = "pooled"
    takes_cutoff: ClassVar[TakesCutoff] = "optionally"

    of: Annotated[Spec, *component("metric")] = Field(Spec("AP"), description="the metric, with one value per user")
    floor: float = Field(1e-5, gt=0, description="values below this are raised to it")

    @property
    def has_range_by_ties(self) -> bool:
        """Whether the averaged metric has a range by ties."""
        return Metric.build(self.of).has_range_by_ties

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Average logarithms.

        Raises DesignError if the metric is pooled, or reads more than positions.
        """
        metric = Metric.build(self.of)
        if metric.unit != "user" or metric.reads != "positions":
            raise DesignError(
                f"'{self.of}' has no geometric mean", allowed="metrics of positions with one value per user, such as AP"
            )
        logarithms = np.log(np.maximum(metric.measure(judged, cutoffs), self.floor))
        if judged.n_users == 0:
            return np.full((1, len(cutoffs)), np.nan)
        return np.asarray(np.exp(logarithms.mean(axis=0, keepdims=True)))
