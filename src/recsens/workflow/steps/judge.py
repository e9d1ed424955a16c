"""Decide who wins each comparison, and which single change of a decision reverses it."""

from __future__ import annotations

from recsens.report.results import read_comparisons, read_summary, read_table
from recsens.report.verdicts.pairs import flip_rows, verdict_rows
from recsens.workflow.parts import load_part
from recsens.workflow.steps._rows import write_frame


def judge(
    *, study: str, summary: str, comparisons: str, multiverse: str, verdicts: str, flips: str, decisions: str | None = None
) -> None:
    """Write the table of verdicts, and the table of verdicts that a single change reverses."""
    asked = load_part(study, "judge", decisions)
    values, tests = read_summary(summary), read_comparisons(comparisons)
    write_frame(verdicts, "verdicts", verdict_rows(asked, values, tests, read_table(multiverse, "multiverse")))
    write_frame(flips, "flips", flip_rows(asked, values, tests))
