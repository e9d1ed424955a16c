"""The section about one experiment."""

from collections.abc import Mapping
from typing import Any

from recsens.conclusions.verdicts.base_designs import address, base_designs, is_by_rating
from recsens.conclusions.verdicts.metric_names import ranks_systems
from recsens.conclusions.verdicts.study_tables import Results
from recsens.report.alerts.unranked import below_random
from recsens.report.alerts.unscorable import warnings
from recsens.report.sections.figures import figures_shown
from recsens.report.sections.varied import varied_decisions
from recsens.report.settings.statement import differences
from recsens.report.tables.abridged import abridged
from recsens.report.tables.comparisons import comparison_table
from recsens.report.tables.counted import counted_table
from recsens.report.tables.coverage import coverage_table
from recsens.report.tables.design_sets import design_sets
from recsens.report.tables.scores import result_table, sweep_table
from recsens.study import Experiment, Study
from recsens.tables.table import slug


def experiment_section(part: Experiment, study: Study, results: Results, figures: Mapping[str, str]) -> dict[str, Any]:
    """Collect the content of one experiment's section."""
    is_own = not set(part.datasets) & set(study.experiments)
    return {
        "study": part,
        "key": "own" if is_own else slug(part.title),
        "is_own": is_own,
        "dataset": "" if is_own else study.dataset_of(part.title),
        "differences": [] if is_own else differences(part, study),
        "by_rating": is_by_rating(next(iter(base_designs(part).values()))),
        "has_own_systems": part.systems != study.systems,
        "folders": {} if is_own else {label: address(design) for label, design in base_designs(part).items()},
        "varied": varied_decisions(part, results.summary),
        "warnings": warnings(part, results.counted),
        "below_random": below_random(part, results.summary),
        **_scores(part, study, results, figures),
    }


def _scores(study: Experiment, whole: Study, results: Results, figures: Mapping[str, str]) -> dict[str, Any]:
    summary, verdicts, datasets = results.summary, results.verdicts, list(study.datasets)
    sets = design_sets(study, summary)
    by_set = {
        design_set.key: abridged(sweep_table(study, design_set, summary, verdicts, dataset) for dataset in datasets)
        for design_set in sets
    }
    drawn = figures_shown(study, whole, results, figures, by_set)
    descriptive = [str(metric) for metric in study.metrics if not ranks_systems(str(metric))]
    return {
        "results": abridged(
            result_table(study, summary, verdicts, dataset, predictions=results.predictions) for dataset in datasets
        ),
        "counted": abridged(counted_table(results.counted, dataset) for dataset in datasets),
        "counted_by_set": abridged(
            counted_table(results.counted, dataset, design_set) for design_set in sets for dataset in datasets
        ),
        "comparisons": abridged(comparison_table(study, results.comparisons, verdicts, dataset) for dataset in datasets),
        "curves": [figure for figure in drawn if figure["is_curve"]],
        "drawn": [figure for figure in drawn if not figure["is_curve"]],
        "every_design": [
            table for tables in by_set.values() if not any(figure["tables"] is tables for figure in drawn) for table in tables
        ],
        "measures_unrated": any(metric.startswith("Unrated") for metric in descriptive),
        "descriptive": abridged(result_table(study, summary, verdicts, dataset, ranking=False) for dataset in datasets),
        "descriptive_by_set": abridged(
            sweep_table(study, design_set, summary, verdicts, dataset, ranking=False) for design_set in sets for dataset in datasets
        )
        if descriptive
        else [],
        "coverage": abridged(coverage_table(study, summary, dataset) for dataset in datasets),
        "coverage_by_set": abridged(
            coverage_table(study, summary, dataset, design_set) for design_set in sets for dataset in datasets
        ),
    }
