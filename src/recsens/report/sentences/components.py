"""Where the uncertainty of differences comes from, in words."""

import math
from collections.abc import Sequence

from recsens.conclusions.verdicts.uncertainty import Uncertainty
from recsens.plugins.prose import listed
from recsens.tables.numbers import count, score, whole_percentage

HOW = (
    "The variance of each difference is divided among users, draws of the split and fits, for others than those seen, but from the "
    "same data. The resampled p is another answer: it allows for other data too, and decides what is said of other splits."
)

_MOST = 12
"""Largest number of pairs that are described; components.csv lists them all."""


def component_sentences(found: Sequence[Uncertainty]) -> list[str]:
    """Say for each pair whose the uncertainty is, from how many draws this is known, and what the errors are for others."""
    more = len(found) - _MOST
    further = [f"{count(more)} more pair{'s' * (more > 1)}: see components.csv."] if more > 0 else []
    return [*map(_sentence, found[:_MOST]), *further]


def _sentence(found: Uncertainty) -> str:
    (a, b), shares = found.systems, sorted(found.shares.items(), key=lambda each: -each[1])
    known = "" if "splits" in found.shares else " (that of splits is not known)"
    parts = [
        f"{whole_percentage(share)} of the uncertainty{known} is that of {part}{_draws(found, part)}" for part, share in shares[:1]
    ]
    parts += [f"{whole_percentage(share)} that of {part}{_draws(found, part)}" for part, share in shares[1:]]
    errors = [f"{score(row['error'], row['error'])} for {name}" for name, row in found.rows.items() if name.startswith("other")]
    said = f"{listed(parts)}; the" if parts and not math.isnan(shares[0][1]) else "the"
    return f"{a} and {b} on {found.dataset}, by {found.metric}: {said} standard error of the difference is {listed(errors)}."


def _draws(found: Uncertainty, part: str) -> str:
    """Say from how many draws a part is known; users are many."""
    if part == "users":
        return ""
    freedom = found.freedom(part)
    degrees = f"{freedom} degree{'s' * (freedom > 1)} of freedom" if freedom > 1 else "one degree of freedom"
    return f" (from {found.levels(part)} {'draws' if part == 'splits' else part}, {degrees})"
