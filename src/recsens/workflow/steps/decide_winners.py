"""Decide who wins each comparison; determine which decisions change the verdict, and which decisions matter most."""

from recsens.conclusions.verdicts.influence import influences
from recsens.conclusions.verdicts.pairs import changed_verdicts, experiment_verdicts, shortest_ways
from recsens.conclusions.verdicts.study_tables import read_table
from recsens.conclusions.verdicts.verdict_table import verdict_table
from recsens.pipeline.table_files import write_frame, write_rows
from recsens.study.keys_by_step import load_part


def decide_winners(
    *,
    study: str,
    summary: str,
    comparisons: str,
    verdicts: str,
    flips: str,
    influence: str,
    shortest: str,
    multiverse: str | None = None,
    decisions: str | None = None,
) -> None:
    """Write the verdicts, the changes by a single decision, each decision's influence, and the shortest ways to other winners.

    Without ``multiverse``, p is not adjusted for all analyses together.
    """
    study_part = load_part(study, "decide_winners", decisions)
    pooled = None if multiverse is None else read_table(multiverse, "multiverse")
    table = verdict_table(study_part, read_table(summary, "summary"), read_table(comparisons, "comparisons"), pooled)
    judged = experiment_verdicts(study_part, table)
    write_frame(verdicts, "verdicts", table)
    write_rows(flips, "flips", changed_verdicts(judged))
    write_rows(influence, "influence", [row for each in judged for row in influences(each)])
    write_rows(shortest, "shortest", [row for each in judged for row in shortest_ways(each)])
