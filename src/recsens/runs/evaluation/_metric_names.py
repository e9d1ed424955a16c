"""Metric names: our own, or another tool's, such as ndcg_cut_10."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from recsens.errors import SpecError
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.metrics.variants.conventions import Convention, ShortList, Ties

_SHOWN = {"P": "SetP", "F1": "SetF"}
_DEFAULT = ("nDCG@10", "P@10", "R@10", "AP", "RR")
_USUAL_CUTOFF = 10
_WITH_CUTOFFS = re.compile(r"(?P<name>.+?)(?P<mark>[@_.])(?P<cutoffs>\d+(?:,\d+)*)")


@dataclass(frozen=True)
class LabelledMetric:
    """A metric with a label for its values.

    ``is_total`` means that values are summed over users instead of averaged; ``ties`` is the metric's own order of equal scores.
    """

    label: str
    measured: MeasuredAt
    is_total: bool = False
    ties: Ties | None = None

    @property
    def definition(self) -> str:
        """The metric's definition, with every parameter."""
        return f"the sum over users of {self.measured}" if self.is_total else str(self.measured)


def asked_for(texts: Iterable[str], convention: Convention, short_list: ShortList) -> list[LabelledMetric]:
    """Read metrics under a convention; if there are no names, return the usual metrics.

    Raises SpecError if a metric does not exist or is given twice.
    """
    metrics = [one for text in list(texts) or _usual(convention) for one in _read(text.strip(), convention, short_list)]
    for one in metrics:
        if one.measured.metric.reads == "lists":
            raise SpecError(
                f"metric '{one.label}' reads whole lists and the train set, but a run with judgements contains neither",
                allowed="metrics of judged items: recsens metrics",
                remedy="evaluate the scores in a study, as docs/your-model.md shows",
            )
    labels = [one.label for one in metrics]
    for label in labels:
        if labels.count(label) > 1:
            raise SpecError(f"metric '{label}' is given twice", remedy="name it once")
    return metrics


def _usual(convention: Convention) -> list[str]:
    if not convention.metrics:
        return list(_DEFAULT)
    return [
        metric.name if metric.cutoff != "always" else f"{metric.name}@{_USUAL_CUTOFF}"
        for metric in convention.metrics
        if not metric.takes
    ]


def _read(text: str, convention: Convention, short_list: ShortList) -> list[LabelledMetric]:
    if not convention.metrics:
        return [LabelledMetric(one.short, one) for one in (_shown(one, short_list) for one in parse_measured_at(text))]
    at_levels = convention.find_levels(text)
    if at_levels is not None:
        metric, levels = at_levels
        return [LabelledMetric(label, parse_measured_at(ours)[0]) for label, ours in metric.at_levels(levels)]
    match = _WITH_CUTOFFS.fullmatch(text)
    if match is None:
        theirs = convention.find(text, at_cutoff=False)
        return [LabelledMetric(text, parse_measured_at(theirs.ours)[0], theirs.is_total, theirs.ties)]
    ours = convention.find(match["name"], at_cutoff=True).ours
    mark = "_" if match["mark"] == "." else match["mark"]
    cutoffs = match["cutoffs"].split(",")
    measured = (_shown(one, short_list) for one in parse_measured_at(f"{ours}@{match['cutoffs']}"))
    return [LabelledMetric(f"{match['name']}{mark}{cutoff}", one) for cutoff, one in zip(cutoffs, measured, strict=True)]


def _shown(one: MeasuredAt, short_list: ShortList) -> MeasuredAt:
    """If ``short_list`` is ``shown``, replace a metric by the variant that divides by the length of a short list."""
    name = one.metric.plugin_name()
    if short_list == "cutoff" or name not in _SHOWN:
        return one
    return parse_measured_at(f"{_SHOWN[name]}@{one.cutoff}")[0]
