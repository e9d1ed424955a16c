"""Studies with given rankings: the files of positions, and the tables that the steps make from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import InteractionFiles, PositionFiles, RankingFiles
from recsens.artefacts.folds import write_interactions
from recsens.data.interactions import Interactions
from recsens.metrics import MeasuredAt
from recsens.outcomes.counting import user_count_rows
from recsens.outcomes.measuring.stored_measures import Measured
from recsens.outcomes.measuring.stored_rankings import CELL, Cell, cell_columns
from recsens.outcomes.summary import Outcomes
from recsens.plugins.specs import parse
from recsens.seeds import Origin
from recsens.study import Study
from recsens.study.design import Design
from recsens.study.designs import expand, folds
from recsens.vocabulary import State
from recsens.workflow.steps.count_ratings import count_ratings
from recsens.workflow.steps.measure import measure
from recsens.workflow.steps.rank import RankingTask, rank

ADDRESSES = {"S": parse("simulated")}
SYSTEMS = {"A": "popularity", "B": "random"}
"""Only their names matter, unless they rank."""


@dataclass(frozen=True)
class Written:
    """A study of one fold in the working directory, whose systems rank in the same way."""

    study: Study

    @classmethod
    def of(cls, metric: str, *, names: str = "A", vary: Mapping[str, Any] | None = None, **decisions: object) -> Written:
        """Make a study of some systems on one metric, with the decisions of its designs."""
        systems = {name: SYSTEMS[name] for name in names}
        content = {"title": "t", "datasets": {"S": "simulated"}, "systems": systems, "metrics": [metric]}
        return cls(Study.model_validate({**content, "design": decisions, "vary": vary or {}}))

    @property
    def designs(self) -> list[Design]:
        """The base design and its variations."""
        return expand(self.study, ADDRESSES)["S"]

    @property
    def metric(self) -> MeasuredAt:
        """The one metric."""
        return self.study.metrics[0]

    @property
    def folders(self) -> list[Path]:
        """Where the rankings of each system are, under each choice of targets."""
        found = [design.ranking_folder(folds(design)[0], spec) for spec in self.study.systems.values() for design in self.designs]
        return list(dict.fromkeys(map(Path, found)))

    @property
    def cells(self) -> list[Cell]:
        """Each ranking under each design."""
        looks = dict.fromkeys((design.view, design.relevance) for design in self.designs)
        return [Cell(str(folder), *look) for folder in self.folders for look in looks]

    @property
    def depths(self) -> list[int]:
        """Depths at which the lists of single ratings are counted; none if each user has one ranking."""
        units = {plugins.build("targets", design.targets).unit for design in self.designs}
        return [self.metric.cutoff] if "rating" in units else []

    def positions(self, users: Mapping[str, Any], by_rating: Mapping[str, Any] | None = None) -> None:
        """Write the users' counts, and the ranking of each relevant rating, or no judged item."""
        n = 0 if by_rating is None else len(by_rating["user"])
        unknown = {name: [None] * n for name in ("score", "above", "tied")}
        rows = {"user": [], "item": range(n), "rating": [5.0] * n, "position": [], "state": [State.SCORED] * n, **unknown}
        schema = schemas.POSITIONS if by_rating is None else schemas.RATING_POSITIONS
        for folder in self.folders:
            storage.write_table(folder / "positions.parquet", schema, {**rows, **(by_rating or {})})
            storage.write_table(folder / "users.parquet", schemas.RANKED_USERS, {"filled": [0] * len(users["train"]), **users})
        storage.write_json("dataset.json", {"scale": {"lowest": 0.5, "highest": 5, "step": 0.5}}, schemas.DATASET)

    def rank(self, train: Interactions, test: Interactions) -> None:
        """Rank both sides of a split by each system, as the step does."""
        sources = write_sides(train, test)
        for system, folder in zip(self.study.systems.values(), self.folders, strict=True):
            design = RankingTask(str(system), str(self.designs[0].targets), None, "drop", self.designs[0].ties)
            made = {"ranking": RankingFiles.within(folder), "cost": "cost.json"}
            rank(**sources, **made, design=design, origin=Origin(1, "x", "repeat-0"))

    def measured(self, values: Sequence[np.ndarray] | None = None) -> Measured:
        """Count the users and measure the rankings, or take given values, one array of shape (n_users,) per system."""
        by_folder = {folder: [cell for cell in self.cells if cell.ranking == str(folder)] for folder in self.folders}
        files = {
            "rankings": [PositionFiles(*RankingFiles.within(folder)[:2], "dataset.json") for folder in by_folder],
            "cells": [[(cell.view, cell.relevance) for cell in cells] for cells in by_folder.values()],
        }
        count_ratings(**files, population="population.parquet", depths=self.depths)
        if values is None:
            measure(**files, measures="m.parquet", metric=str(self.metric.metric.spec), cutoffs=[self.metric.cutoff])
        else:
            columns = cell_columns(self.cells, [len(value) for value in values])
            storage.write_table("m.parquet", CELL, {**columns, f"@{self.metric.cutoff}": np.concatenate(values)})
        return Measured.read({self.metric.metric.spec.slug: "m.parquet"}, "population.parquet")

    def outcomes(self, measured: Measured) -> Outcomes:
        """Return the content of summary.csv and comparisons.csv."""
        return Outcomes(self.study, ADDRESSES, measured)

    def counted(self, measured: Measured) -> list[dict[str, Any]]:
        """Return the rows of counted.csv."""
        return user_count_rows(self.outcomes(measured))


def write_sides(train: Interactions, test: Interactions) -> dict[str, Any]:
    """Write both sides of a split as earlier steps do; return the files by the names that steps use."""
    both = np.lexsort((np.concatenate([train.item, test.item]), np.concatenate([train.user, test.user])))
    columns = {name: np.concatenate([getattr(train, name), getattr(test, name)])[both] for name in ("user", "item", "rating")}
    data = Interactions(**columns, timestamp=None, user_keys=train.user_keys, item_keys=train.item_keys, scale=train.scale)
    files = InteractionFiles.within(".")
    names = {"user_ids": list(map(str, data.user_keys)), "item_ids": list(map(str, data.item_keys))}
    write_interactions(data, **names, record={}, files=files)
    is_test = np.repeat([0, 1], [len(train), len(test)])[both]
    storage.write_table("roles.parquet", schemas.ROLES, {"role": is_test.astype(np.uint8)})
    return {"data": files, "roles": "roles.parquet"}
