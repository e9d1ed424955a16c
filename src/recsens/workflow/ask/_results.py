"""Answers for the rules in ``study.smk`` and ``reference.smk`` that read the outcomes of every design."""

from collections.abc import Iterator
from inspect import getfile
from itertools import chain
from pathlib import Path

from recsens import plugins
from recsens.comparison.aggregation import Aggregate
from recsens.plugins import Plugin
from recsens.plugins.specs import Spec
from recsens.recommenders import Recommender
from recsens.recommenders.tuned import Tuned
from recsens.report import html
from recsens.report.tables.paper import paper_tables
from recsens.study import Experiment
from recsens.study.design import Design
from recsens.study.designs import folds
from recsens.study.keys_by_step import decisions_of
from recsens.study.taxonomy import Stage
from recsens.vocabulary import TABLE_FORMS
from recsens.workflow.ask._components import Classes, Components, OfJob, own_files_of
from recsens.workflow.ask._wildcards import Wildcards
from recsens.workflow.code_digests import classes_of
from recsens.workflow.plan import Ranking


class OfResults(Components):
    """Values, comparisons, verdicts, costs and the report."""

    @property
    def study_file(self) -> str:
        """The study file."""
        return str(self.plan.path)

    def study_digest(self, step: str) -> OfJob:
        """Return a function for the digest of the part of the study on which a step depends."""
        return lambda _: decisions_of(self.plan.study, step)

    def metrics(self, _: Wildcards) -> list[str]:
        """The names of the files of metrics."""
        return list(self.plan.cutoffs)

    def addresses(self, _: Wildcards) -> dict[str, str]:
        """The spec that names each data set's folder, by the label of a data set or experiment."""
        return {label: str(address) for label, address in self.plan.addresses.items()}

    def user_tables(self, _: Wildcards) -> list[str]:
        """The user tables that contain the columns by which any design weights users."""
        wanted = [design for design in self.plan.all_designs if Aggregate.build(design.aggregate).user_columns]
        return sorted({design.filter_address.side.user_columns for design in wanted})

    def user_ids(self, _: Wildcards) -> list[str]:
        """The users of every data set that designs filter differently, as each filter numbers the remaining users anew."""
        by_label = [{design.filter_address for design in designs} for designs in self.plan.designs.values()]
        return sorted({address.data.user_ids for filtered in by_label if len(filtered) > 1 for address in filtered})

    def outcome_files(self, *stages: Stage) -> OfJob:
        """Return a function that lists the study author's own files.

        These are the files that the user selections, aggregates and tests of these stages read.
        """
        return lambda _: self.own_files_of_outcomes(*stages)

    def own_files_of_outcomes(self, *stages: Stage) -> list[str]:
        """The study author's own files that the user selections, aggregates and tests of these stages read."""
        read = dict.fromkeys(chain.from_iterable(design.components(*stages) for design in self.plan.all_designs))
        # Files of target items need not be read again, because the rankings already depend on them.
        return own_files_of(plugins.build(kind, spec) for kind, spec in read if kind != "targets")

    def outcome_classes(self, *stages: Stage) -> Classes:
        """Return a function for the classes that these stages use in any design, including metrics and systems."""

        def classes(_: Wildcards) -> frozenset[type[Plugin]]:
            read = chain.from_iterable(design.components(*stages) for design in self.plan.all_designs) if stages else ()
            return classes_of([*read, *self._metrics(), *self._systems()])

        return classes

    def has_claims(self, _: Wildcards) -> bool:
        """Whether the study states claims, or its printed values imply claims."""
        return bool(self.plan.study.all_claims)

    def claim_classes(self, _: Wildcards) -> frozenset[type[Plugin]]:
        """The classes of the claims, metrics and systems."""
        claims = [("claim", entry.claim) for _, entry in self.plan.study.all_claims]
        return classes_of([*claims, *self._metrics(), *self._systems()])

    def has_reference(self, _: Wildcards) -> bool:
        """Whether the study names a design that counts as the truth."""
        return self.plan.study.reference is not None

    def scored_classes(self, _: Wildcards) -> frozenset[type[Plugin]]:
        """The classes of the metrics and data sets."""
        datasets = [("dataset", spec) for spec in self.plan.study.datasets.values()]
        return classes_of([*self._metrics(), *datasets])

    def cost_records(self, _: Wildcards) -> list[str]:
        """The cost records of every system under the base designs."""
        return [path for *_, paths in self._costed() for path in paths]

    def costed_systems(self, _: Wildcards) -> list[tuple[str, str, str, int]]:
        """For each file of costs: the data set or experiment, system, fold and number of records."""
        return [(label, system, fold, len(paths)) for label, system, fold, paths in self._costed()]

    def _costed(self) -> Iterator[tuple[str, str, str, list[str]]]:
        """Yield data set or experiment, system, fold and cost records of every system under the base designs."""
        for label, system, ranked in self._base_rankings():
            recommender, at = Recommender.build(ranked.system), ranked.address
            paths = [at.cost("rank")]
            if not recommender.is_trivial:
                paths.append(self.plan.fitted_at(at.up_to("recommender")).cost("fit"))
            if isinstance(recommender, Tuned):
                paths.append(at.up_to("recommender").cost("tune"))
            yield label, system, ranked.fold.name, paths

    @staticmethod
    def quoted_by_costs(_: frozenset[type[Plugin]]) -> tuple[Path, ...]:
        """The templates of the page of costs."""
        return _templates()

    @property
    def paper_files(self) -> list[str]:
        """Every table for papers; each form has its own file."""
        tables = [table.name for table in paper_tables(self.plan.study)]
        return [f"{self.plan.folder}/tables/{table}.{form}" for table in tables for form in TABLE_FORMS]

    def reported_classes(self, _: Wildcards) -> frozenset[type[Plugin]]:
        """The classes of all components of the study."""
        kinds = [component for design in self.plan.all_designs for component in design.components()]
        kinds += [("dataset", source.component.spec) for source in self.plan.sources.values()]
        return classes_of([*kinds, *self._systems(), *self._metrics()])

    @staticmethod
    def quoted_by_report(classes: frozenset[type[Plugin]]) -> tuple[Path, ...]:
        """The files that the page quotes but code digests ignore: templates, and plug-ins, because of their docstrings."""
        return (*_sources(classes), *_templates())

    def _systems(self) -> list[tuple[str, Spec]]:
        return [("recommender", spec) for each in self.plan.study.all_experiments() for spec in each.systems.values()]

    def _metrics(self) -> list[tuple[str, Spec]]:
        return [("metric", measured.metric.spec) for measured in self.plan.study.all_metrics()]

    def _bases(self) -> Iterator[tuple[str, Experiment, Design]]:
        """Yield the base design of every data set and experiment."""
        for label, experiment in self.plan.study.by_label().items():
            yield label, experiment, self.plan.designs[label][0]

    def _base_rankings(self, shown: Experiment | None = None) -> Iterator[tuple[str, str, Ranking]]:
        """Yield label, system and ranking under the base designs of the whole study or of one experiment, data set by data set."""
        labelled = self.plan.study.by_label() if shown is None else dict.fromkeys(shown.datasets, shown)
        for label, experiment in labelled.items():
            design = self.plan.designs[label][0]
            for system, spec in experiment.systems.items():
                for fold in folds(design):
                    yield label, system, Ranking(design.ranking_address(fold, spec), label, fold, spec, design)


def _sources(classes: frozenset[type[Plugin]]) -> list[Path]:
    # Base classes have docstrings too.
    return sorted({Path(getfile(base)) for each in classes for base in each.__mro__ if issubclass(base, Plugin)})


def _templates() -> tuple[Path, ...]:
    return tuple(sorted(path for path in Path(html.__file__).parent.rglob("*") if path.suffix in {".jinja", ".css", ".js"}))
