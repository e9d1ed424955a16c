"""Values of the same files under other tools' rules."""

from collections.abc import Iterator
from typing import Any

from recsens.arrays import grouped
from recsens.runs.evaluation import CONVENTIONS
from recsens.runs.leakage._material import Material
from recsens.runs.leakage._sizes import UNKNOWN, Inflation
from recsens.runs.leakage.suspicion import Suspicion

NAME = "values under other conventions"

_CASES = ("no_relevant", "no_list", "short_list", "ties")
"""The rules that can be applied to files alone."""


def look(material: Material) -> Iterator[Suspicion]:
    """Measure each run with our definition of the metric, under every tool's rules for users, short lists and ties."""
    applied = (each for each in CONVENTIONS.values() if each.ties != "refuse")
    tools = grouped((tuple(getattr(each, case) for case in _CASES), each.name) for each in applied)
    for run in material.runs:
        given = farthest = material.given(run).mean
        by_mean: dict[str, list[str]] = {}
        for rules, names in tools.items():
            cases: dict[str, Any] = dict(zip(_CASES, rules, strict=True))
            mean = given if "recsens" in names else material.measured(run.pairs, material.test, **cases).mean
            by_mean.setdefault(f"{mean:.4f}", []).extend(names)
            farthest = mean if abs(mean - given) > abs(farthest - given) else farthest
        yield Suspicion(
            *(NAME, run.name, "none" if farthest == given else "noted"),
            "; ".join(f"{mean} by the rules of {', '.join(names)}" for mean, names in by_mean.items()),
            inflation=UNKNOWN if farthest == given else Inflation.exactly(given - farthest),
            innocent="tools have different rules for users, short lists and equal scores, and none of these rules is wrong",
            remedy="compare only values of the same tool, and name the tool and its rules",
        )
