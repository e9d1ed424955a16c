"""The rules that judge the metrics of a study."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from recsens import plugins
from recsens.artefacts.addresses import Fold
from recsens.artefacts.statements import digest_of
from recsens.comparison.aggregation import Aggregate
from recsens.errors import SpecError
from recsens.plugins import Plugin
from recsens.seeds import Origin
from recsens.study import AnalysisEntry, Experiment, file_name
from recsens.study.design import Design
from recsens.study.designs import folds
from recsens.workflow.code_digests import classes_of, step_code
from recsens.workflow.wiring._jobs import own_files_of
from recsens.workflow.wiring._rule import Rule, Wildcards
from recsens.workflow.wiring._study_files import StudyFiles


@dataclass(frozen=True, slots=True)
class _Part:
    """An analysis on one fold of a base design."""

    name: str
    entry: AnalysisEntry
    label: str
    experiment: Experiment
    design: Design
    fold: Fold

    @property
    def file(self) -> str:
        return f"meta/{self.name}/{file_name(self.label)}.{self.fold.name}.parquet"


class MetaWiring(StudyFiles):
    """The rules in ``meta.smk``."""

    def rules(self) -> tuple[Rule, ...]:
        """Every rule of this stage."""
        return (self.analyse, self.findings)

    @cached_property
    def analyse(self) -> Rule:
        """One analysis on one fold of one data set, from the judged rankings of all systems."""
        return self._rule(
            "analyse",
            "{analysis}/{label}.{fold}",
            inputs={
                "rankings": self.rankings,
                "interactions": self.interactions,
                "item_ids": self.item_ids,
                "roles": self.roles,
                "user_tables": self.user_tables,
                "own_files": self.own_files_read,
            },
            outputs={"findings": self._file("meta/{analysis}/{label}.{fold}.parquet")},
            params={
                "analysis": self.analysis,
                "asked": self.asked,
                "rules": self.rules_of,
                "origin": self.origin,
                "order": self.order,
                "own_digests": self.digests_of(self.own_files_read),
                **self.coded("analyse", self._classes),
            },
        )

    @cached_property
    def findings(self) -> Rule:
        """What all analyses found."""
        parts = list(self._parts())
        return self._rule(
            "findings",
            inputs={"parts": [self._file(part.file) for part in parts]},
            outputs={"findings": self._table("findings")},
            params={
                "labels": [(part.label, part.name, str(self._built(part).full_spec), part.fold.name) for part in parts],
                "seed": self.plan.study.seed,
                "code": step_code("findings", classes_of([("analysis", part.entry.analysis) for part in parts])),
            },
        )

    # Inputs and parameters, by wildcards

    def rankings(self, wildcards: Wildcards) -> list[str]:
        """The files of every system's ranking."""
        part = self._part(wildcards)
        addresses = [part.design.ranking_address(part.fold, spec) for spec in part.experiment.systems.values()]
        return [path for address in addresses for path in address.measured]

    def interactions(self, wildcards: Wildcards) -> str:
        """The ratings after the base design's filter."""
        return self._part(wildcards).design.filter_address.data.interactions

    def item_ids(self, wildcards: Wildcards) -> str:
        """The table of items."""
        return self._part(wildcards).design.filter_address.data.item_ids

    def roles(self, wildcards: Wildcards) -> str:
        """The fold."""
        part = self._part(wildcards)
        return part.design.fold_address(part.fold).roles

    def user_tables(self, wildcards: Wildcards) -> list[str]:
        """What is known of users, if the aggregate reads columns of it."""
        design = self._part(wildcards).design
        return [design.filter_address.side.user_columns] if Aggregate.build(design.aggregate).user_columns else []

    def own_files_read(self, wildcards: Wildcards) -> list[str]:
        """The user's own files that the analysis, its metrics, and the decisions after ranking read."""
        return own_files_of(plugins.build(kind, spec) for kind, spec in self._components(wildcards))

    def analysis(self, wildcards: Wildcards) -> str:
        """The plug-in, with every parameter."""
        return str(self._built(self._part(wildcards)).full_spec)

    def asked(self, wildcards: Wildcards) -> dict[str, Any]:
        """The systems, metrics and pairs, and the level of significance."""
        part = self._part(wildcards)
        asked = self.plan.study.asked(part.entry)
        return {
            "systems": list(part.experiment.systems),
            "metrics": [[str(each.metric.spec), each.cutoff, each.spelling] for each in asked.metrics],
            "pairs": [list(pair) for pair in asked.pairs],
            "alpha": asked.alpha,
        }

    def order(self, wildcards: Wildcards) -> str:
        """The digest of the order of rankings: labels of systems name files by it."""
        return digest_of({"rankings": self.rankings(wildcards)})

    def rules_of(self, wildcards: Wildcards) -> dict[str, Any]:
        """The decisions after ranking."""
        design = self._part(wildcards).design
        return {
            "view": design.view,
            "relevance": design.relevance,
            "users": str(design.users),
            "coverage": design.coverage,
            "aggregate": str(design.aggregate),
        }

    def origin(self, wildcards: Wildcards) -> dict[str, Any]:
        """What names the random streams: the seed and the data set, whatever the fold."""
        part = self._part(wildcards)
        source = self.plan.sources[self.plan.study.dataset_of(part.label)]
        return Origin(part.design.seed, source.component.identity)._asdict()

    # The analyses of the study

    def _parts(self) -> Iterator[_Part]:
        for name, entry in self.plan.study.meta.items():
            experiment = self.plan.study.shown(entry.experiment)
            for label in experiment.datasets:
                design = self.plan.designs[label][0]
                for fold in folds(design):
                    yield _Part(name, entry, label, experiment, design, fold)

    @cached_property
    def _by_file(self) -> dict[str, _Part]:
        return {part.file: part for part in self._parts()}

    def _part(self, wildcards: Wildcards) -> _Part:
        file = f"meta/{wildcards.analysis}/{wildcards.label}.{wildcards.fold}.parquet"
        if file not in self._by_file:
            raise SpecError(f"the study has no analysis at '{file}'", allowed=", ".join(self._by_file) or "none")
        return self._by_file[file]

    def _built(self, part: _Part) -> Plugin:
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

    def _classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        return classes_of(self._components(wildcards))
