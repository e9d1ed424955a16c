"""The rules that measure rankings and write a study's results, and what the workflow's targets ask for."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from inspect import getfile
from itertools import chain
from pathlib import Path

from recsens import plugins
from recsens.artefacts.addresses import Address, Fold
from recsens.artefacts.statements import digest_of
from recsens.comparison.aggregation import Aggregate
from recsens.comparison.users import Users
from recsens.conclusions.verdicts.forms import FIGURE_FORMS, METHODS_FORMS, TABLE_FORMS
from recsens.list_depth import LIST_DEPTH
from recsens.metrics import MeasuredAt
from recsens.outcomes.measuring.tied import depends_on_ties
from recsens.plugins import Plugin
from recsens.plugins.specs import Spec, parse
from recsens.ranking.targets import Targets
from recsens.recommenders import Recommender
from recsens.recommenders.tuned import Tuned
from recsens.report import html
from recsens.report.tables.paper import paper_tables
from recsens.study import Experiment
from recsens.study.design import Design, in_full
from recsens.study.designs import folds
from recsens.study.taxonomy import Stage
from recsens.workflow.code_digests import classes_of, step_code
from recsens.workflow.wiring._jobs import own_files_of
from recsens.workflow.wiring._rule import Files, Rule, Wildcards
from recsens.workflow.wiring._study_files import StudyFiles

_ABOUT_PAIRS = ("comparisons", "multiverse", "joint", "verdicts", "flips", "influence", "shortest")
"""Tables about pairs of systems."""


class StudyWiring(StudyFiles):
    """The rules in ``measure.smk`` and ``study.smk``."""

    def rules(self) -> tuple[Rule, ...]:
        """Every rule of this stage."""
        return (
            *(
                self.population,
                self.measure,
                self.summarise,
                self.count,
                self.compare,
                self.multiverse,
                self.judge,
                self.claims,
                self.costs,
                self.overlap,
            ),
            *(self.describe, self.describe_splits, self.describe_tuning, self.describe_predictions, self.describe_matches),
            *(self.describe_ties, self.figure, self.report),
        )

    @property
    def wanted(self) -> Mapping[str, Mapping[str, list[str]]]:
        """The files that each target of the workflow asks for.

        ``data`` asks for every split, and every choice of target items: data that do not allow them are refused before any fit;
        ``rankings`` for every ranking; ``all`` for the report and everything it is based on. Every file that a reader opens is
        asked for by name: Snakemake does not make anew a deleted file from which only others were made that are still there.
        """
        tables = ("summary", "counted", *_ABOUT_PAIRS, "datasets", "splits", "overlap")
        return {
            "data": {
                "roles": [fold.roles for fold in self.plan.splits],
                "checks": list(self.plan.checks),
                "side": self.side_fitted(),
            },
            "rankings": {"positions": [ranking.address.ranking.positions for ranking in self.plan.rankings.values()]},
            "all": {
                "report": [self._file("report.html")],
                "tables": [*map(self._table, tables), self._file("tables.tex"), self._file("tables.md")],
                "paper": [*self.paper_files(), *self.methods_files()],
                "figures": self.figures(*FIGURE_FORMS),
                "claims": self.claims_table(),
                "findings": self.findings_table(),
                "truth": [*self.truth_table(), *self.truth_words(), *self.scorecard(*FIGURE_FORMS)],
                "tuning": self.tuning_table(),
                "predictions": self.predictions_table(),
                "matched": self.matched_table(),
                "ties": [self._table("ties")],
                "costs": [self._file("benchmarks/costs.html")],
                "truths": self.plan.truths,
            },
        }

    # Measures: one file per metric, so that a new metric does not re-run the others

    @cached_property
    def population(self) -> Rule:
        """Counts of every user in every ranking."""
        return self._rule(
            "population",
            inputs={"rankings": self.rankings()},
            outputs={"population": self._population},
            params={"cells": self.cells(), "depths": self.depths(), "code": step_code("population")},
        )

    @cached_property
    def measure(self) -> Rule:
        """One metric of every ranking; only metrics that read lists are given the lists, the train set and the table of items."""
        return self._rule(
            "measure",
            "{metric}",
            inputs={
                "rankings": self.measured_rankings,
                "lists": self.lists,
                "item_tables": self.item_tables,
                "own_files": self.measuring_files,
            },
            outputs={"measures": self._measures("{metric}")},
            params={
                "metric": self.spec("metric"),
                "cutoffs": self.cutoffs,
                "order": self.measured_order,
                "cells": self.measured_cells,
                "selections": self.selections,
                "own_digests": self.digests_of(self.measuring_files),
                **self.coded("measure", self._measure_classes),
            },
        )

    # Outcomes

    @cached_property
    def summarise(self) -> Rule:
        """The value of every system under every design."""
        return self._rule_of_study(
            "summarise",
            inputs={"measures": self.measures(), **self._users_read(), "own_files": self.outcome_files("aggregate", "test")},
            outputs={"summary": self._table("summary")},
            params={
                "addresses": self.addresses(),
                "own_digests": self._content_of(self.outcome_files("aggregate", "test")),
                "code": self._outcome_code("summarise", "aggregate", "test"),
            },
        )

    @cached_property
    def count(self) -> Rule:
        """The users averaged, and what is lost with the others."""
        return self._rule_of_study(
            "count",
            inputs={**self._users_read(), "own_files": self.outcome_files("aggregate")},
            outputs={"counted": self._table("counted")},
            params={
                "addresses": self.addresses(),
                "own_digests": self._content_of(self.outcome_files("aggregate")),
                "code": self._outcome_code("count", "aggregate"),
            },
        )

    @cached_property
    def compare(self) -> Rule:
        """Every pair of systems under every design."""
        return self._of_all_outcomes("compare", "comparisons")

    def _of_all_outcomes(self, step: str, *tables: str) -> Rule:
        """Return a rule that reads the measures of every design, and writes tables about pairs of systems."""
        return self._rule_of_study(
            step,
            inputs={"measures": self.measures(), **self._users_read(), "own_files": self.outcome_files("aggregate", "test")},
            outputs={table: self._table(table) for table in tables},
            params={
                "addresses": self.addresses(),
                "own_digests": self._content_of(self.outcome_files("aggregate", "test")),
                "code": self._outcome_code(step, "aggregate", "test"),
            },
        )

    @cached_property
    def multiverse(self) -> Rule:
        """All analyses of every pair of systems, tested together."""
        return self._of_all_outcomes("multiverse", "multiverse", "joint")

    @cached_property
    def judge(self) -> Rule:
        """Who wins each comparison, and which single change of a decision reverses it."""
        return self._rule_of_study(
            "judge",
            inputs={name: self._table(name) for name in ("summary", "comparisons", "multiverse")},
            outputs={name: self._table(name) for name in ("verdicts", "flips", "influence", "shortest")},
            params={"code": self._outcome_code("judge")},
        )

    @cached_property
    def claims(self) -> Rule:
        """What became of every claim."""
        return self._rule_of_study(
            "claims",
            inputs={**self._judged(), "findings": self.findings_table()},
            outputs={"claims": self._table("claims")},
            params={"code": step_code("claims", classes_of([*self._claims(), *self._metrics(), *self._systems()]))},
        )

    # Tables of the base designs

    @cached_property
    def costs(self) -> Rule:
        """Times and memory of the systems; they differ from run to run, so the report only links to them."""
        costed = list(self._costed())
        rule = self._rule_of_study(
            "costs",
            inputs={
                "summary": self._table("summary"),
                "records": [path for *_, paths in costed for path in paths],
            },
            outputs={"table": self._file("benchmarks/costs.csv"), "page": self._file("benchmarks/costs.html")},
            params={
                "systems": [(label, system, fold, len(paths)) for label, system, fold, paths in costed],
                "code": step_code("costs", quoted=_templates()),
            },
        )
        return replace(rule, benchmark="")

    @cached_property
    def overlap(self) -> Rule:
        """How far the lists of two systems overlap; where users have no lists, there may be nothing to compare."""
        return self._rule(
            "overlap",
            inputs={"lists": self.overlapping_lists()},
            outputs={"table": self._table("overlap")},
            params={"groups": self.overlapping(), "code": step_code("overlap")},
        )

    @cached_property
    def describe(self) -> Rule:
        """Statistics of the data sets."""
        return self._rule(
            "describe",
            inputs={"data": self.data(), "filtered": self.filtered_records()},
            outputs={"datasets": self._table("datasets")},
            params={
                "labels": list(self.plan.filtered),
                "relevances": self.base_thresholds(),
                "chains": self.chains(),
                "code": step_code("describe"),
            },
        )

    @cached_property
    def describe_splits(self) -> Rule:
        """What the folds of the splits hold, and their target items."""
        splits, checks = self.plan.splits, self.plan.checks
        return self._rule(
            "describe_splits",
            inputs={"records": [fold.split_record for fold in splits], "checks": list(checks)},
            outputs={"splits": self._table("splits")},
            params={
                "labels": list(splits.values()),
                "check_labels": list(checks.values()),
                "options": self.options(),
                "code": step_code("describe_splits"),
            },
        )

    @cached_property
    def describe_tuning(self) -> Rule:
        """The candidates of tuned systems and their values."""
        tunings = self.plan.tunings
        return self._rule(
            "describe_tuning",
            inputs={"records": list(tunings)},
            outputs={"tuning": self._table("tuning")},
            params={
                "labels": list(tunings.values()),
                "options": self.options(),
                "metrics": {str(measured): measured.written for measured in self.plan.study.all_metrics()},
                "code": step_code("describe_tuning"),
            },
        )

    @cached_property
    def describe_predictions(self) -> Rule:
        """How far predicted ratings lie from the scale, beside errors such as RMSE, which take every score as it is."""
        return self._rule(
            "describe_predictions",
            inputs={"rankings": self.predicted()},
            outputs={"predictions": self._table("predictions")},
            params={"labels": self.predicted_labels(), "code": step_code("describe_predictions")},
        )

    @cached_property
    def describe_matches(self) -> Rule:
        """Users and items found only in a score file or only in the data."""
        return self._rule(
            "describe_matches",
            inputs={"models": self.matched_models(), "users": self.matched_users()},
            outputs={"matched": self._table("matched")},
            params={"labels": self.matched_labels(), "code": step_code("describe_matches")},
        )

    @cached_property
    def describe_ties(self) -> Rule:
        """Between what values the order of equal scores moves each system."""
        own_files = [*own_files_of(measured.metric for measured in self._tied_metrics()), *self.outcome_files("aggregate")]
        return self._rule_of_study(
            "describe_ties",
            inputs={"rankings": self.base_rankings(), **self._users_read(), "own_files": list(dict.fromkeys(own_files))},
            outputs={"ties": self._table("ties")},
            params={
                "addresses": self.addresses(),
                "own_digests": self._content_of(list(dict.fromkeys(own_files))),
                "code": self._outcome_code("describe_ties", "aggregate"),
            },
        )

    # Pages

    @cached_property
    def figure(self) -> Rule:
        """One figure."""
        return self._rule_of_study(
            "figure",
            "{figure}",
            inputs={
                **self._judged(),
                "findings": self.findings_table(),
                "data": self.drawn_data,
                "positions": self.drawn_positions,
                "roles": self.drawn_roles,
                "multiverse": self.drawn_multiverse,
                "joint": self.drawn_joint,
            },
            outputs={form: self._file(f"figures/{{figure}}.{form}") for form in FIGURE_FORMS},
            params={
                "name": _figure_name,
                "drawing": self.drawing,
                "experiment": self.drawn_experiment,
                "datasets": self.drawn_datasets,
                "ranked": self.drawn_rankings,
                "splits": self.drawn_splits,
                "code": self.figure_code,
            },
        )

    @cached_property
    def report(self) -> Rule:
        """The page, and the tables for papers."""
        tables = ("summary", "counted", *_ABOUT_PAIRS, "datasets", "splits", "overlap")
        return self._rule_of_study(
            "report",
            inputs={
                **{name: self._table(name) for name in tables},
                "claims": self.claims_table(),
                "findings": self.findings_table(),
                "tuning": self.tuning_table(),
                "predictions": self.predictions_table(),
                "matched": self.matched_table(),
                "ties": self._table("ties"),
                "figures": self.figures("svg"),
                "pictures": self.figures("png"),
                "prints": self.figures("pdf"),
                "truth": self.truth_table(),
                "scorecard": self.scorecard("svg"),
                "own_files": self.outcome_files("aggregate", "test"),
            },
            outputs={
                "html": self._file("report.html"),
                "tex": self._file("tables.tex"),
                "md": self._file("tables.md"),
                "tables": self.paper_files(),
                "methods": self.methods_files(),
            },
            params={
                "name": self.plan.name,
                "addresses": self.addresses(),
                "own_digests": self._content_of(self.outcome_files("aggregate", "test")),
                "code": self._report_code(),
            },
        )

    # What a figure needs that a plug-in draws, by wildcards; nothing for the other usual figures

    def drawing(self, wildcards: Wildcards) -> str:
        """What the figure draws."""
        entry = self.plan.study.drawn.get(wildcards.figure)
        return "" if entry is None else str(entry.draw)

    def drawn_experiment(self, wildcards: Wildcards) -> str:
        """Label of the further experiment that the figure shows."""
        entry = self.plan.study.drawn.get(wildcards.figure)
        return "" if entry is None else entry.experiment

    def drawn_data(self, wildcards: Wildcards) -> list[str]:
        """The files of every data set it shows, after the base design's filter."""
        return _flat(self.plan.filtered[label].data for label in self.drawn_datasets(wildcards))

    def drawn_datasets(self, wildcards: Wildcards) -> list[str]:
        """Label of each of these data sets."""
        return list(self._drawn(wildcards).datasets) if self._needs(wildcards, "interactions") else []

    def drawn_positions(self, wildcards: Wildcards) -> list[str]:
        """The positions of every ranking under the base design that it shows."""
        return [design.ranking_address(fold, spec).ranking.positions for *_, design, fold, spec in self._drawn_bases(wildcards)]

    def drawn_rankings(self, wildcards: Wildcards) -> list[tuple[str, str]]:
        """Label of the data set and of the system of each of these rankings."""
        return [(label, system) for label, system, *_ in self._drawn_bases(wildcards)]

    def drawn_roles(self, wildcards: Wildcards) -> list[str]:
        """The roles in the first fold of every split that it shows."""
        return [roles for *_, roles in self._drawn_splits(wildcards)]

    def drawn_splits(self, wildcards: Wildcards) -> list[tuple[str, str]]:
        """Label of the data set of each of these splits, and the split as written."""
        return [(label, split) for label, split, _ in self._drawn_splits(wildcards)]

    def drawn_multiverse(self, wildcards: Wildcards) -> list[str]:
        """The table of all analyses taken together, if it shows them."""
        return [self._table("multiverse")] if self._needs(wildcards, "multiverse") else []

    def drawn_joint(self, wildcards: Wildcards) -> list[str]:
        """The table of what they say together."""
        return [self._table("joint")] if self._needs(wildcards, "multiverse") else []

    def figure_code(self, wildcards: Wildcards) -> str:
        """Code of the step, of what it draws, and of the metrics and systems."""
        drawing = self.drawing(wildcards)
        drawn = [("figure", parse(drawing))] if drawing else []
        return step_code("figure", classes_of([*drawn, *self._metrics(), *self._systems()]))

    def _drawn_bases(self, wildcards: Wildcards) -> Iterator[tuple[str, str, Design, Fold, Spec]]:
        if self._needs(wildcards, "positions"):
            experiment = self._drawn(wildcards)
            for label in experiment.datasets:
                design = self.plan.designs[label][0]
                for system, spec in experiment.systems.items():
                    for fold in folds(design):
                        yield label, system, design, fold, spec

    def _drawn_splits(self, wildcards: Wildcards) -> list[tuple[str, str, str]]:
        if not self._needs(wildcards, "roles"):
            return []
        found: dict[tuple[str, str], str] = {}
        for label in self._drawn(wildcards).datasets:
            designs = self.plan.designs[label]
            # Roles belong to the ratings after one filter, and a figure is given those of the base design.
            for design in (each for each in designs if each.filter_address == designs[0].filter_address):
                found.setdefault((label, design.split.written), design.fold_address(next(iter(folds(design)))).roles)
        return [(label, split, roles) for (label, split), roles in found.items()]

    def _drawn(self, wildcards: Wildcards) -> Experiment:
        return self.plan.study.all_figures()[wildcards.figure][0]

    def _needs(self, wildcards: Wildcards, need: str) -> bool:
        drawing = self.drawing(wildcards)
        if not drawing:
            return False
        from recsens.report.figures import Drawing  # noqa: PLC0415 - a plan without such figures should not wait for matplotlib

        return need in Drawing.build(drawing).needs

    # Files

    def _measures(self, metric: str) -> str:
        return self._file(f"measures/metric/{metric}.parquet")

    @property
    def _population(self) -> str:
        return self._file("measures/population.parquet")

    def _users_read(self) -> dict[str, Files]:
        return {"population": self._population, "user_tables": self.user_tables()}

    # Rankings and their measures, as inputs and parameters

    def rankings(self) -> list[str]:
        """The files of every ranking that metrics of positions read, ranking by ranking."""
        return _flat(ranking.address.measured for ranking in self.plan.rankings.values())

    def lists(self, wildcards: Wildcards) -> list[str]:
        """The further files of every ranking that metrics of lists read, ranking by ranking; none for other metrics."""
        if self.metric(wildcards).reads != "lists":
            return []
        return _flat(self.plan.rankings[folder].address.listed for folder in self.plan.measured_by[wildcards.metric])

    def measured_rankings(self, wildcards: Wildcards) -> list[str]:
        """The files of every ranking that a metric measures, as in `rankings`."""
        return _flat(self.plan.rankings[folder].address.measured for folder in self.plan.measured_by[wildcards.metric])

    def measured_order(self, wildcards: Wildcards) -> str:
        """Digest of these files in their order, by which the rows of measures are."""
        return digest_of({"rankings": self.measured_rankings(wildcards)})

    def measured_cells(self, wildcards: Wildcards) -> list[list[list[str | float | None]]]:
        """Views and relevance thresholds of each ranking that a metric measures."""
        return self._cells_of(self.plan.measured_by[wildcards.metric])

    def cells(self) -> list[list[list[str | float | None]]]:
        """Views and relevance thresholds by which each ranking of the study is measured."""
        return self._cells_of(self.plan.rankings)

    def _cells_of(self, folders: Iterable[str]) -> list[list[list[str | float | None]]]:
        return [[list(cell) for cell in self.plan.cells[folder]] for folder in folders]

    def cutoffs(self, wildcards: Wildcards) -> list[int]:
        """Cut-offs of a metric."""
        return list(self.plan.cutoffs[wildcards.metric])

    def selections(self, wildcards: Wildcards) -> list[str]:
        """The selections of users (B1) of all designs for a pooled metric, which has a value for each; none for other metrics."""
        return list(map(str, self._selections(wildcards)))

    def measuring_files(self, wildcards: Wildcards) -> list[str]:
        """The user's own files that a metric and, for a pooled metric, its selections of users read."""
        return own_files_of([self.metric(wildcards), *map(Users.build, self._selections(wildcards))])

    def _measure_classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        selections = [("users", spec) for spec in self._selections(wildcards)]
        return classes_of([("metric", self.metric(wildcards).spec), *selections])

    def _selections(self, wildcards: Wildcards) -> list[Spec]:
        if self.metric(wildcards).unit != "pooled":
            return []
        return list(dict.fromkeys(design.users for design in self.designs))

    def depths(self) -> list[int]:
        """Cut-offs of all metrics that have one, if some design has a ranking for each rating: the depths of its coverage.

        Otherwise coverage at any depth follows from the lengths of users' rankings, and a new cut-off need not change the counts.
        """
        if all(Targets.build(design.targets).unit == "user" for design in self.designs):
            return []
        return sorted({measured.cutoff for measured in self.plan.study.all_metrics() if not measured.is_whole})

    def side_fitted(self) -> list[str]:
        """What is known of users and items where some system is fitted on it: made, or found wanting, before the first fit."""
        read = (each for each in self.plan.rankings.values() if Recommender.build(each.system).side_information is not None)
        return sorted({path for each in read for path in each.address.up_to("filter").side})

    def item_tables(self, wildcards: Wildcards) -> list[str]:
        """What is known of items in each filtered data set that is measured; none for metrics that read no column of it."""
        if not getattr(self.metric(wildcards), "item_columns", ()):
            return []
        measured = (self.plan.rankings[folder].address for folder in self.plan.measured_by[wildcards.metric])
        return sorted({address.up_to("filter").side.item_columns for address in measured})

    # Inputs and parameters of outcomes

    def measures(self) -> list[str]:
        """The file of each metric."""
        return [self._measures(metric) for metric in self.plan.cutoffs]

    def addresses(self) -> dict[str, str]:
        """Spec in the address of each data set, by the label of a data set or experiment."""
        return {label: str(address) for label, address in self.plan.addresses.items()}

    def user_tables(self) -> list[str]:
        """What is known of users, where columns of it weight users in some design."""
        wanted = [design for design in self.designs if Aggregate.build(design.aggregate).user_columns]
        return sorted({design.filter_address.side.user_columns for design in wanted})

    def outcome_files(self, *stages: Stage) -> list[str]:
        """The user's own files that selections of users, aggregations and tests of these stages read."""
        read = dict.fromkeys(chain.from_iterable(design.components(*stages) for design in self.designs))
        # Rankings were made from the files of target items.
        return own_files_of(plugins.build(kind, spec) for kind, spec in read if kind != "targets")

    def _content_of(self, files: list[str]) -> list[str]:
        return [self.plan.digest_of(Path(file)) for file in files]

    def _outcome_code(self, step: str, *stages: Stage) -> str:
        """Code of a step, of the components that these stages of every design read, and of the metrics and systems."""
        read = chain.from_iterable(design.components(*stages) for design in self.designs) if stages else ()
        return step_code(step, classes_of([*read, *self._metrics(), *self._systems()]))

    def _systems(self) -> list[tuple[str, Spec]]:
        return [("recommender", spec) for each in self.plan.study.all_experiments() for spec in each.systems.values()]

    def _metrics(self) -> list[tuple[str, Spec]]:
        return [("metric", measured.metric.spec) for measured in self.plan.study.all_metrics()]

    def _claims(self) -> list[tuple[str, Spec]]:
        """The claims of the study."""
        return [("claim", entry.claim) for _, entry in self.plan.study.all_claims]

    # Inputs and parameters of tables of the base designs

    def _costed(self) -> Iterator[tuple[str, str, str, list[str]]]:
        """Yield data set or experiment, system, fold and cost records, for every system under the base designs."""
        for label, experiment, design in self._bases():
            for system, spec in experiment.systems.items():
                recommender = Recommender.build(spec)
                for fold in folds(design):
                    ranking = design.ranking_address(fold, spec)
                    paths = [ranking.cost("rank")]
                    if not recommender.is_trivial:
                        paths.append(self.plan.fitted_at(ranking.up_to("recommender")).cost("fit"))
                    if isinstance(recommender, Tuned):
                        paths.append(ranking.up_to("recommender").cost("tune"))
                    yield label, system, fold.name, paths

    def overlapping(self) -> list[tuple[str, str, list[str], list[list[str]], list[int]]]:
        """Data set or experiment, fold, systems, pairs of them and cut-offs, for the lists compared under the base designs."""
        return [
            (label, fold.name, list(experiment.systems), list(map(list, experiment.pairs())), _list_cutoffs(experiment))
            for label, experiment, _, fold in self._with_lists()
        ]

    def overlapping_lists(self) -> list[str]:
        """The top lists of every system under the base designs, in the order of `overlapping`."""
        return [
            design.ranking_address(fold, spec).ranking.lists
            for _, experiment, design, fold in self._with_lists()
            for spec in experiment.systems.values()
        ]

    def _with_lists(self) -> Iterator[tuple[str, Experiment, Design, Fold]]:
        """Yield every fold of the base designs that give users lists."""
        for label, experiment, design in self._bases():
            if Targets.build(design.targets).unit == "user":
                for fold in folds(design):
                    yield label, experiment, design, fold

    def predicted(self) -> list[str]:
        """The files of every ranking whose predicted ratings are measured under the base designs; as in `rankings`."""
        return _flat(design.ranking_address(fold, spec).measured for *_, design, fold, spec in self._predicted())

    def predicted_labels(self) -> list[tuple[str, str, str]]:
        """Data set or experiment, fold and system of each such ranking."""
        return [(label, fold.name, system) for label, system, _, fold, _ in self._predicted()]

    def predictions_table(self) -> list[str]:
        """The table of predicted ratings, if the study measures any."""
        return [self._table("predictions")] if self.predicted_labels() else []

    def _predicted(self) -> Iterator[tuple[str, str, Design, Fold, Spec]]:
        for label, experiment, design in self._bases():
            if any(measured.metric.reads == "predictions" for measured in experiment.metrics):
                for system, spec in experiment.systems.items():
                    for fold in folds(design):
                        yield label, system, design, fold, spec

    def matched_models(self) -> list[str]:
        """The model of every system whose scores are from files, under the base designs."""
        return [self.plan.fitted_at(ranking.up_to("recommender")).model for *_, ranking in self._from_files()]

    def matched_users(self) -> list[str]:
        """The counts of users in the ranking of each such model."""
        return [ranking.ranking.users for *_, ranking in self._from_files()]

    def matched_labels(self) -> list[tuple[str, str, str]]:
        """Data set or experiment, fold and system of each such ranking."""
        return [(label, fold.name, system) for label, system, fold, _ in self._from_files()]

    def matched_table(self) -> list[str]:
        """The table of score files and data, if the scores of any system are from files."""
        return [self._table("matched")] if self.matched_labels() else []

    def _from_files(self) -> Iterator[tuple[str, str, Fold, Address]]:
        for label, experiment, design in self._bases():
            for system, spec in experiment.systems.items():
                if Recommender.build(spec).score_files is not None:
                    for fold in folds(design):
                        yield label, system, fold, design.ranking_address(fold, spec)

    def base_rankings(self) -> list[str]:
        """The files of every ranking under the base designs, data set by data set, system by system, fold by fold."""
        return _flat(
            design.ranking_address(fold, spec).measured
            for _, experiment, design in self._bases()
            for spec in experiment.systems.values()
            for fold in folds(design)
        )

    def _tied_metrics(self) -> list[MeasuredAt]:
        return [each for each in self.plan.study.all_metrics() if depends_on_ties(each)]

    def _bases(self) -> Iterator[tuple[str, Experiment, Design]]:
        """Yield the base design of every data set and experiment."""
        for label, experiment in self.plan.study.by_label().items():
            yield label, experiment, self.plan.designs[label][0]

    # Inputs and parameters of descriptions

    def data(self) -> list[str]:
        """The files of every data set of the study after the base design's filter, data set by data set."""
        return _flat(address.data for address in self.plan.filtered.values())

    def filtered_records(self) -> list[str]:
        """The record of every filtered data set."""
        return list(dict.fromkeys(ranking.address.measured.dataset for ranking in self.plan.rankings.values()))

    def chains(self) -> dict[str, list[tuple[str, str]]]:
        """The filters of each chain, as the study writes them and in full, by the name of the chain's folder."""
        chains = {design.filter.slug: design.filter for design in self.designs}
        return {slug: [(link.written, in_full("filter", link)) for link in chain] for slug, chain in chains.items()}

    def options(self) -> dict[str, dict[str, dict[str, str | int]]]:
        """The cells of the options that records of data and target items name, by decision and by what they call an option."""
        called: dict[str, Callable[[Design], str]] = {
            "filter": lambda design: design.filter.slug,
            "split": lambda design: plugins.address("split", design.split).slug,
            "targets": lambda design: in_full("targets", design.targets),
            "users": lambda design: str(design.users),
        }
        return {key: {name(design): design.cells(key) for design in self.designs} for key, name in called.items()}

    def base_thresholds(self) -> list[float | None]:
        """Relevance threshold of the base design of each data set and experiment, in the order of `data`."""
        return [designs[0].relevance for designs in self.plan.designs.values()]

    def claims_table(self) -> list[str]:
        """The table of claims, if there is any."""
        return [self._table("claims")] if self.plan.study.all_claims else []

    def tuning_table(self) -> list[str]:
        """The table of tuning, if the study has a tuned system."""
        return [self._table("tuning")] if self.plan.tunings else []

    # Inputs and parameters of pages

    def figures(self, *forms: str) -> list[str]:
        """The figures of the study, in each form."""
        return [self._file(f"figures/{figure}.{form}") for figure in self.plan.study.all_figures() for form in forms]

    def paper_files(self) -> list[str]:
        """Every table for papers, in a file of its own in each form."""
        return [self._file(f"tables/{table.name}.{form}") for table in paper_tables(self.plan.study) for form in TABLE_FORMS]

    def methods_files(self) -> list[str]:
        """The methods paragraph, in each form."""
        return [self._file(f"tables/methods.{form}") for form in METHODS_FORMS]

    def _report_code(self) -> str:
        """Code of the report, which quotes the documentation of every plug-in of the study."""
        kinds = [component for design in self.designs for component in design.components()]
        kinds += [("recommender", spec) for experiment in self.plan.study.all_experiments() for spec in experiment.systems.values()]
        kinds += [("dataset", source.component.spec) for source in self.plan.sources.values()]
        classes = classes_of([*kinds, *self._metrics()])
        # The page quotes plug-ins' docstrings, a template and a style sheet, and syntax trees hold none of these.
        return step_code("report", classes, quoted=(*_sources(classes), *_templates()))


def _figure_name(wildcards: Wildcards) -> str:
    return wildcards.figure


def _flat(rankings: Iterable[tuple[str, ...]]) -> list[str]:
    return list(chain.from_iterable(rankings))


def _list_cutoffs(experiment: Experiment) -> list[int]:
    """Cut-offs of an experiment's metrics up to the depth at which lists are stored (10 if there are none), and that depth."""
    shallow = {measured.cutoff for measured in experiment.metrics if measured.cutoff <= LIST_DEPTH}
    return sorted({*(shallow or {10}), LIST_DEPTH})


def _sources(classes: frozenset[type[Plugin]]) -> list[Path]:
    # Bases speak as well.
    return sorted({Path(getfile(base)) for each in classes for base in each.__mro__ if issubclass(base, Plugin)})


def _templates() -> tuple[Path, ...]:
    return tuple(sorted(path for path in Path(html.__file__).parent.rglob("*") if path.suffix in {".jinja", ".css", ".js"}))
