"""Which of our metrics a name means that some tool prints, and which tools' metrics bear a name of ours."""

from collections.abc import Iterator

from recsens.errors import plain
from recsens.evaluation.conventions import CONVENTIONS, Theirs
from recsens.metrics import ALIASES

_TOOLS_NAMES = {
    **dict.fromkeys(("ndcgat", "ndcgscore"), "nDCG"),
    **dict.fromkeys(("meanaverageprecisionat", "averageprecisionscore"), "AP"),
    **dict.fromkeys(("precisionat",), "P"),
    **dict.fromkeys(("recallat",), "R"),
    "reciprank": "RR",
    "f1beta": "F1",
    "rocauc": "AUC",
}
"""What tools call a metric, without signs and capitals, where our aliases do not know it."""

_ALIASES = {plain(name): meant for name, meant in ALIASES.items()}


def meant_by_tools(name: str) -> str | None:
    """Return the metric that tools call so, where our aliases do not know the name; None for any other name."""
    return _TOOLS_NAMES.get(plain(name))


def called(ours: str) -> Iterator[tuple[str, Theirs]]:
    """Yield the tools' metrics whose names mean a metric of ours, each with the tool; the formulas may differ."""
    for tool, convention in CONVENTIONS.items():
        for theirs in convention.metrics:
            bare = theirs.name.partition("(")[0].lower()
            meant = meant_by_tools(bare) or _ALIASES.get(plain(bare), bare).partition("(")[0]
            if meant.lower() == ours.lower():
                yield tool, theirs
