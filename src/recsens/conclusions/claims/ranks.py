"""Several systems in a given order."""

import math
from itertools import combinations
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Region, by_interval
from recsens.conclusions.claims._evidence import together
from recsens.conclusions.claims._parameters import METRIC, at, check_system, quantity
from recsens.conclusions.dimensions import Name
from recsens.errors import SpecError
from recsens.tables.numbers import count

_NAN = float("nan")


def _as_groups(value: Any) -> Any:
    """Parse an order of systems: each entry is one system, or a list of systems whose order does not matter."""
    if not isinstance(value, tuple):
        raise ValueError("must be a list of labels, such as [A,B,[C,D]]")  # noqa: TRY004 - for pydantic
    groups = tuple(tuple(map(str, entry)) if isinstance(entry, tuple) else (str(entry),) for entry in value)
    return tuple(group if len(group) > 1 else group[0] for group in groups)


class Ranks(Claim):
    """Systems are in the given order, the best system first.

    The claim is judged by all pairs of systems that the order distinguishes. A pair is in order if its difference has the right
    sign and its interval excludes zero; it is against the order if the interval lies on the other side of zero. All other pairs are
    open. The claim is held if the pairs in order alone are at least ``share`` of all pairs, not held if the pairs in order and the
    open pairs together are fewer, and otherwise undecided. Intervals are over users if the study compares the pair, and over folds
    otherwise.
    """

    order: Annotated[tuple[str | tuple[str, ...], ...], BeforeValidator(_as_groups)] = Field(
        (), description="labels of systems, the best system first; within an inner list, the order does not matter"
    )
    metric: Name = METRIC
    share: float | int = Field(1, gt=0, le=1, description="share of the pairs that must be in order")

    def check(self, ground: Ground) -> None:
        """Refuse unknown systems, and an order of fewer than two systems."""
        labels = [label for group in self._groups for label in group]
        for label in labels:
            check_system(ground.experiment, "order", label)
        twice = next((label for label in labels if labels.count(label) > 1), "")
        if twice:
            raise SpecError(f"order: '{twice}' appears twice")
        if len(self.order) < 2:
            raise SpecError(f"order: only {len(self.order)} places", allowed="two or more")
        quantity(ground.experiment, self.metric)

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the pairs that are certainly in order, and the pairs that are certainly against it."""
        of = quantity(ground.experiment, self.metric)
        differences = [evidence.difference(at(ground, a, of), at(ground, b, of), of).scaled(of.sign) for a, b in self.pairs]
        right, wrong = sum(difference.low > 0 for difference in differences), sum(difference.high < 0 for difference in differences)
        n, as_values = len(differences), sum(difference.value > 0 for difference in differences)
        nobody = all(math.isnan(difference.value) for difference in differences)
        interval = (_NAN, _NAN) if nobody else (right / n, 1 - wrong / n)
        counts = f"{count(right)} in the order, {count(wrong)} against it, {count(n - right - wrong)} open"
        numbers = f"of {count(n)} pairs, {counts}"
        what = f"share of pairs in order by {of.name}"
        return by_interval(what, as_values / n, interval, Region(float(self.share)), together(differences), numbers)

    def words(self, ground: Ground) -> str:
        """State the order; if there are many systems, state only their number and the first system."""
        name, n = quantity(ground.experiment, self.metric).name, sum(map(len, self._groups))
        order = f"{n} systems, {self._named[0]} first," if n > 5 else f"{' > '.join(self._named)}"
        least = "" if self.share == 1 else f" in {100 * self.share:g} % of pairs"
        return f"{order} by {name}{least}"

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every pair of systems that the order distinguishes, better system first."""
        return [(a, b) for better, worse in combinations(self._groups, 2) for a in better for b in worse]

    @property
    def _groups(self) -> list[tuple[str, ...]]:
        return [group if isinstance(group, tuple) else (group,) for group in self.order]

    @property
    def _named(self) -> list[str]:
        return [" = ".join(group) for group in self._groups]
