"""Divide the uncertainty of differences among users, splits and fits."""

from collections.abc import Mapping, Sequence

from recsens.outcomes.variance_components import component_rows
from recsens.pipeline.table_files import write_rows
from recsens.study.keys_by_step import load_part
from recsens.workflow.steps._outcomes import read_outcomes


def components(
    *,
    study: str,
    measures: Sequence[str],
    population: str,
    user_tables: Sequence[str] = (),
    user_ids: Sequence[str] = (),
    components: str,
    addresses: Mapping[str, str],
    decisions: str | None = None,
) -> None:
    """Write the table of components."""
    asked = load_part(study, "components", decisions)
    outcomes = read_outcomes(asked, measures, population, addresses, user_tables, user_ids)
    write_rows(components, "components", list(component_rows(outcomes)))
