"""The selections of users and columns of side tables on which a check of target items depends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

from recsens.comparison.aggregation import Aggregate
from recsens.metrics import Metric
from recsens.plugins.specs import Spec
from recsens.study.carried import ratings_after
from recsens.study.design import Design


class TargetCheckInputs(NamedTuple):
    """The inputs that determine the result of a check, besides the fold and the target items."""

    audiences: list[list[float | str | None]]
    """Relevance threshold and user selection (B1) of each design with these target items; missing thresholds come first."""
    user_columns: list[str]
    """Columns of the data set's table of users that weight users in any design."""
    metrics: list[str]
    """The metrics that may refuse the data: if they read columns of items, or if only the filtered data show their ratings."""

    @classmethod
    def by(cls, targeting: Sequence[Design], on_data: Iterable[Design], metrics: Sequence[Metric], data: Spec) -> TargetCheckInputs:
        """Collect the inputs from the designs with these targets, all designs on the data set, and the study's metrics."""
        audiences = {(design.relevance, str(design.users)) for design in targeting}
        unknown = ratings_after(data, targeting[0].filter) is None
        return cls(
            [list(pair) for pair in sorted(audiences, key=lambda pair: (pair[0] is not None, pair))],
            sorted({column for design in on_data for column in Aggregate.build(design.aggregate).user_columns}),
            sorted({str(metric.spec) for metric in metrics if unknown or bool(getattr(metric, "item_columns", ()))}),
        )

    @property
    def digest(self) -> str:
        """Ten hexadecimal digits for the name of the check's record; if studies have different inputs, their records differ."""
        return sha256(json.dumps(self).encode()).hexdigest()[:10]
