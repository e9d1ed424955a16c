"""The section about one experiment."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from recsens.conclusions.design_space import DesignSpace, address, base_designs
from recsens.conclusions.verdicts.components import is_by_rating, ranks_systems
from recsens.conclusions.verdicts.study_tables import Results
from recsens.report.alerts.unranked import below_random
from recsens.report.alerts.unscorable import warnings
from recsens.report.sections.figures import figures_shown
from recsens.report.sentences.options import titles_of
from recsens.report.settings.statement import differences
from recsens.report.tables.abridged import abridged
from recsens.report.tables.of_dataset import TablesOfDataset
from recsens.study import Experiment, Study
from recsens.study.ignored import ignored
from recsens.study.taxonomy import decision
from recsens.tables.table import slug


def experiment_section(
    part: Experiment, study: Study, results: Results, figures: Mapping[str, str], of_datasets: Mapping[str, TablesOfDataset]
) -> dict[str, Any]:
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
        **_tables(part, study, results, figures, [of_datasets[label] for label in part.datasets]),
    }


def varied_decisions(study: Experiment, summary: pd.DataFrame) -> list[dict[str, Any]]:
    """List each varied decision with its options, both as written and in words, and with the metrics that ignore the decision."""
    unmoved, space = ignored(study), DesignSpace(summary)
    return [
        {
            "code": varied.code,
            "name": varied.name,
            "options": titles_of(varied, space.options(varied)),
            "ignored_by": [metric.written for metric in unmoved.get(varied.key, ())],
        }
        for varied in map(decision, study.vary)
    ]


def _tables(
    part: Experiment, study: Study, results: Results, figures: Mapping[str, str], of_datasets: Sequence[TablesOfDataset]
) -> dict[str, Any]:
    keys = of_datasets[0].keys
    by_set = {key: abridged(own.scores(key) for own in of_datasets) for key in keys}
    drawn = figures_shown(part, study, results, figures, by_set)
    descriptive = [str(metric) for metric in part.metrics if not ranks_systems(str(metric))]
    return {
        "results": abridged(own.scores() for own in of_datasets),
        "counted": abridged(own.counted() for own in of_datasets),
        "counted_by_set": abridged(own.counted(key) for key in keys for own in of_datasets),
        "comparisons": abridged(own.comparisons for own in of_datasets),
        "curves": [figure for figure in drawn if figure["is_curve"]],
        "drawn": [figure for figure in drawn if not figure["is_curve"]],
        "every_design": [
            table for tables in by_set.values() if not any(figure["tables"] is tables for figure in drawn) for table in tables
        ],
        "measures_unrated": any(metric.startswith("Unrated") for metric in descriptive),
        "descriptive": abridged(own.scores(ranking=False) for own in of_datasets),
        "descriptive_by_set": abridged(own.scores(key, ranking=False) for key in keys for own in of_datasets if descriptive),
        "coverage": abridged(own.coverage() for own in of_datasets),
        "coverage_by_set": abridged(own.coverage(key) for key in keys for own in of_datasets),
    }
