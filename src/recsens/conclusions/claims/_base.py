"""The contract of a claim, and of a claim judged: three words, and the numbers that say so."""

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
    """The numbers for which a claim is true, from ``low`` to ``high``; without its lower end if it is ``is_open``."""

    low: float = -math.inf
    high: float = math.inf
    is_open: bool = False

    def verdict(self, low: float, high: float) -> Verdict:
        """Judge an interval: held if all of it lies in the region, not held if none does, undecided otherwise or if it is NaN."""
        above = low > self.low if self.is_open else low >= self.low
        if above and high <= self.high:
            return "held"
        below = high <= self.low if self.is_open else high < self.low
        return "not held" if below or low > self.high else "undecided"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A claim judged.

    Attributes
    ----------
    verdict
        The answer.
    of
        What the deciding number is, such as ``P@10 of MF minus that of kNN``.
    value, low, high
        The deciding number and its interval; NaN where there is none.
    asked
        The numbers for which the claim is true.
    basis
        What the interval rests on.
    numbers
        The numbers in a line for readers.
    """

    verdict: Verdict
    of: str
    value: float
    low: float
    high: float
    asked: Region
    basis: str
    numbers: str


def judged(of: str, value: float, interval: tuple[float, float], asked: Region, basis: str, numbers: str) -> Judgement:
    """Judge a claim by the interval of one number: held or not where all of it says so."""
    return Judgement(asked.verdict(*interval), of, value, *interval, asked, basis, numbers)


def _judgement(call: Call, judgement: object) -> Judgement:
    if not isinstance(judgement, Judgement):
        raise call.refused(f"returned {type(judgement).__name__}", "a recsens.conclusions.claims.Judgement")
    return judgement


class Claim(Plugin):
    """A claim: what would be true of the numbers of an experiment if it holds."""

    kind: ClassVar[str] = "claim"

    @abstractmethod
    def check(self, ground: Ground) -> None:
        """Refuse an experiment that lacks what the claim is about, when the study file is read.

        Raises
        ------
        SpecError
            The message says what is allowed.
        """

    @abstractmethod
    @returns(_judgement)
    def judge(self, ground: Ground, evidence: Evidence) -> Judgement:
        """Judge the claim by the results of the experiment."""

    @abstractmethod
    def words(self, ground: Ground) -> str:
        """Say what is claimed, without a full stop."""
