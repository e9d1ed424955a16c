"""Test all analyses of every pair of systems together."""

from collections.abc import Mapping, Sequence

from recsens.conclusions.multiverse import multiverse as all_analyses
from recsens.pipeline.table_files import write_rows
from recsens.study.keys_by_step import load_part
from recsens.workflow.steps._outcomes import read_outcomes


def multiverse(
    *,
    study: str,
    measures: Sequence[str],
    population: str,
    user_tables: Sequence[str] = (),
    user_ids: Sequence[str] = (),
    multiverse: str,
    joint: str,
    addresses: Mapping[str, str],
    decisions: str | None = None,
) -> None:
    """Write the table of all analyses with adjusted p-values, and the table of their joint results."""
    study_part = load_part(study, "multiverse", decisions)
    pooled = all_analyses(read_outcomes(study_part, measures, population, addresses, user_tables, user_ids))
    write_rows(multiverse, "multiverse", pooled.analyses)
    write_rows(joint, "joint", pooled.joint)
