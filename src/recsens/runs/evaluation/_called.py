"""Translate metric names: from a tool's name to our metric, and from our metric to the tools' metrics with that name."""

from collections.abc import Iterator

from recsens.errors import plain
from recsens.metrics import ALIASES
from recsens.runs.evaluation.conventions import CONVENTIONS, Theirs

_TOOLS_NAMES = {
    **dict.fromkeys(("ndcgat", "ndcgscore"), "nDCG"),
    **dict.fromkeys(("meanaverageprecisionat", "averageprecisionscore"), "AP"),
    **dict.fromkeys(("precisionat",), "P"),
    **dict.fromkeys(("recallat",), "R"),
    "reciprank": "RR",
    "f1beta": "F1",
    "rocauc": "AUC",
}
"""Tools' names that are not among our aliases, without punctuation and capitals -> our metric."""

_ALIASES = {plain(name): meant for name, meant in ALIASES.items()}


def meant_by_tools(name: str) -> str | None:
    """Return our metric for a tool's name that is not among our aliases; None for any other name."""
    return _TOOLS_NAMES.get(plain(name))


def called(ours: str) -> Iterator[tuple[str, Theirs]]:
    """Yield each tool's metrics that go by a name of our metric, with the tool; their formulas may differ from ours."""
    for tool, convention in CONVENTIONS.items():
        for theirs in convention.metrics:
            bare = theirs.name.partition("(")[0].lower()
            meant = meant_by_tools(bare) or _ALIASES.get(plain(bare), bare).partition("(")[0]
            if meant.lower() == ours.lower():
                yield tool, theirs
