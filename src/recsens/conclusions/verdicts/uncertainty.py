"""The sources of a difference's uncertainty: users, splits and fits, with the numbers of draws from which they are known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from recsens.arrays import grouped
from recsens.conclusions.verdicts.study_tables import experiment_rows, records
from recsens.study import Experiment

PARTS: Mapping[str, tuple[str, ...]] = {"users": ("user", "user x split", "rest"), "splits": ("split",), "fits": ("fit",)}
"""Each part of the uncertainty, with its rows of ``components.csv``."""


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """The sources of the uncertainty of one difference.

    Attributes
    ----------
    dataset, systems
        The data set and the two systems.
    rows
        The rows of ``components.csv``, by source.
    """

    dataset: str
    systems: tuple[str, str]
    rows: Mapping[str, Mapping[str, Any]]

    @property
    def shares(self) -> dict[str, float]:
        """The share of each of `PARTS` that is known, in the variance of the difference for other draws of all of them."""
        shares = {part: [self.rows[name]["share"] for name in names if name in self.rows] for part, names in PARTS.items()}
        return {part: sum(own) for part, own in shares.items() if own and not math.isnan(sum(own))}

    @property
    def metric(self) -> str:
        """The metric, as the study writes it."""
        return str(next(iter(self.rows.values()))["metric"])

    def levels(self, part: str) -> int:
        """Return the number of draws of the split, or of fits on all of them."""
        return int(self.rows[PARTS[part][0]]["levels"])

    def freedom(self, part: str) -> int:
        """Return the degrees of freedom of splits or fits; fits are compared on the same draw."""
        return self.levels(part) - (self.levels("splits") if part == "fits" and "split" in self.rows else 1)


def uncertainties_of(part: Experiment, components: pd.DataFrame) -> Sequence[Uncertainty]:
    """List the sources for each data set and pair by the experiment's first metric that has any."""
    rows = records(experiment_rows(part, components))
    found = []
    for (dataset, a, b), of_pair in grouped(((row["dataset"], row["system_a"], row["system_b"]), row) for row in rows).items():
        metric = of_pair[0]["metric_full"]
        found.append(Uncertainty(dataset, (a, b), {row["component"]: row for row in of_pair if row["metric_full"] == metric}))
    return found
