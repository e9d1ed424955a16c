"""Requirements of an audit (``--require``): that one run beats another in at least a share of the analyses."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recsens.conclusions.verdicts.stability import Stability
from recsens.errors import ConfigError, nearest
from recsens.files.kinds import RankBy
from recsens.files.scale import Scale
from recsens.plugins.prose import several
from recsens.runs.audits._bounds import HOLDS, BoundedVerdict
from recsens.study import label_of
from recsens.tables.numbers import count, percentage

_REQUIRED = re.compile(r"(?P<winner>.+?) beats (?P<loser>.+?)(?: in (?P<percent>\d+(?:[.,]\d+)?) ?%)?")
_WITHOUT_SIGN = re.compile(r".+ in \d+(?:[.,]\d+)?")
"""A requirement whose percentage lacks its sign."""


@dataclass(frozen=True)
class Requirement:
    """The requirement that one run beats another in at least a share of the analyses.

    Attributes
    ----------
    text
        The requirement as the user wrote it, such as ``A beats B in 90 %``.
    winner, loser
        The runs.
    least
        The smallest share of the analyses; 1 if no percentage is written.
    """

    text: str
    winner: str
    loser: str
    least: float

    @classmethod
    def parse(cls, text: str) -> Requirement:
        """Read a requirement.

        Raises ConfigError if the text does not have the form of `text`, or names one run twice.
        """
        match = _REQUIRED.fullmatch(text.strip())
        percent = float(match["percent"].replace(",", ".")) if match and match["percent"] else 100.0
        if match is None or not 0 < percent <= 100:
            problem = f"--require '{text}' does not say which run must win"
            raise ConfigError(problem, allowed="'A beats B', or 'A beats B in 90 %', with the names of two runs")
        winner, loser = label_of(match["winner"]), label_of(match["loser"])
        if winner == loser:
            raise ConfigError(f"--require '{text}' names one run twice", allowed="the names of two runs")
        return cls(text, winner, loser, percent / 100)

    def check(self, runs: Collection[str]) -> None:
        """Refuse the requirement if it names a run that does not exist.

        Raises ConfigError.
        """
        strange = next((name for name in (self.winner, self.loser) if name not in runs), None)
        if strange is not None:
            problem = f"--require '{self.text}': no run is called '{strange}'{nearest(strange, list(runs))}"
            remedy = f"write a percentage with its sign: '{self.text} %'" if _WITHOUT_SIGN.fullmatch(self.text.strip()) else None
            raise ConfigError(problem, allowed=", ".join(runs), remedy=remedy)

    def tally(self, pairs: Sequence[Stability], bounds: Sequence[BoundedVerdict]) -> Tally:
        """Count the analyses of the pair; every comparison that cut lists only bound is one of them."""
        both = {self.winner, self.loser}
        rows = [row for pair in pairs if {pair.base["system_a"], pair.base["system_b"]} == both for row in pair.analyses]
        bounded = [each for each in bounds if {each.system_a, each.system_b} == both]
        won = sum(row["winner"] == self.winner for row in rows)
        won += sum(each.verdict == HOLDS and each.winner == self.winner for each in bounded)
        return Tally(self, won, len(rows), len(bounded), sum(each.verdict != HOLDS for each in bounded))


@dataclass(frozen=True)
class Tally:
    """The numbers of analyses behind the answer to a requirement.

    Attributes
    ----------
    requirement
        The requirement.
    won
        Number of analyses in which the required run wins.
    computed
        Number of distinct analyses with a value.
    bounded
        Number of comparisons that cut lists only bound.
    undecided
        Number of bounded comparisons in which no run wins whatever lies below the lists; they count as not won.
    """

    requirement: Requirement
    won: int
    computed: int
    bounded: int
    undecided: int

    @property
    def share(self) -> float:
        """The share of won analyses; 0 if there is no analysis."""
        return self.won / max(self.computed + self.bounded, 1)

    @property
    def holds(self) -> bool:
        """Whether the requirement is met."""
        return self.share >= self.requirement.least

    def told(self) -> str:
        """Say whether the requirement is met, and what was counted."""
        n = self.computed + self.bounded
        of = f"{count(self.won)} of {count(n)} distinct analyses ({percentage(self.share)})"
        verb = "counts" if self.undecided == 1 else "count"
        open_ = f"; the cut lists do not decide {several(self.undecided, 'analysis', 'analyses')}, which {verb} as not won"
        return f"required: {self.requirement.text}: {'yes' if self.holds else 'no'}, in {of}{open_ if self.undecided else ''}"


def badge(tallies: Sequence[Tally]) -> dict[str, Any]:
    """Return a badge in the form that shields.io reads from an address: the only requirement, or how many of several hold."""
    held = sum(tally.holds for tally in tallies)
    label, message = "required wins", f"{held} of {len(tallies)} hold"
    if len(tallies) == 1:
        [tally] = tallies
        label = f"{tally.requirement.winner} beats {tally.requirement.loser}"
        message = f"in {percentage(tally.share)} of analyses"
    return {"schemaVersion": 1, "label": label, "message": message, "color": "brightgreen" if held == len(tallies) else "red"}


@dataclass(frozen=True)
class Options:
    """The options of an audit.

    Attributes
    ----------
    metrics
        The metrics, starting with that of the base design; by default, the usual metrics that the lists determine.
    base, vary
        Options of the base design, and the options to try for each decision; by default, the usual ones.
    scale, relevance
        The rating scale and the lowest relevant rating; None derives them from the ratings.
    rank_by
        Whether scores or ranks order the items of a run.
    columns
        Columns of files whose headers are missing or unknown.
    tipping
        Rates at which unrated items in lists might be relevant, as in a study; none asks nothing about them.
    seed, alpha, margin
        The seed, the significance level and the margin, as in a study.
    least_matched
        The smallest share of users and of items that each run must have in common with the sets; None for the default.
    page
        Whether to draw figures and write the page.
    required
        Requirements; one that names a run that does not exist is refused before anything is computed.
    """

    metrics: Sequence[str] = ()
    base: Mapping[str, Any] = field(default_factory=dict)
    vary: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    scale: Scale | None = None
    relevance: float | None = None
    rank_by: RankBy = "score"
    columns: Sequence[str] = ()
    tipping: Sequence[float] = ()
    seed: int = 0
    alpha: float = 0.05
    margin: float | str = 0.0
    least_matched: float | None = None
    page: bool = True
    required: Sequence[Requirement] = ()
