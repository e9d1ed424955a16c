"""Values that other tools' rules give for the same files."""

from collections.abc import Iterator

from recsens.evaluation import CONVENTIONS
from recsens.leakage._material import Material
from recsens.leakage._sizes import UNKNOWN, Inflation
from recsens.leakage.suspicion import Suspicion

NAME = "values under other conventions"

_CASES = ("no_relevant", "no_list", "short_list", "ties")
"""The rules that files alone can vary."""


def look(material: Material) -> Iterator[Suspicion]:
    """Measure each run under every tool's rules on users, short lists and ties, by recsens's own definition of the metric."""
    tools: dict[tuple[str, ...], list[str]] = {}
    for convention in CONVENTIONS.values():
        if convention.ties == "refuse":
            continue
        tools.setdefault(tuple(getattr(convention, case) for case in _CASES), []).append(convention.name)
    own = next(rules for rules, names in tools.items() if "recsens" in names)
    for run in material.runs:
        given = material.given(run).mean
        means = {
            rules: material.measured(run.pairs, material.test, **dict(zip(_CASES, rules, strict=True))).mean
            for rules in tools
            if rules != own
        }
        far = {rules: mean for rules, mean in means.items() if abs(mean - given) > 0}
        most = max(far, key=lambda rules: abs(far[rules] - given), default=None)
        others = "; ".join(f"{mean:.4f} by the rules of {', '.join(tools[rules])}" for rules, mean in far.items())
        yield Suspicion(
            *(NAME, run.name, "none" if most is None else "noted"),
            f"{given:.4f} by those of {', '.join(tools[own])}{f'; {others}' if others else ', and by those of every other tool'}",
            inflation=UNKNOWN if most is None else Inflation.exactly(far[most] - given),
            innocent="two tools that differ in whom they average, short lists or equal scores, of which neither is wrong",
            remedy="compare values of one tool, and print its name and rules",
        )
