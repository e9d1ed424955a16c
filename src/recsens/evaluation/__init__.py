"""Evaluation of runs without a study: any program's scores, any metric, and other tools' conventions."""

from recsens.evaluation._curves import curve
from recsens.evaluation._evaluate import Evaluation, Evaluator, evaluate
from recsens.evaluation._input_forms import names_of_runs, rows_of, run_of, told_of
from recsens.evaluation._output import aligned, decimals
from recsens.evaluation._run_comparison import compare
from recsens.evaluation._settings import Settings
from recsens.evaluation._several_runs import LabelledRows
from recsens.evaluation.conventions import CONVENTIONS, Convention, Theirs

__all__ = [
    "CONVENTIONS",
    "Convention",
    "Evaluation",
    "Evaluator",
    "LabelledRows",
    "Settings",
    "Theirs",
    "aligned",
    "compare",
    "curve",
    "decimals",
    "evaluate",
    "names_of_runs",
    "rows_of",
    "run_of",
    "told_of",
]
