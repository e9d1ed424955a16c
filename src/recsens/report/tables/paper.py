"""Every table that a paper may want."""

from __future__ import annotations

from recsens.report.alerts.unscorable import warnings_on
from recsens.report.results import Results
from recsens.report.tables.comparisons import comparison_table
from recsens.report.tables.copies import copies_table
from recsens.report.tables.counted import counted_table
from recsens.report.tables.coverage import coverage_table
from recsens.report.tables.datasets import dataset_table
from recsens.report.tables.design_sets import design_sets
from recsens.report.tables.filters import filter_table
from recsens.report.tables.flips import flip_table
from recsens.report.tables.published import published_tables
from recsens.report.tables.robustness import robustness_table
from recsens.report.tables.scores import result_table, sweep_table
from recsens.report.tables.table import Table
from recsens.report.verdicts.pairs import all_flips, judge
from recsens.study import Experiment, Study


def paper_tables(study: Study, results: Results) -> list[Table]:
    """List every table that a paper may want, in the order of the report."""
    judgements = [judge(part, results.summary, results.comparisons) for part in study.all_experiments()]
    tables = [
        flip_table(study, all_flips(judgements)),
        robustness_table([row for verdicts in judgements for row in verdicts.robustness()]),
        copies_table([row for verdicts in judgements for row in verdicts.copied()]),
        dataset_table(study, results.datasets),
        filter_table(results.datasets),
    ]
    for part in study.all_experiments():
        tables += _part_tables(part, results.of(part))
    tables += published_tables(study, results)
    return [table for table in tables if not table.is_empty]


def _part_tables(part: Experiment, results: Results) -> list[Table]:
    summary, comparisons = results.summary, results.comparisons
    sets, tables = design_sets(part, summary), []
    for dataset in part.datasets:
        for ranking in (True, False):
            scores = result_table(part, summary, comparisons, dataset, ranking=ranking, predictions=results.predictions)
            tables.append(scores.noted(*warnings_on(results.counted, dataset, base_only=True)))
            for shown in sets:
                swept = sweep_table(part, shown, summary, comparisons, dataset, ranking=ranking)
                tables.append(swept.noted(*warnings_on(results.counted, dataset, shown)))
        tables += [counted_table(results.counted, dataset, shown) for shown in (None, *sets)]
        tables += [comparison_table(part, comparisons, dataset), coverage_table(part, summary, dataset)]
    return tables
