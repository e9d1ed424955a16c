"""Evaluate runs without a study: any program's scores, by any metric, under the conventions of any tool."""

from recsens.metrics.variants.conventions import CONVENTIONS, Convention, Theirs, meant_by_tools, tool_metrics_called
from recsens.runs.evaluation._curves import curve
from recsens.runs.evaluation._evaluate import Evaluator, evaluate
from recsens.runs.evaluation._evaluation import Evaluation, Settings, compare, mean_of

__all__ = ["Evaluation", "Evaluator", "Settings", "compare", "curve", "evaluate"]
