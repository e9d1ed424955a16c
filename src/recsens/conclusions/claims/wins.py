"""One system is better than another, and the study's test tells them apart."""

from recsens.conclusions.claims import Claim, Evidence, Ground, Judgement, Region, Verdict
from recsens.conclusions.claims._parameters import METRIC, A, B, at, check_pair, check_ranks, quantity, with_interval
from recsens.conclusions.dimensions.naming import Name

_ABOVE = Region(0.0, is_open=True)
_BELOW = Region(high=0.0)


class Wins(Claim):
    """System ``a`` is better than ``b``, and the design's test tells them apart.

    Held if ``a`` wins, not held if ``b`` wins, undecided if neither does: a test that does not tell two systems apart does not show
    that the claim is false. Who wins is decided as in ``verdicts.csv``: the better value, the users' differences the same way, and
    p, corrected as the design says, below ``alpha``. The interval printed is that of the difference over users.
    """

    a: Name = A
    b: Name = B
    metric: Name = METRIC

    def check(self, ground: Ground) -> None:
        """Refuse a pair that the study does not compare, and a metric that only describes."""
        check_pair(ground.experiment, self.a, self.b)
        check_ranks(quantity(ground.experiment, self.metric))

    def judge(self, ground: Ground, evidence: Evidence) -> Judgement:
        """Judge by who wins."""
        of = quantity(ground.experiment, self.metric)
        found = evidence.difference(at(ground, self.a, of), at(ground, self.b, of), of)
        verdict: dict[str, Verdict] = {self.a: "held", self.b: "not held"}
        what = f"{of.name} of {self.a} minus {self.b}"
        numbers = f"{self.a} − {self.b}: {with_interval(found.value, *found.interval, found.basis, found.p_value)}"
        return Judgement(
            verdict.get(found.winner, "undecided"),
            what,
            found.value,
            *found.interval,
            _ABOVE if of.sign > 0 else _BELOW,
            found.basis,
            numbers,
        )

    def words(self, ground: Ground) -> str:
        """Say who beats whom."""
        return f"{self.a} beats {self.b} by {quantity(ground.experiment, self.metric).name}"
