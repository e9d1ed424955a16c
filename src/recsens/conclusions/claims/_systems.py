"""Systems that a claim names, checked against the experiment."""

from dataclasses import replace

from recsens.conclusions.claims._quantity import Quantity
from recsens.conclusions.verdicts.space.dimensions import Coordinates, option_of
from recsens.errors import SpecError, nearest
from recsens.study import Decisions, Experiment, Ground
from recsens.study.taxonomy import DESIGN


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


def with_option(ground: Ground, option: str) -> Ground:
    """Return the ground whose design has another option, of whatever decision it is one; raises as `check_system`."""
    others = [design for design in ground.experiment.designs() if design != ground.design]
    changes = {design: _single_change(ground.design, design) for design in others}
    found = [design for design, options in changes.items() if option in options]
    if not found:
        known = list(dict.fromkeys(options[0] for options in changes.values() if options))
        raise SpecError(
            f"b_with: no design has '{option}' and all else as the claim's{nearest(option, known)}", allowed=", ".join(known)
        )
    return replace(ground, design=found[0])


def _single_change(base: Decisions, design: Decisions) -> list[str]:
    """Write the one option in which a design differs from another, as the study does and canonically; empty if there are more."""
    keys = [each for each in DESIGN if getattr(base, each.key) != getattr(design, each.key)]
    if len(keys) != 1:
        return []
    option = getattr(design, keys[0].key)
    return (
        list(dict.fromkeys([getattr(option, "written", ""), option_of(keys[0], design)]))
        if keys[0].kind
        else [option_of(keys[0], design)]
    )


def check_ranks(quantity: Quantity) -> None:
    """Refuse a quantity by which no system is better; raises as `check_system`."""
    if not quantity.ranks:
        raise SpecError(
            f"metric: neither more nor less of '{quantity.name}' is better, so nobody wins by it",
            remedy="claim exceeds(...), which compares numbers",
        )
