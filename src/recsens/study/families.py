"""The families of data sets over which a study combines its results, and the scale on which it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from recsens.comparison.random_effects import FEWEST_FAMILIES
from recsens.data.datasets import DataSet
from recsens.errors import nearest
from recsens.plugins.specs import Spec
from recsens.study.field_types import Keys
from recsens.study.margin import Margin

Scale = Literal["relative", "difference", "standardised"]
Families = Mapping[str, tuple[str, ...]]
"""Labels of data sets by their family."""


class Combining(Keys):
    """How a study with several data sets combines its results over them."""

    scale: Scale | None = None
    """relative: the logarithm of the ratio of the systems' values, shown as a percentage; difference: in units of the metric;
    standardised: in standard deviations of the users' differences. By default relative, but difference with a margin in units
    of the metric."""
    families: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Name of a family: labels of its data sets. A family counts once, because data sets of one site resemble each other. By
    default, all releases of a data set and all readings of one file are a family, any other data set is its own, and simulated
    ones are left out."""

    friedman: bool = False
    """Whether the order of the systems also has their mean ranks over families, with Friedman's test and Nemenyi's, and
    Bradley-Terry strengths. All ignore how large differences are, and Nemenyi's verdict on a pair depends on which other systems
    are compared. Pairs then have a weighted mean too, with Hartung and Knapp's interval; it decides nothing."""

    def scale_with(self, margin: Margin) -> Scale:
        """Return the scale, which has to be the margin's.

        Raises
        ------
        ValueError
            If the margin is on another scale.
        """
        of_margin: Scale | None = None if margin.is_zero else "relative" if margin.is_share else "difference"
        if self.scale and of_margin and self.scale != of_margin:
            raise ValueError(
                f"over_datasets.scale: the margin {margin} is on the scale '{of_margin}', not '{self.scale}'. "
                f"Write scale: {of_margin}, or another margin"
            )
        return self.scale or of_margin or "relative"


def families(datasets: Mapping[str, Spec], declared: Families) -> Families:
    """Return the family of each data set that is combined, in the study's order.

    Raises
    ------
    ValueError
        If a declared family names an unknown data set, or one that another family has.
    """
    of_label: dict[str, str] = {}
    for family, labels in declared.items():
        for label in labels:
            if label not in datasets:
                raise ValueError(f"over_datasets.families.{family}: no data set '{label}'{nearest(label, list(datasets))}")
            if label in of_label:
                raise ValueError(f"over_datasets.families: '{label}' is in two families, '{of_label[label]}' and '{family}'")
            of_label[label] = family
    found: dict[str, list[str]] = {}
    for label, spec in datasets.items():
        component = DataSet.build(spec)
        if label in of_label or not component.is_simulated:
            key = of_label.get(label) or component.site or str(getattr(component, "path", None) or label)
            found.setdefault(key, []).append(label)
    # Data sets that read one file are a family under the first one's label.
    named = {*of_label.values(), *(DataSet.build(spec).site for spec in datasets.values())}
    return {key if key in named else labels[0]: tuple(labels) for key, labels in found.items()}


def is_worth_combining(found: Families) -> bool:
    """Whether there are enough families to say something about other data sets, so that a study combines them unasked."""
    return len(found) >= FEWEST_FAMILIES
