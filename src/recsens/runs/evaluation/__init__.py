"""Evaluate runs without a study: any program's scores, by any metric, under the conventions of any tool."""

from recsens.metrics.variants.conventions import CONVENTIONS, Convention, Theirs, called, meant_by_tools
from recsens.runs.evaluation._curves import curve
from recsens.runs.evaluation._divided import EACH, Divided, Measured, OneFold, of_each_fold, of_one_fold
from recsens.runs.evaluation._evaluate import Evaluator, evaluate
from recsens.runs.evaluation._evaluation import Evaluation, mean_of
from recsens.runs.evaluation._folders import chosen_fold, each_fold, folds_of
from recsens.runs.evaluation._input_forms import Source, rows_of, run_of, runs_by_name, told_of
from recsens.runs.evaluation._matched import LEAST_MATCHED
from recsens.runs.evaluation._named_files import AUDIT, NAME_THEM
from recsens.runs.evaluation._recognised import DataSetFiles, FoldFiles, RecognisedFolder, recognised
from recsens.runs.evaluation._run_comparison import compare
from recsens.runs.evaluation._settings import Settings
from recsens.runs.evaluation._several_runs import LabelledRows, is_divided

__all__ = [
    "AUDIT",
    "CONVENTIONS",
    "EACH",
    "LEAST_MATCHED",
    "NAME_THEM",
    "Convention",
    "DataSetFiles",
    "Divided",
    "Evaluation",
    "Evaluator",
    "FoldFiles",
    "LabelledRows",
    "Measured",
    "OneFold",
    "RecognisedFolder",
    "Settings",
    "Source",
    "Theirs",
    "called",
    "chosen_fold",
    "compare",
    "curve",
    "each_fold",
    "evaluate",
    "folds_of",
    "is_divided",
    "mean_of",
    "meant_by_tools",
    "of_each_fold",
    "of_one_fold",
    "recognised",
    "rows_of",
    "run_of",
    "runs_by_name",
    "told_of",
]
