"""The contract of claims and of their outcomes: whether a claim held, and the numbers that show it."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

from recsens.conclusions.claims._evidence import Evidence
from recsens.plugins import Plugin
from recsens.plugins.own import Call, returns
from recsens.study import Ground

Verdict = Literal["held", "not held", "undecided"]

_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Region:
    """The numbers for which a claim is true, from ``low`` to ``high``; if ``is_open``, ``low`` itself is excluded."""

    low: float = -math.inf
    high: float = math.inf
    is_open: bool = False

    def verdict(self, low: float, high: float) -> Verdict:
        """Judge an interval: held if inside the region, not held if outside, and undecided otherwise, also for NaN."""
        above = low > self.low if self.is_open else low >= self.low
        if above and high <= self.high:
            return "held"
        below = high <= self.low if self.is_open else high < self.low
        return "not held" if below or low > self.high else "undecided"


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """The outcome of judging a claim.

    Attributes
    ----------
    verdict
        Whether the claim held.
    of
        A name of the number that judges the claim, such as ``P@10 of MF minus that of kNN``.
    value, low, high
        The number that judges the claim, and its interval; NaN if there is no such number.
    asked
        The numbers for which the claim is true.
    basis
        The data from which the interval is computed.
    numbers
        The numbers behind the verdict, in one line for readers.
    """

    verdict: Verdict
    of: str
    value: float
    low: float
    high: float
    asked: Region
    basis: str
    numbers: str


def by_interval(of: str, value: float, interval: tuple[float, float], asked: Region, basis: str, numbers: str) -> ClaimOutcome:
    """Judge a claim by the interval of one number."""
    return ClaimOutcome(asked.verdict(*interval), of, value, *interval, asked, basis, numbers)


def _judgement(call: Call, judgement: object) -> ClaimOutcome:
    if not isinstance(judgement, ClaimOutcome):
        raise call.refused(f"returned {type(judgement).__name__}", "a recsens.conclusions.claims.ClaimOutcome")
    return judgement


class Claim(Plugin):
    """A claim about the numbers of an experiment."""

    kind: ClassVar[str] = "claim"

    @abstractmethod
    def check(self, ground: Ground) -> None:
        """Refuse an experiment that lacks something that the claim needs; called when the study file is read.

        Raises
        ------
        SpecError
            If the experiment lacks something; the message says what is allowed.
        """

    @abstractmethod
    @returns(_judgement)
    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge the claim by the experiment's results."""

    @abstractmethod
    def words(self, ground: Ground) -> str:
        """State the claim in words, without a full stop."""
