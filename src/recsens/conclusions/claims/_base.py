"""The contract of claims and of their outcomes: whether a claim held, and the numbers that show it."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

from recsens.conclusions.claims._evidence import Evidence, Known
from recsens.conclusions.verdicts.study_tables import Results
from recsens.plugins import Plugin
from recsens.plugins.own import Call, returns
from recsens.study import ClaimEntry, Ground, Study
from recsens.study.claims import in_words

Verdict = Literal["held", "not held", "undecided"]


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


def judge_interval(of: str, value: float, interval: tuple[float, float], asked: Region, basis: str, numbers: str) -> ClaimOutcome:
    """Judge a claim by the interval of one number."""
    return ClaimOutcome(asked.verdict(*interval), of, value, *interval, asked, basis, numbers)


def judge_number(of: str, number: Known, asked: Region, numbers: str, verdict: Verdict | None = None) -> ClaimOutcome:
    """Judge a claim by the interval of one number, unless the verdict is given."""
    verdict = verdict or asked.verdict(*number.interval)
    return ClaimOutcome(verdict, of, number.value, *number.interval, asked, number.basis, numbers)


def judge_all(verdicts: Sequence[Verdict]) -> Verdict:
    """Judge a claim that says several things: held if all of them are, and not held if any of them is not."""
    return "not held" if "not held" in verdicts else "undecided" if "undecided" in verdicts else "held"


def _check_judgement(call: Call, judgement: object) -> ClaimOutcome:
    if not isinstance(judgement, ClaimOutcome):
        raise call.refused(f"returned {type(judgement).__name__}", "a recsens.conclusions.claims.ClaimOutcome")
    return judgement


class Claim(Plugin):
    """A claim about the numbers of an experiment."""

    kind: ClassVar[str] = "claim"
    further_tables: ClassVar[Sequence[str]] = ()
    """Tables that the claim reads, apart from those that every claim may read."""

    @property
    def is_over_datasets(self) -> bool:
        """Whether the claim is about all data sets together; its ground then names none of them."""
        return False

    @abstractmethod
    def check(self, ground: Ground) -> None:
        """Refuse an experiment that lacks something that the claim needs; called when the study file is read.

        Raises
        ------
        SpecError
            If the experiment lacks something; the message says what is allowed.
        """

    @abstractmethod
    @returns(_check_judgement)
    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge the claim by the experiment's results."""

    @abstractmethod
    def words(self, ground: Ground) -> str:
        """State the claim in words, without a full stop."""


def claim_rows(study: Study, results: Results) -> list[dict[str, Any]]:
    """Judge every claim: first the study's own claims, then the claims that its printed values and p-values imply."""
    known: dict[tuple[str, ...], Evidence] = {}
    rows = []
    for origin, entry in study.all_claims:
        ground = study.claim_scope(entry)
        part = tuple(ground.experiment.datasets)
        if part not in known:
            known[part] = Evidence(ground.experiment, results)
        rows.append(_claim_row(origin, entry, ground, known[part]))
    return rows


def _claim_row(origin: str, entry: ClaimEntry, ground: Ground, evidence: Evidence) -> dict[str, Any]:
    claim = cast("Claim", entry.assertion)
    judgement = claim.judge(ground, evidence)
    return {
        "dataset": ground.dataset,
        "claim": entry.claim.written,
        "under": in_words(entry.under),
        "says": entry.says or claim.words(ground),
        "source": entry.source,
        "origin": origin,
        "calibrated": entry.calibrated,
        "verdict": judgement.verdict,
        "numbers": judgement.numbers,
        "of": judgement.of,
        "value": judgement.value,
        "low": _finite(judgement.low),
        "high": _finite(judgement.high),
        "asked_low": _finite(judgement.asked.low),
        "asked_high": _finite(judgement.asked.high),
        "basis": judgement.basis,
    }


def _finite(number: float) -> float | None:
    """Return a number; None if it is infinite."""
    return None if math.isinf(number) else number
