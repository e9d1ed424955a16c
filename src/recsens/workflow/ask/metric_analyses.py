"""What the rules in ``metric_analyses.smk`` get: the study's analyses of metrics."""

from collections.abc import Iterator
from dataclasses import dataclass

from recsens import plugins
from recsens.artefacts.addresses import Fold
from recsens.artefacts.filesets import list_paths
from recsens.comparison.aggregation import Aggregate
from recsens.errors import SpecError
from recsens.seeds import Origin
from recsens.study import Experiment, MetricAnalysisEntry, file_name
from recsens.study.design import Design
from recsens.study.designs import folds
from recsens.workflow.ask._components import Asked, Wildcards, own_files_of
from recsens.workflow.code_digests import classes_of
from recsens.workflow.plan import Plan


@dataclass(frozen=True, slots=True)
class _MetricAnalysisOfFold:
    """An analysis on one fold of a base design."""

    name: str
    entry: MetricAnalysisEntry
    label: str
    experiment: Experiment
    design: Design
    fold: Fold

    @property
    def file(self) -> str:
        """The analysis's result file, below the study's folder."""
        return f"meta/{self.name}/{file_name(self.label)}.{self.fold.name}.parquet"

    @property
    def full(self) -> str:
        """The plug-in of the analysis, with every parameter."""
        return str(plugins.build("analysis", self.entry.analysis).full_spec)


def analyse_metrics(plan: Plan, at: Wildcards) -> Asked:
    """The rankings of every system in a fold under the base design, what is analysed, and the decisions after ranking."""
    part = _analysis_of_fold(plan, at)
    design, experiment, task = part.design, part.experiment, plan.study.asked(part.entry)
    addresses = [design.ranking_address(part.fold, spec) for spec in experiment.systems.values()]
    components = [
        ("analysis", part.entry.analysis),
        *(("metric", measured.metric.spec) for measured in part.entry.metrics_of(experiment)),
        ("users", design.users),
        ("aggregate", design.aggregate),
    ]
    data, reads_users = design.filter_address.data, bool(Aggregate.build(design.aggregate).user_columns)
    metrics = [measured.metric for measured in task.metrics]
    reads_columns = any(getattr(metric, "item_columns", ()) for metric in metrics)
    source = plan.sources[plan.study.dataset_of(part.label)]
    return {
        "rankings": list_paths(address.measured for address in addresses),
        "lists": list_paths(address.listed for address in addresses) if any(metric.reads == "lists" for metric in metrics) else [],
        "interactions": data.interactions,
        "item_ids": data.item_ids,
        "roles": design.fold_address(part.fold).roles,
        "item_tables": [design.filter_address.side.item_columns] if reads_columns else [],
        "user_tables": [design.filter_address.side.user_columns] if reads_users else [],
        "own_files": own_files_of(plugins.build(kind, spec) for kind, spec in components),
        "analysis": part.full,
        "asked": {
            "systems": list(experiment.systems),
            "metrics": [
                [str(each.metric.spec), each.cutoff, each.spelling]
                for each in task.metrics
                if not plan.leaves_out(part.label, 0, each.metric)
            ],
            "pairs": [list(pair) for pair in task.pairs],
            "alpha": task.alpha,
        },
        "rules": {
            "view": design.view,
            "relevance": design.relevance,
            "users": str(design.users),
            "coverage": design.coverage,
            "aggregate": str(design.aggregate),
        },
        # The names of random streams are the same for every fold.
        "origin": Origin(design.seed, source.component.identity).named,
        "classes": classes_of(components),
    }


def findings(plan: Plan) -> Asked:
    """The findings of each analysis on each fold, with data set or experiment, name of the analysis, analysis in full, and fold."""
    parts = list(_analyses_of_folds(plan))
    return {
        "parts": [f"{plan.folder}/{part.file}" for part in parts],
        "labels": [(part.label, part.name, part.full, part.fold.name) for part in parts],
        "seed": plan.study.seed,
        "classes": classes_of([("analysis", part.entry.analysis) for part in parts]),
    }


def _analyses_of_folds(plan: Plan) -> Iterator[_MetricAnalysisOfFold]:
    for name, entry in plan.study.meta.items():
        experiment = plan.study.shown(entry.experiment)
        for label in experiment.datasets:
            design = plan.designs[label][0]
            for fold in folds(design):
                yield _MetricAnalysisOfFold(name, entry, label, experiment, design, fold)


def _analysis_of_fold(plan: Plan, at: Wildcards) -> _MetricAnalysisOfFold:
    file, parts = f"meta/{at.analysis}/{at.label}.{at.fold}.parquet", {part.file: part for part in _analyses_of_folds(plan)}
    if file not in parts:
        raise SpecError(f"the study has no analysis at '{file}'", allowed=", ".join(parts) or "none")
    return parts[file]
