"""Evaluate runs without a study: any program's scores, by any metric, under the conventions of any tool."""

from recsens.inputs.folders import DataSetFiles, FoldFiles, RecognisedFolder, recognised
from recsens.inputs.folds import EACH, Divided, Measured, OneFold, of_each_fold, of_one_fold
from recsens.inputs.forms import Source, rows_of, run_of, runs_by_name, told_of
from recsens.inputs.given import chosen_fold, each_fold, folds_of
from recsens.inputs.labelled_rows import LabelledRows, is_divided
from recsens.inputs.matching import LEAST_MATCHED
from recsens.inputs.named_files import AUDIT, NAME_THEM
from recsens.metrics.variants.conventions import CONVENTIONS, Convention, Theirs, called, meant_by_tools
from recsens.runs.evaluation._curves import curve
from recsens.runs.evaluation._evaluate import Evaluator, evaluate
from recsens.runs.evaluation._evaluation import Evaluation, mean_of
from recsens.runs.evaluation._run_comparison import compare
from recsens.runs.evaluation._settings import Settings

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
