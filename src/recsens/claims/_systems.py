"""Systems that a claim names, checked against the experiment."""

from __future__ import annotations

from recsens.claims._quantity import Quantity
from recsens.errors import SpecError, nearest
from recsens.report.space.dimensions import Coordinates
from recsens.study import Experiment, Ground


def at(ground: Ground, system: str, quantity: Quantity) -> Coordinates:
    """Return where the number of a system stands."""
    return Coordinates(ground.dataset, system, quantity.metric, ground.design)


def check_system(experiment: Experiment, key: str, label: str) -> None:
    """Refuse a label that no system has.

    Raises
    ------
    SpecError
        The message names the nearest, and all.
    """
    if label not in experiment.systems:
        what = f"unknown system '{label}'{nearest(label, experiment.systems)}" if label else "no system named"
        raise SpecError(f"{key}: {what}", allowed=", ".join(experiment.systems))


def check_pair(experiment: Experiment, a: str, b: str) -> None:
    """Refuse two labels that are no pair of systems that the experiment compares; raises as `check_system`."""
    check_system(experiment, "a", a)
    check_system(experiment, "b", b)
    if a == b:
        raise SpecError(f"'{a}' is compared with itself", remedy="name two systems")
    if not is_compared(experiment, a, b):
        raise SpecError(f"the study does not compare '{a}' and '{b}'", remedy=f"add [{a}, {b}] to 'compare'")


def is_compared(experiment: Experiment, a: str, b: str) -> bool:
    """Whether an experiment tests the difference of two systems."""
    return {(a, b), (b, a)} & set(experiment.pairs()) != set()


def check_ranks(quantity: Quantity) -> None:
    """Refuse a quantity by which no system is better; raises as `check_system`."""
    if not quantity.ranks:
        raise SpecError(
            f"metric: neither more nor less of '{quantity.name}' is better, so nobody wins by it",
            remedy="claim exceeds(...), which compares numbers",
        )
