"""Two systems cross along a number."""

import math
from collections.abc import Sequence
from itertools import pairwise

from pydantic import Field

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Known, Region
from recsens.conclusions.claims._along_dimension import check_along, line, number_at
from recsens.conclusions.claims._base import judge_number
from recsens.conclusions.claims._evidence import join_bases
from recsens.conclusions.claims._parameters import METRIC, OVER, PAIRED, A, B, Between, Quantity, check_system, find_quantity
from recsens.conclusions.dimensions import Coordinates, Name, Place
from recsens.errors import SpecError
from recsens.tables.numbers import MISSING, tick


class Crosses(Claim):
    """The difference between ``a`` and ``b`` changes sign exactly once along ``over``, within ``between``.

    At a point of the dimension, the difference has a sign if its interval excludes zero. The claim is not held if the signs change
    more than once, if both ends have the same sign, or if the crossing certainly lies outside ``between``. It is held if the signs
    change once and the crossing certainly lies within ``between``. Otherwise it is undecided. The crossing is located by straight
    lines between neighbouring points. Its bounds are the points where the two ends of the difference's interval reach zero.
    Intervals are over users if the study compares the two systems, and over folds otherwise.
    """

    a: Name = A
    b: Name = B
    metric: Name = METRIC
    over: Name = OVER
    between: Between = Field((0.0, 1.0), description="where the crossing lies: two numbers on ``over``")
    first: Name = Field("", description="the system with the higher value before the crossing; if empty, either system")

    paired: bool = PAIRED

    def check(self, ground: Ground) -> None:
        """Refuse a claim about anything that the study lacks, or if fewer than two points have both systems."""
        for key, label in (("a", self.a), ("b", self.b)):
            check_system(ground.experiment, key, label)
        if self.first not in {"", self.a, self.b}:
            raise SpecError(f"first: '{self.first}' is neither of the two systems", allowed=f"{self.a}, {self.b}")
        self._coordinates_along(ground, find_quantity(ground.experiment, self.metric, self.over))

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the signs of the difference, and by the points where the sign changes."""
        of = find_quantity(ground.experiment, self.metric, self.over)
        along = self._coordinates_along(ground, of)
        differences = [evidence.difference(a, b, of, paired=self.paired) for _, a, b in along]
        numbers, region = [number_at(place) for place, _, _ in along], Region(*self.between)
        signs = [1 if difference.low > 0 else -1 if difference.high < 0 else 0 for difference in differences]
        sure = [sign for sign in signs if sign]
        changes = sum(one != other for one, other in pairwise(sure))
        is_reversed = changes == 1 and self.first not in {"", self.a if sure[0] > 0 else self.b}
        wrong = changes > 1 or (signs[0] != 0 and signs[0] == signs[-1]) or is_reversed
        at, low, high = _crossing(numbers, differences, signs)
        ahead = {1: self.a, -1: self.b, 0: "neither"}
        leaders = [(place.on_axis, ahead[sign]) for (place, _, _), sign in zip(along, signs, strict=True)]
        where = MISSING if math.isnan(at) else f"{tick(round(at, 4))} ({_interval_text(low, high)})"
        what = f"{self.over} at which {self.a} and {self.b} cross by {of.name}"
        numbers_in_words = f"crossing at {where}; ahead: {', '.join(_leaders_in_words(leaders))}"
        crossing = Known(at, low, high, join_bases(differences))
        return judge_number(what, crossing, region, numbers_in_words, "not held" if wrong else None)

    def words(self, ground: Ground) -> str:
        """State which systems cross, and where."""
        name = find_quantity(ground.experiment, self.metric, self.over).name
        low, high = map(tick, self.between)
        return f"{self.a} and {self.b} cross once by {name}, at {self.over} {low} to {high}"

    def _coordinates_along(self, ground: Ground, of: Quantity) -> list[tuple[Place, Coordinates, Coordinates]]:
        """List both systems' coordinates at each point; if a system does not vary, it has the same coordinates at all points."""
        one, other = (line(ground, self.over, label, of) for label in (self.a, self.b))
        if one is None and other is None:
            check_along(ground, self.over, self.a, of)
        lone = Coordinates(ground.dataset, self.b if other is None else self.a, of.metric, ground.design)
        first, second = one or {}, other or {}
        listed = [
            (place, first.get(place, lone), second.get(place, lone))
            for place in first or second
            if (one is None or place in first) and (other is None or place in second)
        ]
        if len(listed) < 2:
            raise SpecError(f"over: {len(listed)} values of '{self.over}' that both systems have", allowed="two or more")
        return listed


