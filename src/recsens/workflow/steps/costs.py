"""Collect the costs of fitting and ranking each system under the base design."""

from collections.abc import Sequence
from dataclasses import asdict

from recsens.artefacts.schemas import COSTS
from recsens.artefacts.storage import read_json, write_text
from recsens.conclusions.verdicts.study_tables import read_table
from recsens.pipeline.table_files import write_rows
from recsens.report.tables.costs import Cost, cost_page
from recsens.study.keys_by_step import load_part


def costs(
    *,
    study: str,
    summary: str,
    records: Sequence[str],
    table: str,
    page: str,
    systems: Sequence[tuple[str, str, str, int]],
    decisions: str | None = None,
) -> None:
    """Collect the costs of all systems.

    Parameters
    ----------
    study, summary
        The study file, and its summary, which has the coverage.
    records
        Costs written by the systems' jobs, in the order of ``systems``.
    table, page
        The CSV file and the HTML page to write.
    systems
        For each system: data set or experiment, label, fold, and number of records. There is a record for ranking, and further ones
        for fitting and for tuning if these ran as separate jobs.
    decisions
        Digest of the part of the study that the plan depends on; None if nothing was planned.
    """
    asked = load_part(study, "costs", decisions)
    left, costs_of_systems = list(records), []
    for dataset, system, fold, n in systems:
        costs_of_systems.append(Cost.of(dataset, system, fold, [read_json(path, COSTS) for path in left[:n]]))
        del left[:n]
    write_rows(table, "costs", [asdict(cost) for cost in costs_of_systems])
    write_text(page, cost_page(asked, costs_of_systems, read_table(summary, "summary")))
