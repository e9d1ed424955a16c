"""Costs: what each system took to fit and rank under the base design, as a table and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from recsens.config import load_study
from recsens.steps._rows import write_rows
from recsens.studies.costs import Cost, cost_page
from recsens.studies.results import read_summary
from recsens.tables import read_json, write_text


def costs(
    *, study: str, summary: str, records: Sequence[str], table: str, page: str, systems: Sequence[tuple[str, str, str, int]]
) -> None:
    """Gather the costs of all systems.

    Parameters
    ----------
    study, summary
        The study file and its summary, which knows the coverage.
    records
        What the jobs of the systems left, in the order of ``systems``.
    table, page
        The CSV file and the HTML page to write.
    systems
        Data set or experiment, system, fold, and the number of records it has: one of a fit, if it was a job, and one of a ranking.
    """
    left, found = list(records), []
    for dataset, system, fold, n in systems:
        found.append(Cost.of(dataset, system, fold, [read_json(path) for path in left[:n]]))
        del left[:n]
    write_rows(table, [asdict(cost) for cost in found])
    write_text(page, cost_page(load_study(study), found, read_summary(summary)))
