"""Judging metrics: how robust they are to missing judgements, how well they distinguish systems, how much they agree."""

from recsens.conclusions.meta._base import Analysis, Finding
from recsens.conclusions.meta._findings_table import FINDINGS, columns_of, over_folds
from recsens.conclusions.meta._judged_rankings import Board, Rules
from recsens.study import Asked

__all__ = ["FINDINGS", "Analysis", "Asked", "Board", "Finding", "Rules", "columns_of", "over_folds"]
