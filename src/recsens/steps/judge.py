"""Judge: who wins each comparison, and which single change of a decision turns that over."""

from __future__ import annotations

from recsens import tables
from recsens.config import load_study
from recsens.studies.judging import flip_rows, verdict_rows
from recsens.studies.results import read_comparisons, read_summary


def judge(*, study: str, summary: str, comparisons: str, verdicts: str, flips: str) -> None:
    """Write the tables of verdicts and of those that a single change turns."""
    asked, values, tests = load_study(study), read_summary(summary), read_comparisons(comparisons)
    for path, table in ((verdicts, verdict_rows(asked, values, tests)), (flips, flip_rows(asked, values, tests))):
        with tables.atomic(path) as temporary:
            table.to_csv(temporary, index=False, lineterminator="\n")
