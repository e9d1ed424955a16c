"""Evaluation of runs without a study: any program's scores, any metric, and other tools' conventions."""

from recsens.evaluation._curves import curve
from recsens.evaluation._divided import of_one_fold
from recsens.evaluation._evaluate import Evaluation, Evaluator, evaluate
from recsens.evaluation._input_forms import rows_of, run_of, told_of
from recsens.evaluation._label_columns import label_columns
from recsens.evaluation._run_comparison import compare
from recsens.evaluation._settings import Settings
from recsens.evaluation.conventions import CONVENTIONS, Convention, Theirs

__all__ = [
    "CONVENTIONS",
    "Convention",
    "Evaluation",
    "Evaluator",
    "Settings",
    "Theirs",
    "compare",
    "curve",
    "evaluate",
    "label_columns",
    "of_one_fold",
    "rows_of",
    "run_of",
    "told_of",
]
