"""The formulas that a metric's name may mean: other parameters, other tools' definitions, and metrics mistaken for this one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, get_args, get_origin

from recsens import plugins
from recsens.errors import DesignError, RecsensError, SpecError, nearest
from recsens.metrics import ALIASES, Metric
from recsens.metrics.variants.conventions import OWN
from recsens.runs.evaluation import Theirs, meant_by_tools, tool_metrics_called

_MISTAKEN = {
    "nDCG": ("DCG",),
    "P": ("SetP", "R"),
    "R": ("P", "Success", f"{OWN}PooledRecall"),
    "Success": ("R", f"{OWN}PooledRecall"),
    "RR": ("ARHR",),
    "AP": (f"{OWN}SetAP", f"{OWN}ElevenPoints"),
    "F1": ("SetF", f"{OWN}F1OfMeans"),
    "AUC": ("LAUC", "AUC(undefined=skip)"),
    "RMSE": (f"{OWN}MSE",),
}
"""Other metrics that are sometimes printed under a metric's name, by metric."""

_TRIED: dict[str, tuple[Any, ...]] = {"discount": ("log2", "jk2"), "phi": (0.5, 0.8, 0.85, 0.9, 0.95)}
"""Values to try for parameters that are not words."""

_RANGE = re.compile(r"[\[(](?P<low>-?\d+|-∞), (?P<high>\d+|∞)")


@dataclass(frozen=True)
class Formula:
    """A formula, with its departures: the number of parameters that differ from the metric as named, or 1 for another metric."""

    metric: Metric
    departures: int


@dataclass(frozen=True)
class NamedFormulas:
    """All formulas that a printed name may mean; the plain formula is the first.

    For each tool that has a metric of this name, ``of_tool`` has the indices of the tool's formulas, and whether the tool reads
    whole lists.
    """

    name: str
    formulas: tuple[Formula, ...]
    of_tool: dict[str, tuple[frozenset[int], bool]]

    @classmethod
    def of(cls, name: str, n_items: int) -> NamedFormulas:
        """Find the formulas that a name may mean; ``n_items`` is the number of all items.

        Raises SpecError if no metric has this name; DesignError if the metric reads whole lists.
        """
        meant = _metric_called(name)
        formulas = {meant.printed: Formula(meant, 0)}
        for each in _with_other_parameters(meant):
            formulas.setdefault(each.metric.printed, each)
        tools: dict[str, list[tuple[str, Theirs]]] = {}
        for tool, theirs in tool_metrics_called(meant.plugin_name()):
            metric = Metric.build(f"{theirs.ours}(items={n_items})" if theirs.takes == "items" else theirs.ours)
            formulas.setdefault(metric.printed, Formula(metric, 1))
            tools.setdefault(tool, []).append((metric.printed, theirs))
        for other in _MISTAKEN.get(meant.plugin_name(), ()):
            metric = Metric.build(other)
            formulas.setdefault(metric.printed, Formula(metric, 1))
        place = {printed: number for number, printed in enumerate(formulas)}
        of_tool = {
            tool: (frozenset(place[printed] for printed, _ in own), any(theirs.cutoff == "never" for _, theirs in own))
            for tool, own in tools.items()
        }
        return cls(name, tuple(formulas.values()), of_tool)

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest value of the plain formula."""
        match = _RANGE.match(self.formulas[0].metric.values_range)
        low, high = (match["low"], match["high"]) if match else ("-∞", "∞")
        return float(low.replace("∞", "inf")), float(high.replace("∞", "inf"))


def _metric_called(name: str) -> Metric:
    bare, parenthesis, rest = name.partition("(")
    tools = meant_by_tools(bare)
    try:
        metric = Metric.build(f"{tools or bare.strip()}{parenthesis}{rest}")
    except SpecError as error:
        known = [*plugins.names("metric"), *ALIASES]
        if parenthesis and _is_known(bare):
            raise
        raise SpecError(f"no metric is called '{name}'{nearest(bare, known)} (see 'recsens metrics')") from error
    if metric.reads == "lists":
        raise DesignError(f"'{name}' reads whole lists and the train set; this search covers only metrics of test items")
    return metric


def _is_known(bare: str) -> bool:
    try:
        return bool(Metric.build(bare.strip()))
    except RecsensError:
        return False


def _with_other_parameters(meant: Metric) -> Iterator[Formula]:
    """Yield a metric with every combination of its parameters that are words, fewest changes first."""
    own = {name: getattr(meant, name) for name in type(meant).model_fields}
    words = {name: _words(name, field.annotation) for name, field in type(meant).model_fields.items()}
    others = {name: (own[name], *(word for word in each if word != own[name])) for name, each in words.items() if each}
    changed = (dict(zip(others, values, strict=True)) for values in product(*others.values()))
    counted = ((sum(params[name] != own[name] for name in params), params) for params in changed)
    for departures, params in sorted(counted, key=lambda one: one[0]):
        if departures:
            yield Formula(type(meant)(**{**own, **params}), departures)


def _words(name: str, annotation: Any) -> Sequence[Any]:
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return (False, True) if annotation is bool else _TRIED.get(name, ())
