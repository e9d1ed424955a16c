"""Claims: what a paper concludes, judged by the results of a study."""

from recsens.conclusions.claims._base import Claim, Judgement, Region, Verdict, judged
from recsens.conclusions.claims._claims_table import claim_rows
from recsens.conclusions.claims._evidence import Evidence, Known
from recsens.study import Ground

__all__ = ["Claim", "Evidence", "Ground", "Judgement", "Known", "Region", "Verdict", "claim_rows", "judged"]
