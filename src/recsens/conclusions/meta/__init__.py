"""Judging metrics: how robust they are to missing judgements, how well they distinguish systems, and how closely they agree."""

from recsens.conclusions.meta._base import FINDINGS, Finding, MetricAnalysis, average_over_folds, columns_of
from recsens.conclusions.meta._judged_rankings import Board, Rules
from recsens.study import MetricAnalysisTask

__all__ = ["FINDINGS", "Board", "Finding", "MetricAnalysis", "MetricAnalysisTask", "Rules", "average_over_folds", "columns_of"]
