"""Claims: what a paper concludes, judged by the results of a study."""

from recsens.conclusions.claims._base import Claim, ClaimOutcome, Region, Verdict, by_interval, claim_rows
from recsens.conclusions.claims._evidence import Evidence, Known
from recsens.moved import renamed
from recsens.study import Ground

__all__ = ["Claim", "ClaimOutcome", "Evidence", "Ground", "Known", "Region", "Verdict", "by_interval", "claim_rows"]


def __getattr__(name: str) -> object:
    return renamed(__name__, name)
