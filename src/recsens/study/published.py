"""Published numbers to compare with the study's numbers, and the claims that they imply."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from pydantic import Field

from recsens.arrays import grouped
from recsens.metrics import parse_measured_at
from recsens.plugins.specs import format_value
from recsens.study.claims import ClaimEntry
from recsens.study.decisions import Decisions
from recsens.study.experiment import Experiment
from recsens.study.field_types import Keys

_UNDER = "Decisions in which the printed design differs from the base design; the study must include this design."

_SHARE = 0.9
"""The share of pairs that must be in the printed order if there are three or more systems."""


class Published(Keys):
    """A printed value to compare with the computed value."""

    dataset: str = Field(description="Label of the data set.")
    system: str = Field(description="Label of the system.")
    metric: str = Field(description="Metric with its cut-off.")
    under: dict[str, Any] = Field(default_factory=dict, description=_UNDER)
    value: float = Field(description="The value as printed.")
    source: str = Field(description="Where it is printed: table, row.")
    note: str = Field(
        "", description=("What a reader should know about a difference that remains: what was tried, and why it remains.")
    )


class PublishedComparison(Keys):
    """A printed p-value to compare with the computed p-value."""

    dataset: str = Field(description="Label of the data set.")
    system_a: str = Field(description="Label of a system.")
    system_b: str = Field(description="Label of the other system.")
    metric: str = Field(description="Metric with its cut-off.")
    under: dict[str, Any] = Field(default_factory=dict, description=_UNDER)
    p_value: float = Field(ge=0, le=1, description="The p-value as printed.")
    source: str = Field(description="Where it is printed: table, row.")


_Key = tuple[str, str, Decisions]


def printed_claims(
    published: Sequence[Published], comparisons: Sequence[PublishedComparison], by_label: Mapping[str, Experiment]
) -> list[ClaimEntry]:
    """Return the claims that printed numbers imply.

    A printed p-value below ``alpha`` implies that the system with the better printed value wins or, without printed values, that
    the two systems differ. A higher p-value implies that the test finds no difference. Printed values of two systems without a
    p-value imply that the better system wins, or that the two tie if the values are equal. Values of more systems imply that nine
    of ten pairs are in the printed order. The value of a single system implies no claim, because a printed number does not state
    how close to it a value must be.
    """
    values = grouped((_key(printed, by_label), printed) for printed in published)
    tested = {_key(printed, by_label) for printed in comparisons}
    listed = [_of_p(printed, by_label[printed.dataset].alpha, values.get(_key(printed, by_label), [])) for printed in comparisons]
    for key, group in values.items():
        if key not in tested and len(group) > 1 and not parse_measured_at(group[0].metric)[0].metric.is_descriptive:
            listed.append(_value_claim(group))
    return listed


def _key(entry: Published | PublishedComparison, by_label: Mapping[str, Experiment]) -> _Key:
    design = by_label[entry.dataset].design.changed(entry.under)
    return entry.dataset, str(parse_measured_at(entry.metric)[0]), design


def _of_p(entry: PublishedComparison, alpha: float, values: Sequence[Published]) -> ClaimEntry:
    in_print = {score.system: score.value for score in values}
    if entry.p_value >= alpha:
        return _make_claim(entry, "not_significant", a=entry.system_a, b=entry.system_b)
    best = _order({label: in_print[label] for label in (entry.system_a, entry.system_b) if label in in_print}, entry.metric)
    if len(best) == 2:
        return _make_claim(entry, "wins", a=best[0][0], b=best[1][0])
    return _make_claim(entry, "differ", a=entry.system_a, b=entry.system_b)


def _value_claim(values: Sequence[Published]) -> ClaimEntry:
    groups = _order({score.system: score.value for score in values}, values[0].metric)
    labels = [label for group in groups for label in group]
    if len(labels) == 2:
        return _make_claim(values[0], "wins" if len(groups) == 2 else "tied", a=labels[0], b=labels[1])
    order = tuple(group if len(group) > 1 else group[0] for group in groups)
    return _make_claim(values[0], "ranks", order=order, share=_SHARE)


def _order(values: Mapping[str, float], metric: str) -> list[tuple[str, ...]]:
    """Group systems by value, best first."""
    sign = 1 if parse_measured_at(metric)[0].metric.higher_is_better else -1
    by_value = sorted(values.items(), key=lambda item: -sign * item[1])
    return [tuple(label for label, _ in group) for _, group in groupby(by_value, key=lambda item: item[1])]


def _make_claim(about: Published | PublishedComparison, kind: str, **parameters: Any) -> ClaimEntry:
    written = ",".join([*(f"{name}={format_value(value)}" for name, value in parameters.items()), f"metric={about.metric}"])
    return ClaimEntry.model_validate(
        {"claim": f"{kind}({written})", "source": about.source, "under": about.under, "dataset": about.dataset}
    )
