"""What becomes of users with few ratings."""

import numpy as np

from recsens.comparison.users import Population, Users
from recsens.conclusions.verdicts.components import built
from recsens.plugins.specs import Spec

MANY_RATINGS = 10**6
"""More ratings than any selection asks for."""


def admission(spec: Spec, *, by_rating: bool = False) -> str:
    """Say what becomes of users without train, test or relevant test ratings, by asking the user selection itself.

    Where each relevant test rating has a ranking of its own (``by_rating``), users without such ratings have none, whatever the
    selection says.
    """
    users = built("users", spec)
    if not isinstance(users, Users):
        return ""
    without = (
        ("train ratings", 0, MANY_RATINGS, MANY_RATINGS),
        ("test ratings", MANY_RATINGS, 0, 0),
        ("relevant test ratings", MANY_RATINGS, MANY_RATINGS, 0),
    )
    unranked = ("test ratings", "relevant test ratings") if by_rating else ()
    fates = [
        f"users without {what} {'have no ranking and are left out' if what in unranked else _fate(what, admits(users, *numbers))}"
        for what, *numbers in without
    ]
    text = "; ".join(fates)
    return f"{text[0].upper()}{text[1:]}."


def admits(users: Users, train: int, test: int, relevant: int) -> bool:
    """Whether a selection admits a user with so many train, test and relevant test ratings."""
    one = [np.array([number], dtype=np.int64) for number in (train, test, relevant, MANY_RATINGS)]
    return bool(users.admit(Population(*one))[0])


def _fate(what: str, is_in: bool) -> str:
    if not is_in:
        return "are left out"
    return "are averaged" if what == "train ratings" else "are averaged and count as zero"
