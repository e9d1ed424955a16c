"""Evaluate runs without a study: any program's scores, by any metric, under the conventions of any tool."""

from recsens.metrics.variants.conventions import CONVENTIONS, Convention, Theirs, called, meant_by_tools
from recsens.runs.evaluation._curves import curve
from recsens.runs.evaluation._evaluate import Evaluator, evaluate
from recsens.runs.evaluation._evaluation import Evaluation, mean_of
from recsens.runs.evaluation._run_comparison import compare
from recsens.runs.evaluation._settings import Settings

__all__ = ["Evaluation", "Evaluator", "Settings", "compare", "curve", "evaluate"]
