"""Answers for the rules in ``metric_analyses.smk``."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from recsens import plugins
from recsens.artefacts.addresses import Fold
from recsens.comparison.aggregation import Aggregate
from recsens.errors import SpecError
from recsens.plugins import Plugin
from recsens.seeds import Origin
from recsens.study import Experiment, MetricAnalysisEntry, file_name
from recsens.study.design import Design
from recsens.study.designs import folds
from recsens.workflow.ask._components import Components, own_files_of
from recsens.workflow.ask._wildcards import Wildcards
from recsens.workflow.code_digests import classes_of


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


class OfMetricAnalyses(Components):
    """The study's analyses of metrics."""

    def analysed_rankings(self, wildcards: Wildcards) -> list[str]:
        """The files of every system's ranking."""
        part = self._part(wildcards)
        addresses = [part.design.ranking_address(part.fold, spec) for spec in part.experiment.systems.values()]
        return [path for address in addresses for path in address.measured]

    def analysed_interactions(self, wildcards: Wildcards) -> str:
        """The file of ratings after the base design's filter."""
        return self._part(wildcards).design.filter_address.data.interactions

    def analysed_items(self, wildcards: Wildcards) -> str:
        """The table of items."""
        return self._part(wildcards).design.filter_address.data.item_ids

    def analysed_roles(self, wildcards: Wildcards) -> str:
        """The roles of the ratings in the fold."""
        part = self._part(wildcards)
        return part.design.fold_address(part.fold).roles

    def analysed_user_tables(self, wildcards: Wildcards) -> list[str]:
        """The table of user columns, if the aggregate reads such columns."""
        design = self._part(wildcards).design
        return [design.filter_address.side.user_columns] if Aggregate.build(design.aggregate).user_columns else []

    def analysis_files(self, wildcards: Wildcards) -> list[str]:
        """The user's own files that the analysis, its metrics, and the decisions after ranking read."""
        return own_files_of(plugins.build(kind, spec) for kind, spec in self._components(wildcards))

    def analysis(self, wildcards: Wildcards) -> str:
        """The plug-in of the analysis, with every parameter."""
        return str(self._built(self._part(wildcards)).full_spec)

    def asked_of_analysis(self, wildcards: Wildcards) -> dict[str, Any]:
        """The systems, metrics and pairs, and the significance level."""
        part = self._part(wildcards)
        task = self.plan.study.asked(part.entry)
        return {
            "systems": list(part.experiment.systems),
            "metrics": [
                [str(each.metric.spec), each.cutoff, each.spelling]
                for each in task.metrics
                if not self.plan.leaves_out(part.label, 0, each.metric)
            ],
            "pairs": [list(pair) for pair in task.pairs],
            "alpha": task.alpha,
        }

    def rules_of_analysis(self, wildcards: Wildcards) -> dict[str, Any]:
        """The decisions after ranking."""
        design = self._part(wildcards).design
        return {
            "view": design.view,
            "relevance": design.relevance,
            "users": str(design.users),
            "coverage": design.coverage,
            "aggregate": str(design.aggregate),
        }

    def analysis_origin(self, wildcards: Wildcards) -> dict[str, Any]:
        """The names of the random streams: the seed and the data set, which are the same for every fold."""
        part = self._part(wildcards)
        source = self.plan.sources[self.plan.study.dataset_of(part.label)]
        return Origin(part.design.seed, source.component.identity)._asdict()

    # All analyses

    def has_findings(self, _: Wildcards) -> bool:
        """Whether the study asks for any analysis of metrics."""
        return bool(self.plan.study.meta)

    def analysed_parts(self, _: Wildcards) -> list[str]:
        """Each analysis's findings on each fold."""
        return [f"{self.plan.folder}/{part.file}" for part in self._parts()]

    def analysed_labels(self, _: Wildcards) -> list[tuple[str, str, str, str]]:
        """For each of the `analysed_parts`: the data set or experiment, the analysis's name, the analysis in full, and the fold."""
        return [(part.label, part.name, str(self._built(part).full_spec), part.fold.name) for part in self._parts()]

    def analyses(self, _: Wildcards) -> frozenset[type[Plugin]]:
        """The classes of all analyses."""
        return classes_of([("analysis", part.entry.analysis) for part in self._parts()])

    def seed(self, _: Wildcards) -> int:
        """The root seed."""
        return self.plan.study.seed

    # The analyses of the study

    def _parts(self) -> Iterator[_MetricAnalysisOfFold]:
        for name, entry in self.plan.study.meta.items():
            experiment = self.plan.study.shown(entry.experiment)
            for label in experiment.datasets:
                design = self.plan.designs[label][0]
                for fold in folds(design):
                    yield _MetricAnalysisOfFold(name, entry, label, experiment, design, fold)

    @cached_property
    def _by_file(self) -> dict[str, _MetricAnalysisOfFold]:
        return {part.file: part for part in self._parts()}

    def _part(self, wildcards: Wildcards) -> _MetricAnalysisOfFold:
        file = f"meta/{wildcards.analysis}/{wildcards.label}.{wildcards.fold}.parquet"
        if file not in self._by_file:
            raise SpecError(f"the study has no analysis at '{file}'", allowed=", ".join(self._by_file) or "none")
        return self._by_file[file]

    def _built(self, part: _MetricAnalysisOfFold) -> Plugin:
        return plugins.build("analysis", part.entry.analysis)

    def _components(self, wildcards: Wildcards) -> list[tuple[str, Any]]:
        part = self._part(wildcards)
        metrics = part.entry.metrics_of(part.experiment)
        return [
            ("analysis", part.entry.analysis),
            *(("metric", measured.metric.spec) for measured in metrics),
            ("users", part.design.users),
            ("aggregate", part.design.aggregate),
        ]

    def analysis_classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        """The classes of an analysis, of its metrics, and of the decisions after ranking."""
        return classes_of(self._components(wildcards))
