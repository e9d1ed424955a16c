"""Claims that printed values and p-values of a study make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from recsens.metrics import parse_measured_at
from recsens.specs import format_value
from recsens.study.claims import ClaimEntry
from recsens.study.decisions import Decisions
from recsens.study.experiment import Experiment
from recsens.study.published import Published, PublishedComparison

_SHARE = 0.9
"""Share of the pairs of many systems that must stand in the printed order."""

_Key = tuple[str, str, Decisions]


@dataclass(frozen=True, slots=True)
class Printed:
    """What is printed, and what it is printed of.

    Attributes
    ----------
    values, p_values
        Printed numbers of the study.
    by_label
        The experiment of each label of a data set or further experiment.
    further
        Labels of further experiments.
    alpha
        Threshold of significance.
    """

    values: Sequence[Published]
    p_values: Sequence[PublishedComparison]
    by_label: Mapping[str, Experiment]
    further: Iterable[str]
    alpha: float


def printed_claims(printed: Printed) -> list[ClaimEntry]:
    """Read printed numbers as claims.

    A printed p-value below ``alpha`` claims that the system with the better printed value wins, or without printed values that the
    two differ; any other claims that a test does not tell them apart. Printed values that no p-value is about claim that the better
    of two systems wins or, of more, their order in nine of ten pairs; equal ones of two systems, a tie. The value of one system
    alone claims nothing that could be judged: how near is near enough is not printed.
    """
    values: dict[_Key, list[Published]] = {}
    for each in printed.values:
        values.setdefault(_key(printed, each), []).append(each)
    tested = {_key(printed, each) for each in printed.p_values}
    listed = [_of_p(printed, each, values.get(_key(printed, each), [])) for each in printed.p_values]
    for key, group in values.items():
        if key not in tested and len(group) > 1 and not parse_measured_at(group[0].metric)[0].metric.is_descriptive:
            listed.append(_of_values(printed, group))
    return listed


def _key(printed: Printed, entry: Published | PublishedComparison) -> _Key:
    design = printed.by_label[entry.dataset].design.changed(entry.under)
    return entry.dataset, str(parse_measured_at(entry.metric)[0]), design


def _of_p(printed: Printed, entry: PublishedComparison, values: Sequence[Published]) -> ClaimEntry:
    in_print = {each.system: each.value for each in values}
    if entry.p_value >= printed.alpha:
        return _entry(printed, entry, "tied", a=entry.system_a, b=entry.system_b)
    best = _order({label: in_print[label] for label in (entry.system_a, entry.system_b) if label in in_print}, entry.metric)
    if len(best) == 2:
        return _entry(printed, entry, "wins", a=best[0][0], b=best[1][0])
    return _entry(printed, entry, "differ", a=entry.system_a, b=entry.system_b)


def _of_values(printed: Printed, values: Sequence[Published]) -> ClaimEntry:
    groups = _order({each.system: each.value for each in values}, values[0].metric)
    labels = [label for group in groups for label in group]
    if len(labels) == 2:
        return _entry(printed, values[0], "wins" if len(groups) == 2 else "tied", a=labels[0], b=labels[1])
    order = tuple(group if len(group) > 1 else group[0] for group in groups)
    return _entry(printed, values[0], "ranks", order=order, share=_SHARE)


def _order(values: Mapping[str, float], metric: str) -> list[tuple[str, ...]]:
    """Group systems by value, the best first."""
    sign = 1 if parse_measured_at(metric)[0].metric.higher_is_better else -1
    by_value = sorted(values.items(), key=lambda item: -sign * item[1])
    return [tuple(label for label, _ in group) for _, group in groupby(by_value, key=lambda item: item[1])]


def _entry(printed: Printed, about: Published | PublishedComparison, kind: str, **parameters: Any) -> ClaimEntry:
    written = ",".join(_written({**parameters, "metric": about.metric}))
    where = {"experiment": about.dataset} if about.dataset in printed.further else {"dataset": about.dataset}
    return ClaimEntry(claim=f"{kind}({written})", source=about.source, under=about.under, **where)


def _written(parameters: Mapping[str, Any]) -> Iterable[str]:
    """Write parameters as a study would: a metric with parameters needs no quotes."""
    for name, value in parameters.items():
        yield f"{name}={value if name == 'metric' else format_value(value)}"
