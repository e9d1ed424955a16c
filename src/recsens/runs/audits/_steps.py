"""Run a study's steps one after another in this process, without Snakemake and without fitting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.artefacts import schemas, storage
from recsens.artefacts.addresses import Address
from recsens.metrics import Metric
from recsens.outcomes.measuring.stored_rankings import Look, RankedUsers
from recsens.ranking.targets import Targets
from recsens.recommenders import Recommender, progress
from recsens.report.frame import Frame
from recsens.seeds import Origin
from recsens.study.designs import folds
from recsens.vocabulary import FIGURE_FORMS, METHODS_FORMS
from recsens.workflow.ask import Ask
from recsens.workflow.plan import Plan, Ranking
from recsens.workflow.steps.check_targets import check_targets
from recsens.workflow.steps.compare import compare
from recsens.workflow.steps.count_ratings import count_ratings
from recsens.workflow.steps.count_users import count_users
from recsens.workflow.steps.decide_winners import decide_winners
from recsens.workflow.steps.describe_datasets import describe_datasets
from recsens.workflow.steps.describe_matches import describe_matches
from recsens.workflow.steps.describe_splits import describe_splits
from recsens.workflow.steps.describe_ties import describe_ties
from recsens.workflow.steps.filter import filter as filter_interactions
from recsens.workflow.steps.fit import fit
from recsens.workflow.steps.ingest import ingest
from recsens.workflow.steps.measure import measure, measure_together
from recsens.workflow.steps.multiverse import multiverse
from recsens.workflow.steps.overlap import overlap
from recsens.workflow.steps.rank import RankingTask, rank
from recsens.workflow.steps.split import split
from recsens.workflow.steps.summarise import summarise

_ALL: Any = SimpleNamespace()
"""The wildcards of a rule without wildcards."""

_METRICS_TOGETHER = 8
"""Number of metrics that are measured together; it limits the memory of their values for all users of a ranking."""


@dataclass(frozen=True)
class Ranked:
    """The lengths of a run's lists, and its share of ties, under the base design and over all folds.

    Attributes
    ----------
    listed
        Length of the list of each user with a test rating, shape (n_users,).
    share_tied
        Share of the ranked judged items that have the same score as another item.
    """

    listed: NDArray[np.int64]
    share_tied: float


class StudySteps:
    """The steps of a study whose systems are files, in the working directory.

    Parameters
    ----------
    plan
        The plan of the study.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        # The methods of `Ask` return the types that Snakemake passes on: lists, even where a step's annotation says tuple.
        self._ask: Any = Ask(plan)

    @property
    def tables(self) -> Path:
        """The folder of the study's tables."""
        return Path(self._plan.folder)

    def rank(self) -> None:
        """Read the data, and rank every system under every design that needs a separate ranking, unless that ranking exists."""
        for ranking in progress(list(self._plan.rankings.values()), "rankings"):
            self._read(ranking)
            self._rank(ranking)

    def ranked(self) -> dict[str, Ranked]:
        """Return the lengths of each system's lists, and its share of ties, by the system's label."""
        return {name: _ranked(addresses) for name, addresses in self._bases.items()}

    def base_rankings(self) -> dict[str, list[RankedUsers]]:
        """Read the rankings of each fold under the base design, by the label of the system."""
        return {name: [RankedUsers.read(*address.measured) for address in addresses] for name, addresses in self._bases.items()}

    def decide(self) -> None:
        """Measure the rankings, and write the tables of values, comparisons and verdicts, without a joint test."""
        self._compare()
        self._decide()

    def _compare(self) -> dict[str, Any]:
        """Measure the rankings, and write the tables of values and comparisons; return the input of these steps."""
        study, addresses = str(self._plan.path), self._ask.addresses(_ALL)
        population = self._file("measures/population.parquet")
        rankings = list(self._plan.rankings.values())
        measured = [ranking.address.measured for ranking in rankings]
        cells = [self._plan.cells[folder] for folder in self._plan.rankings]
        count_ratings(rankings=measured, population=population, cells=cells, depths=self._ask.depths(_ALL))
        files = self._measure_all(cells)
        given: dict[str, Any] = {"study": study, "measures": files, "population": population, "addresses": addresses}
        summarise(**given, summary=self._table("summary"))
        compare(**given, comparisons=self._table("comparisons"))
        return given

    def conclude(self) -> None:
        """Measure the rankings, and write every table of the study."""
        given = self._compare()
        study, population, addresses = given["study"], given["population"], given["addresses"]
        multiverse(**given, multiverse=self._table("multiverse"), joint=self._table("joint"))
        self._decide(multiverse=self._table("multiverse"))
        count_users(study=study, population=population, counted=self._table("counted"), addresses=addresses)
        for record in map(Address.parse, self._plan.checks):
            self._check(record)
        self._describe(population)

    def report(self, frame: Frame) -> None:
        """Draw the figures, and write the page and the tables for papers."""
        # Import these here, because an audit without a page does not need matplotlib.
        from recsens.workflow.steps.figure import usual_figures  # noqa: PLC0415
        from recsens.workflow.steps.report import report  # noqa: PLC0415

        study = str(self._plan.path)
        figures = {
            name: {form: self._file(f"figures/{name}.{form}") for form in FIGURE_FORMS} for name in self._plan.study.all_figures()
        }
        read: dict[str, Any] = {each: self._table(each) for each in ("summary", "comparisons", "verdicts")}
        usual_figures(study=study, **read, files=figures)
        of_pairs = ("comparisons", "multiverse", "joint", "verdicts", "flips", "influence", "shortest")
        every = ("summary", "counted", *of_pairs, "overlap", "ties", "datasets", "splits", "matched")
        report(
            study=study,
            name=self._plan.name,
            results=[self._table(name) for name in every],
            figures=[file for files in figures.values() for file in files.values()],
            html=self._file("report.html"),
            tex=self._file("tables.tex"),
            md=self._file("tables.md"),
            tables=self._ask.paper_files,
            methods=[self._file(f"tables/methods.{form}") for form in METHODS_FORMS],
            addresses=self._ask.addresses(_ALL),
            frame=frame,
        )

    def _read(self, ranking: Ranking) -> None:
        """Ingest, filter and split the data of a ranking, and read its system's file."""
        at, design, origin = ranking.address, ranking.design, self._origin(ranking.address)
        source = self._plan.source_at(at.step("dataset"))
        raw, kept, fold, system = (at.up_to(step) for step in ("dataset", "filter", "fold", "recommender"))
        if not Path(raw.data.dataset).exists():
            files, digests = list(map(str, source.files)), list(source.digests)
            spec, address = str(source.component.full_spec), str(source.address)
            ingest(files=files, data=raw.data, spec=spec, address=address, digests=digests, origin=origin)
        if not Path(kept.data.dataset).exists():
            filter_interactions(data=raw.data, kept=kept.data, chain=str(design.filter), origin=origin)
        if not Path(fold.roles).exists():
            split(data=kept.data, roles=fold.roles, record=fold.split_record, spec=str(design.split), origin=origin)
        if not Path(system.model).exists():
            files_read: dict[str, Any] = {"data": kept.data, "roles": fold.roles, "origin": origin}
            fit(**files_read, spec=str(ranking.system), model=system.model, cost=system.cost("fit"))

    def _rank(self, ranking: Ranking) -> None:
        at, design = ranking.address, ranking.design
        if Path(at.ranking.positions).exists():
            return
        asked = RankingTask(
            str(Recommender.build(ranking.system).full_spec),
            str(Targets.build(design.targets).full_spec),
            self._plan.targets_at(at.step("targets"))[1],
            str(design.nc),
            design.ties,
        )
        fold = at.up_to("fold")
        rank(
            data=at.up_to("filter").data,
            roles=fold.roles,
            model=at.up_to("recommender").model,
            ranking=at.ranking,
            cost=at.cost("rank"),
            design=asked,
            origin=self._origin(at),
        )

    def _check(self, record: Address) -> None:
        # For example, checks/ar.0123456789.json.
        slug = record.file.removeprefix("checks/").rpartition(".json")[0].rpartition(".")[0]
        targets, _ = self._plan.targets_at(slug)
        asked = self._plan.target_check(record.step("dataset"), record.step("filter"), slug)
        audiences: Any = asked.audiences
        check_targets(
            data=record.up_to("filter").data,
            roles=record.up_to("fold").roles,
            record=str(record.path),
            targets=str(Targets.build(targets).full_spec),
            audiences=audiences,
            user_columns=asked.user_columns,
            metrics=asked.metrics,
            origin=self._origin(record),
        )

    def _measure_all(self, cells: Sequence[Sequence[Look]]) -> list[str]:
        """Measure every metric on all rankings; return the files in the order of the plan."""
        metrics = {slug: Metric.build(self._plan.metric_texts[slug]) for slug in self._plan.cutoffs}
        files = {slug: self._file(f"measures/metric/{slug}.parquet") for slug in metrics}
        alone = [slug for slug, metric in metrics.items() if metric.unit == "pooled" or metric.reads == "lists"]
        for slug in progress(alone, "metrics of whole lists"):
            self._measure(metrics[slug], slug, files[slug], cells)
        together = [slug for slug in metrics if slug not in alone]
        rankings = [ranking.address.measured for ranking in self._plan.rankings.values()]
        for first in progress(range(0, len(together), _METRICS_TOGETHER), "groups of metrics"):
            slugs = together[first : first + _METRICS_TOGETHER]
            measure_together(
                rankings=rankings,
                measures=[files[slug] for slug in slugs],
                metrics=[str(metrics[slug].full_spec) for slug in slugs],
                cutoffs=[self._plan.cutoffs[slug] for slug in slugs],
                cells=cells,
            )
        return list(files.values())

    def _measure(self, metric: Metric, slug: str, file: str, cells: Sequence[Sequence[Look]]) -> None:
        addresses = [ranking.address for ranking in self._plan.rankings.values()]
        selections = dict.fromkeys(str(design.users) for design in self._plan.all_designs)
        measure(
            rankings=[address.measured for address in addresses],
            lists=[address.listed for address in addresses] if metric.reads == "lists" else [],
            measures=file,
            metric=str(metric.full_spec),
            cutoffs=self._plan.cutoffs[slug],
            cells=cells,
            selections=list(selections) if metric.unit == "pooled" else [],
        )

    def _decide(self, multiverse: str | None = None) -> None:
        named = ("summary", "comparisons", "verdicts", "flips", "influence", "shortest")
        tables: dict[str, Any] = {name: self._table(name) for name in named}
        decide_winners(study=str(self._plan.path), **tables, multiverse=multiverse)

    def _describe(self, population: str) -> None:
        """Write the tables about data, splits, lists, files and ties."""
        ask, plan = self._ask, self._plan
        overlap(lists=ask.overlapping_lists(_ALL), table=self._table("overlap"), groups=ask.overlapping(_ALL))
        describe_datasets(
            data=[address.data for address in plan.filtered.values()],
            labels=ask.labels(_ALL),
            relevances=ask.base_thresholds(_ALL),
            datasets=self._table("datasets"),
            filtered=ask.filtered_records(_ALL),
            chains=ask.filter_chains(_ALL),
        )
        describe_splits(
            records=ask.split_records(_ALL),
            labels=ask.split_labels(_ALL),
            checks=ask.all_checks(_ALL),
            check_labels=ask.check_labels(_ALL),
            options=ask.options(_ALL),
            splits=self._table("splits"),
        )
        describe_matches(
            models=ask.matched_models(_ALL),
            users=ask.matched_users(_ALL),
            matched=self._table("matched"),
            labels=ask.matched_labels(_ALL),
        )
        describe_ties(
            study=str(plan.path),
            rankings=[address.measured for addresses in self._bases.values() for address in addresses],
            population=population,
            ties=self._table("ties"),
            addresses=ask.addresses(_ALL),
        )

    @cached_property
    def _bases(self) -> dict[str, list[Address]]:
        """The rankings of each system under the base design, fold by fold, by the system's label."""
        [(label, experiment)] = self._plan.study.by_label().items()
        design = self._plan.designs[label][0]
        return {
            name: [design.ranking_address(fold, system) for fold in folds(design)] for name, system in experiment.systems.items()
        }

    def _origin(self, at: Address) -> Origin:
        identity = self._plan.source_at(at.step("dataset")).component.identity
        return Origin(self._plan.study.seed, identity, at.step("fold"))

    def _file(self, name: str) -> str:
        return f"{self._plan.folder}/{name}"

    def _table(self, name: str) -> str:
        return self._file(f"{name}.csv")


def _ranked(bases: list[Address]) -> Ranked:
    listed, tied = [], []
    for address in bases:
        users = storage.read_table(address.ranking.users, schemas.RANKED_USERS)
        is_judged = storage.column(users, "test") > 0
        listed.append(storage.column(users, "scored", "int64")[is_judged])
        tied.append(
            storage.read_table(address.ranking.positions, schemas.POSITIONS, ["tied"]).column("tied").drop_null().to_numpy()
        )
    others = np.concatenate(tied)
    share = float((others > 0).mean()) if len(others) else 0.0
    return Ranked(np.concatenate(listed), share)
