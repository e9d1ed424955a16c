"""Whole numbers as arguments of a call: seeds, and numbers of draws."""

from operator import index
from typing import Any

from recsens.errors import DesignError

LARGEST_SEED = 2**63 - 1


def whole(name: str, given: Any, *, least: int = 0, most: int | None = None) -> int:
    """Return a whole number as Python's own: random streams are named by its text, and 1.0 would name another than 1.

    Raises
    ------
    DesignError
        If it is of another type, such as a truth value, or out of bounds.
    """
    try:
        number = None if isinstance(given, bool) else index(given)
    except TypeError:
        number = None
    if number is None or number < least or (most is not None and number > most):
        upper = "" if most is None else f" to {most}"
        raise DesignError(f"{name} = {given!r}", allowed=f"whole numbers from {least}{upper}")
    return number


def seed_or(seed: Any, usual: int) -> int:
    """Return a seed, or the usual one if none is given.

    Raises
    ------
    DesignError
        If it is not a whole number that a study could have.
    """
    return usual if seed is None else checked_seed(seed)


def checked_seed(seed: Any) -> int:
    """Return a seed.

    Raises
    ------
    DesignError
        If it is not a whole number that a study could have.
    """
    return whole("seed", seed, most=LARGEST_SEED)
