"""Claims: what a paper concludes, judged by the results of a study."""

from recsens.conclusions.claims._base import Claim, ClaimOutcome, Region, Verdict, by_interval, claim_rows
from recsens.conclusions.claims._evidence import Evidence, Known
from recsens.study import Ground

__all__ = ["Claim", "ClaimOutcome", "Evidence", "Ground", "Known", "Region", "Verdict", "by_interval", "claim_rows"]