def _crossing(numbers: Sequence[float], differences: Sequence[Known], signs: Sequence[int]) -> tuple[float, float, float]:
    """Return where the difference is zero, and the first and last number at which it may be zero.

    If no two points have certain and opposite signs, the crossing may lie before or after all points with certain signs. The bound
    on such an open side is infinite.
    """
    values = [difference.value for difference in differences]
    if any(map(math.isnan, values)):
        return math.nan, math.nan, math.nan
    at = next(iter(_zeros(numbers, values)), math.nan)
    before = next((n for n in range(len(signs) - 1) if signs[n] and (later := _next(signs, n)) and signs[later] != signs[n]), None)
    if before is None:
        return at, *_open_ends(numbers, differences, signs)
    after = _next(signs, before)
    assert after is not None
    part = slice(before, after + 1)
    ends = [_zeros(numbers[part], [getattr(difference, end) for difference in differences[part]]) for end in ("low", "high")]
    within = next((zero for zero in _zeros(numbers[part], values[part])), at)
    return within, min(map(min, ends)), max(map(max, ends))


def _open_ends(numbers: Sequence[float], differences: Sequence[Known], signs: Sequence[int]) -> tuple[float, float]:
    """Return the bounds between which the difference may cross zero once, if all certain signs are the same."""
    if signs[0] and signs[-1]:
        return math.nan, math.nan
    if not signs[0] and not any(signs[1:-1]) and not signs[-1]:
        return -math.inf, math.inf
    end = "low" if max(signs) > 0 else "high"
    zeros = _zeros(numbers, [getattr(difference, end) for difference in differences])
    return (-math.inf if not signs[0] else min(zeros)), (math.inf if not signs[-1] else max(zeros))


def _next(signs: Sequence[int], number: int) -> int | None:
    return next((later for later in range(number + 1, len(signs)) if signs[later]), None)


def _zeros(numbers: Sequence[float], values: Sequence[float]) -> list[float]:
    """List the numbers on the dimension at which straight lines between points reach zero."""
    points = list(zip(numbers, values, strict=True))
    zeros = [x for x, y in points if y == 0]
    for (x, y), (next_x, next_y) in pairwise(points):
        if y * next_y < 0:
            zeros.append(x + (next_x - x) * y / (y - next_y))
    return sorted(zeros)


def _interval_text(low: float, high: float) -> str:
    if math.isnan(low):
        return "both ends are the same"
    if math.isinf(low) and math.isinf(high):
        return "anywhere"
    if math.isinf(high):
        return f"from {tick(round(low, 4))} on"
    return f"up to {tick(round(high, 4))}" if math.isinf(low) else f"{tick(round(low, 4))} to {tick(round(high, 4))}"


def _leaders_in_words(leaders: Sequence[tuple[str, str]]) -> list[str]:
    """Say which system is ahead at which points; neighbouring points are joined."""
    runs: list[tuple[str, str, str]] = []
    for place, who in leaders:
        if runs and runs[-1][2] == who:
            runs[-1] = (runs[-1][0], place, who)
        else:
            runs.append((place, place, who))
    return [f"{who} at {first}" if first == last else f"{who} from {first} to {last}" for first, last, who in runs]
