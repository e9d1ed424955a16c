"""Models that were fitted on test pairs, which files do not show."""

from collections.abc import Iterator

from recsens.runs.leakage._material import Material
from recsens.runs.leakage.suspicion import Suspicion

NAME = "fitted on test pairs"


def look(_: Material) -> Iterator[Suspicion]:
    """Say that this was not checked: lists of a better model favour a user's test items as well (see the page on leaks)."""
    yield Suspicion(NAME, "", "not told", "the lists of a better model look the same")
