"""The study behind an audit, computed in this process: rankings are files in the working directory, measures are in memory.

Rankings are written once and read by the three studies of an audit, a stretch of users at a time, so that memory does not grow with
their number. Everything later is computed from values in memory, by the functions that the workflow's steps call.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.artefacts import schemas, storage
from recsens.artefacts.addresses import STEPS, Address
from recsens.conclusions.multiverse import multiverse
from recsens.metrics import Metric
from recsens.outcomes.counting import user_count_rows
from recsens.outcomes.measuring.stored_rankings import RankedUsers
from recsens.outcomes.summary import Outcomes
from recsens.outcomes.unrated import UnratedOutcomes
from recsens.pipeline.in_memory import measure_in_memory
from recsens.pipeline.measuring import MetricTask
from recsens.pipeline.table_files import write_rows
from recsens.recommenders import progress
from recsens.report.frame import Frame
from recsens.study.designs import folds
from recsens.study.experiment import QUESTIONS
from recsens.vocabulary import FIGURE_FORMS, METHODS_FORMS
from recsens.workflow.ask import Ask
from recsens.workflow.job import function_of
from recsens.workflow.plan import Plan
from recsens.workflow.steps.describe_ties import tie_ranges

_FOR_THE_RULE = ("own_files", "outer", "is_tested_on_truth", "reads_side_tables")
"""Answers by which a rule chooses its inputs, and which the steps called here do not take."""


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


class StudyInProcess:
    """A study whose systems are files; the arguments of steps come from `Ask`, as in the workflow's rules.

    Parameters
    ----------
    plan
        The plan of the study.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan, self._study = plan, str(plan.path)
        self._ask = Ask(plan)

    @property
    def tables(self) -> Path:
        """The folder of the study's tables."""
        return Path(self._plan.folder)

    @cached_property
    def _further_tables(self) -> list[str]:
        """The tables about unrated items, if the study asks about them; an audit answers no other question."""
        return list(QUESTIONS["unrated"].tables) if self._plan.study.tipping else []

    def _table_path(self, name: str) -> str:
        return f"{self.tables}/{name}.csv"

    def rank(self) -> None:
        """Read the data, and rank every system under every design that needs a separate ranking, unless that ranking exists."""
        for ranking in progress(list(self._plan.rankings.values()), "rankings"):
            at = ranking.address
            raw, kept, fold, system = (at.up_to(step) for step in ("dataset", "filter", "fold", "recommender"))
            of_fold = {"data": kept.data, "roles": fold.roles, "model": system.model}
            # A ranking is never divided among jobs here, however many users there are.
            whole = {"shards": (), "shard_costs": ()}
            made: dict[str, tuple[str, dict[str, Any]]] = {
                "ingest": (raw.data.dataset, {"data": raw.data}),
                "filter": (kept.data.dataset, {"data": raw.data, "kept": kept.data}),
                "split": (fold.roles, {"data": kept.data, "roles": fold.roles, "record": fold.split_record}),
                "fit": (system.model, {**of_fold, "cost": system.cost("fit")}),
                "rank": (at.ranking.positions, {**of_fold, **whole, "ranking": at.ranking, "cost": at.cost("rank")}),
            }
            for step, (file, arguments) in made.items():
                if not Path(file).exists():
                    self._call_step(step, at, **arguments)

    def _call_step(self, step: str, at: Address | None = None, check: str = "", **files: Any) -> None:
        """Call a step with what the workflow's rule gets for an address, and with the files that it writes."""
        names = {} if at is None else dict(zip(STEPS, at.steps, strict=False))
        wildcards = {**names, "seed": names["seed"].removeprefix("seed-"), "check": check} if names else {}
        asked = self._ask.arguments(step, **wildcards).items()
        function_of(step, {**{name: answer for name, answer in asked if name not in _FOR_THE_RULE}, **files})()

    def ranked(self) -> dict[str, Ranked]:
        """Return the lengths of each system's lists, and its share of ties, by the system's label."""
        return {name: _lengths_and_ties(addresses) for name, addresses in self._bases.items()}

    def base_rankings(self) -> dict[str, list[RankedUsers]]:
        """Read the rankings of each fold under the base design, by the label of the system."""
        return {name: [RankedUsers.read(*address.measured) for address in addresses] for name, addresses in self._bases.items()}

    @cached_property
    def _bases(self) -> dict[str, list[Address]]:
        """The rankings of each system under the base design, fold by fold, by the system's label."""
        [(label, experiment)] = self._plan.study.by_label().items()
        design = self._plan.designs[label][0]
        return {
            name: [design.ranking_address(fold, system) for fold in folds(design)] for name, system in experiment.systems.items()
        }

    @cached_property
    def _outcomes(self) -> Outcomes:
        plan = self._plan
        selections = list(dict.fromkeys(str(design.users) for design in plan.all_designs))
        tasks = {slug: MetricTask(Metric.build(text), plan.cutoffs[slug], selections) for slug, text in plan.metric_texts.items()}
        addresses = [ranking.address for ranking in plan.rankings.values()]
        measured = measure_in_memory(
            tasks,
            [address.measured for address in addresses],
            [address.listed for address in addresses],
            [plan.cells[folder] for folder in plan.rankings],
            self._ask.arguments("count_ratings")["depths"],
        )
        return Outcomes(plan.study, plan.addresses, measured)

    def decide(self) -> None:
        """Measure the rankings, and write the tables of values, comparisons and verdicts, without a joint test."""
        self._write_comparisons()
        self._write_verdicts()

    def conclude(self) -> None:
        """Measure the rankings, and write every table of the study."""
        self._write_comparisons()
        all_analyses = multiverse(self._outcomes)
        self._write_table("multiverse", all_analyses.analyses)
        self._write_table("joint", all_analyses.joint)
        self._write_verdicts(multiverse=self._table_path("multiverse"))
        self._write_table("counted", user_count_rows(self._outcomes))
        if self._further_tables:
            ranked = {
                str(each.address.folder): (each.address.measured, each.address.ranking.lists)
                for each in self._plan.rankings.values()
            }
            for name, rows in zip(self._further_tables, UnratedOutcomes(self._outcomes, ranked).rows(), strict=True):
                self._write_table(name, rows)
        for record in map(Address.parse, self._plan.checks):
            self._check_targets(record)
        self._write_descriptions()

    def _write_comparisons(self) -> None:
        self._write_table("summary", self._outcomes.summary())
        self._write_table("comparisons", self._outcomes.comparisons())

    def _write_verdicts(self, multiverse: str | None = None) -> None:
        made = ("summary", "comparisons", "verdicts", "flips", "influence", "shortest")
        tables: dict[str, Any] = {name: self._table_path(name) for name in made}
        self._call_step("decide_winners", study=self._study, **tables, multiverse=multiverse)

    def _write_table(self, name: str, rows: list[dict[str, Any]]) -> None:
        write_rows(self._table_path(name), name, rows)

    def _check_targets(self, record: Address) -> None:
        # For example, checks/ar.0123456789.json.
        targets, _, check = record.file.removeprefix("checks/").removesuffix(".json").rpartition(".")
        fold = record.up_to("fold")
        files: dict[str, Any] = {"data": record.up_to("filter").data, "roles": fold.roles, "record": str(record.path)}
        self._call_step("check_targets", fold / "any" / targets, check, **files)

    def _write_descriptions(self) -> None:
        """Write the tables about data, splits, lists, files and ties."""
        self._call_step("overlap", table=self._table_path("overlap"))
        self._call_step("describe_datasets", datasets=self._table_path("datasets"))
        self._call_step("describe_splits", splits=self._table_path("splits"))
        self._call_step("describe_matches", matched=self._table_path("matched"))
        bases = [address.measured for addresses in self._bases.values() for address in addresses]
        self._write_table("ties", tie_ranges(self._outcomes, bases))

    def report(self, frame: Frame) -> None:
        """Draw the figures, and write the page and the tables for papers."""
        # Import this here, because an audit without a page does not need matplotlib.
        from recsens.workflow.steps.figure import usual_figures  # noqa: PLC0415

        folder, names = self._plan.folder, self._plan.study.all_figures()
        tables: dict[str, Any] = {name: self._table_path(name) for name in ("summary", "comparisons", "verdicts")}
        figures = {name: {form: f"{folder}/figures/{name}.{form}" for form in FIGURE_FORMS} for name in names}
        usual_figures(figures, study=self._study, **tables, further=list(map(self._table_path, self._further_tables)))
        of_pairs = ("comparisons", "multiverse", "joint", "verdicts", "flips", "influence", "shortest")
        every = ("summary", "counted", *of_pairs, "overlap", "ties", "datasets", "splits", "matched")
        self._call_step(
            "report",
            study=self._study,
            name=self._plan.name,
            results=[self._table_path(name) for name in (*every, *self._further_tables)],
            figures=[file for files in figures.values() for file in files.values()],
            html=f"{folder}/report.html",
            tex=f"{folder}/tables.tex",
            md=f"{folder}/tables.md",
            tables=self._ask.paper_files,
            methods=[f"{folder}/tables/methods.{form}" for form in METHODS_FORMS],
            frame=frame,
        )


def _lengths_and_ties(bases: list[Address]) -> Ranked:
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
