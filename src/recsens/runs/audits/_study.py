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
from recsens.outcomes.counting import counted_rows
from recsens.outcomes.measuring.stored_rankings import RankedUsers
from recsens.outcomes.summary import Outcomes
from recsens.outcomes.unrated import UnratedOutcomes
from recsens.pipeline.in_memory import measure_in_memory
from recsens.pipeline.measuring import MetricTask
from recsens.pipeline.table_files import write_rows
from recsens.recommenders import progress
from recsens.report.frame import Frame
from recsens.seeds import Origin
from recsens.study.designs import folds
from recsens.study.experiment import QUESTIONS
from recsens.vocabulary import FIGURE_FORMS, METHODS_FORMS
from recsens.workflow.ask import Ask
from recsens.workflow.plan import Plan, Ranking
from recsens.workflow.steps.check_targets import check_targets
from recsens.workflow.steps.decide_winners import decide_winners
from recsens.workflow.steps.describe_datasets import describe_datasets
from recsens.workflow.steps.describe_matches import describe_matches
from recsens.workflow.steps.describe_splits import describe_splits
from recsens.workflow.steps.describe_ties import tie_ranges
from recsens.workflow.steps.filter import filter as filter_interactions
from recsens.workflow.steps.fit import fit
from recsens.workflow.steps.ingest import ingest
from recsens.workflow.steps.overlap import overlap
from recsens.workflow.steps.rank import RankingTask, rank
from recsens.workflow.steps.split import split


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
    def _further(self) -> list[str]:
        """The tables about unrated items, if the study asks about them; an audit answers no other question."""
        return list(QUESTIONS["unrated"].tables) if self._plan.study.tipping else []

    def _table(self, name: str) -> str:
        return f"{self.tables}/{name}.csv"

    def rank(self) -> None:
        """Read the data, and rank every system under every design that needs a separate ranking, unless that ranking exists."""
        for ranking in progress(list(self._plan.rankings.values()), "rankings"):
            if not Path(ranking.address.ranking.positions).exists():
                self._rank(ranking)

    def _rank(self, ranking: Ranking) -> None:
        at, ask, named = ranking.address, self._ask.arguments, _wildcards(ranking.address)
        raw, kept, fold, system = (at.up_to(step) for step in ("dataset", "filter", "fold", "recommender"))
        asked = ask("rank", **named)
        origin = Origin(**asked["origin"])
        if not Path(raw.data.dataset).exists():
            ingest(**{**ask("ingest", **named), "origin": origin}, data=raw.data)
        if not Path(kept.data.dataset).exists():
            filter_interactions(data=raw.data, kept=kept.data, chain=ask("filter", **named)["chain"], origin=origin)
        if not Path(fold.roles).exists():
            split(data=kept.data, roles=fold.roles, record=fold.split_record, spec=ask("split", **named)["spec"], origin=origin)
        given: dict[str, Any] = {"data": kept.data, "roles": fold.roles, "model": system.model, "origin": origin}
        if not Path(system.model).exists():
            fit(**given, spec=ask("fit", **named)["spec"], cost=system.cost("fit"))
        rank(**given, ranking=at.ranking, cost=at.cost("rank"), design=RankingTask(**asked["design"]))

    def ranked(self) -> dict[str, Ranked]:
        """Return the lengths of each system's lists, and its share of ties, by the system's label."""
        return {name: _ranked(addresses) for name, addresses in self._bases.items()}

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
        self._compare()
        self._decide()

    def conclude(self) -> None:
        """Measure the rankings, and write every table of the study."""
        self._compare()
        all_analyses = multiverse(self._outcomes)
        self._write("multiverse", all_analyses.analyses)
        self._write("joint", all_analyses.joint)
        self._decide(multiverse=self._table("multiverse"))
        self._write("counted", counted_rows(self._outcomes))
        if self._further:
            ranked = {
                str(each.address.folder): (each.address.measured, each.address.ranking.lists)
                for each in self._plan.rankings.values()
            }
            for name, rows in zip(self._further, UnratedOutcomes(self._outcomes, ranked).rows(), strict=True):
                self._write(name, rows)
        for record in map(Address.parse, self._plan.checks):
            self._check(record)
        self._describe()

    def _compare(self) -> None:
        self._write("summary", self._outcomes.summary())
        self._write("comparisons", self._outcomes.comparisons())

    def _decide(self, multiverse: str | None = None) -> None:
        tables: Any = {name: self._table(name) for name in ["summary", "comparisons", "verdicts", "flips", "influence", "shortest"]}
        decide_winners(study=self._study, **tables, multiverse=multiverse)

    def _write(self, name: str, rows: list[dict[str, Any]]) -> None:
        write_rows(self._table(name), name, rows)

    def _check(self, record: Address) -> None:
        # For example, checks/ar.0123456789.json.
        targets, _, check = record.file.removeprefix("checks/").removesuffix(".json").rpartition(".")
        asked = self._ask.arguments("check_targets", **_wildcards(record.up_to("fold") / "any" / targets, check=check))
        check_targets(
            data=record.up_to("filter").data,
            roles=record.up_to("fold").roles,
            record=str(record.path),
            **{name: asked[name] for name in ("targets", "audiences", "user_columns", "metrics")},
            origin=Origin(**asked["origin"]),
        )

    def _describe(self) -> None:
        """Write the tables about data, splits, lists, files and ties."""
        ask, bases = self._ask.arguments, [address for addresses in self._bases.values() for address in addresses]
        overlap(**ask("overlap"), table=self._table("overlap"))
        data = [address.data for address in self._plan.filtered.values()]
        describe_datasets(**{**ask("describe_datasets"), "data": data}, datasets=self._table("datasets"))
        describe_splits(**ask("describe_splits"), splits=self._table("splits"))
        describe_matches(**ask("describe_matches"), matched=self._table("matched"))
        self._write("ties", tie_ranges(self._outcomes, [address.measured for address in bases]))

    def report(self, frame: Frame) -> None:
        """Draw the figures, and write the page and the tables for papers."""
        # Import these here, because an audit without a page does not need matplotlib.
        from recsens.workflow.steps.figure import usual_figures  # noqa: PLC0415
        from recsens.workflow.steps.report import report  # noqa: PLC0415

        folder, names = self._plan.folder, self._plan.study.all_figures()
        tables: dict[str, Any] = {name: self._table(name) for name in ("summary", "comparisons", "verdicts")}
        figures = {name: {form: f"{folder}/figures/{name}.{form}" for form in FIGURE_FORMS} for name in names}
        usual_figures(study=self._study, **tables, further=list(map(self._table, self._further)), files=figures)
        of_pairs = ("comparisons", "multiverse", "joint", "verdicts", "flips", "influence", "shortest")
        every = ("summary", "counted", *of_pairs, "overlap", "ties", "datasets", "splits", "matched")
        report(
            study=self._study,
            name=self._plan.name,
            results=[self._table(name) for name in (*every, *self._further)],
            figures=[file for files in figures.values() for file in files.values()],
            html=f"{folder}/report.html",
            tex=f"{folder}/tables.tex",
            md=f"{folder}/tables.md",
            tables=self._ask.paper_files,
            methods=[f"{folder}/tables/methods.{form}" for form in METHODS_FORMS],
            addresses=self._ask.arguments("report")["addresses"],
            frame=frame,
        )


def _wildcards(at: Address, **further: str) -> dict[str, str]:
    """Return the names in an address as the wildcards of a rule."""
    steps = dict(zip(STEPS, at.steps, strict=False))
    return {**steps, "seed": steps["seed"].removeprefix("seed-"), **further}


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
