"""Claims: what a paper concludes, judged by the results of a study."""

from recsens.conclusions.claims._base import Claim
from recsens.conclusions.claims._evidence import Evidence, Known
from recsens.conclusions.claims._judgement import Judgement, Region, Verdict, judged
from recsens.conclusions.claims._table import claim_rows
from recsens.study import Ground

__all__ = ["Claim", "Evidence", "Ground", "Judgement", "Known", "Region", "Verdict", "claim_rows", "judged"]
