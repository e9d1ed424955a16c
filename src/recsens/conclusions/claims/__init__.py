"""Claims: what a paper concludes, judged by the results of a study."""

from recsens.conclusions.claims._base import Claim, ClaimOutcome, Region, Verdict, claim_rows, judge_interval
from recsens.conclusions.claims._evidence import Evidence, Known
from recsens.study import Ground

__all__ = ["Claim", "ClaimOutcome", "Evidence", "Ground", "Known", "Region", "Verdict", "claim_rows", "judge_interval"]
