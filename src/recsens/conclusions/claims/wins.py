"""One system that is significantly better than another."""

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Region, Verdict
from recsens.conclusions.claims._parameters import METRIC, A, B, at, check_pair, check_ranks, quantity, with_interval
from recsens.conclusions.dimensions import Name

_ABOVE = Region(0.0, is_open=True)
_BELOW = Region(high=0.0)


class Wins(Claim):
    """System ``a`` is better than ``b``, and the difference is significant by the design's test.

    The claim is held if ``a`` wins, not held if ``b`` wins, and undecided if neither wins. A difference that is not significant
    does not show that the claim is false. As in ``verdicts.csv``, a system wins if it has the better value, the users' differences
    favour it too, and p, with the design's correction, is below ``alpha``. The printed interval belongs to the difference over
    users.
    """

    a: Name = A
    b: Name = B
    metric: Name = METRIC

    def check(self, ground: Ground) -> None:
        """Refuse a pair that the study does not compare, and a metric of which neither high nor low values are better."""
        check_pair(ground.experiment, self.a, self.b)
        check_ranks(quantity(ground.experiment, self.metric))

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the winner."""
        of = quantity(ground.experiment, self.metric)
        found = evidence.difference(at(ground, self.a, of), at(ground, self.b, of), of)
        verdict: dict[str, Verdict] = {self.a: "held", self.b: "not held"}
        what = f"{of.name} of {self.a} minus {self.b}"
        numbers = f"{self.a} − {self.b}: {with_interval(found.value, *found.interval, found.basis, found.p_value)}"
        return ClaimOutcome(
            verdict.get(found.winner, "undecided"),
            what,
            found.value,
            *found.interval,
            _ABOVE if of.sign > 0 else _BELOW,
            found.basis,
            numbers,
        )

    def words(self, ground: Ground) -> str:
        """State which system beats which."""
        return f"{self.a} beats {self.b} by {quantity(ground.experiment, self.metric).name}"
