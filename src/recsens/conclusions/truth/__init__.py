"""Designs judged by a reference design, whose outcome counts as the truth."""

from recsens.conclusions.truth._replicates import conditions
from recsens.conclusions.truth._scorecard import QUANTITIES, scorecard
from recsens.conclusions.truth._scores import DesignScores, scores

__all__ = ["QUANTITIES", "DesignScores", "conditions", "scorecard", "scores"]
