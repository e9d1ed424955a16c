"""Data sets that are replicates of one another: drawn anew under the same conditions."""

from collections.abc import Mapping, Sequence
from itertools import takewhile

from recsens import plugins
from recsens.plugins.specs import Spec

_REPLICATE = "replicate"
_BETWEEN = " ,;:-_#/("


def conditions(datasets: Mapping[str, Spec]) -> dict[str, list[str]]:
    """Group data sets, given by label, that differ in their parameter ``replicate`` alone.

    Returns the labels of each group by the words that they begin with alike; a group of one by its label, as is a group without
    anything in common by its first.
    """
    groups: dict[str, list[str]] = {}
    for label, spec in datasets.items():
        alike = plugins.build("dataset", spec).spec.without(_REPLICATE)
        groups.setdefault(str(alike), []).append(label)
    named: dict[str, list[str]] = {}
    for labels in groups.values():
        name = _shared(labels)
        named[name if name not in named else labels[0]] = labels
    return named


def _shared(labels: Sequence[str]) -> str:
    if len(labels) == 1:
        return labels[0]
    alike = takewhile(lambda words: len(set(words)) == 1, zip(*(label.split() for label in labels), strict=False))
    return " ".join(words[0] for words in alike).rstrip(_BETWEEN) or labels[0]
