"""Who is counted: the users averaged under each design, who of them can score, and what is lost with the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from recsens import plugins
from recsens.aggregation import Aggregate
from recsens.aggregation._weighing import effective_number
from recsens.config import Study
from recsens.design import Design, Fold
from recsens.measured import Measured, user_columns
from recsens.measures import Cell
from recsens.plan import expand, folds
from recsens.scoring import FoldScores, Panel, SystemScores
from recsens.specs import Spec
from recsens.targets import Targets
from recsens.users import Users


def counted_rows(
    study: Study, addresses: Mapping[str, Spec], measured: Measured, user_tables: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """List who is averaged: one row a data set or experiment, design and fold.

    Users averaged are admitted and have a weight. Admission is decided before C4: a reduced average leaves out further users,
    system by system. Where a selection of users admits others for one system than for another, each group of systems has a row.

    Parameters
    ----------
    study
        The study.
    addresses
        Spec in the address of each data set, by the label of a data set or experiment.
    measured
        Its measures; only what is known of the users is read.
    user_tables
        Table of users of the data sets whose columns some design weighs users by, by the folder it lies in.
    """
    designs = expand(study, addresses)
    rows, known = [], {}
    for part in study.parts():
        for label in part.datasets:
            for place, design in enumerate(designs[label]):
                # Designs that differ in coverage or test count the same users.
                cells = tuple(_cells(part, design, fold) for fold in folds(design))
                key = cells, tuple(part.systems), design.users, design.aggregate
                if key not in known:
                    known[key] = list(_of_design(part, design, measured, user_tables or {}))
                head, rest = {"dataset": label}, {**design.columns(), "is_base": place == 0}
                rows += [{**head, **row, **rest} for row in known[key]]
    return rows


def _cells(part: Study, design: Design, fold: Fold) -> tuple[Cell, ...]:
    return tuple(Cell(str(design.ranking_folder(fold, system)), design.view, design.relevance) for system in part.systems.values())


def _of_design(part: Study, design: Design, measured: Measured, user_tables: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    users: Users = plugins.build("users", design.users)
    columns = user_columns(design, user_tables)
    for fold in folds(design):
        groups: dict[bytes, tuple[FoldScores, list[str]]] = {}
        for name, cell in zip(part.systems, _cells(part, design, fold), strict=True):
            scores = _without_values(cell, users, measured)
            groups.setdefault(scores.admitted.tobytes(), (scores, []))[1].append(name)
        for scores, names in groups.values():
            systems = "all" if len(groups) == 1 else ", ".join(names)
            cell = _cells(part, design, fold)[list(part.systems).index(names[0])]
            yield {"fold": fold.name, "systems": systems, **_numbers(scores, cell, design, measured, columns)}


def _without_values(cell: Cell, users: Users, measured: Measured) -> FoldScores:
    population, n_measured = measured.population(cell), measured.n_measured(cell)
    return FoldScores.of(np.zeros(n_measured.shape), n_measured, users.admit(population), population, measured.cover(cell))


def _numbers(scores: FoldScores, cell: Cell, design: Design, measured: Measured, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Count the users averaged, those of them who can score, and the ratings of the others."""
    targets: Targets = plugins.build("targets", design.targets)
    aggregate: Aggregate = plugins.build("aggregate", design.aggregate)
    joined = Panel({"": SystemScores((scores,))}, targets.unit, "full", columns).over_folds
    weights = aggregate.weights(joined)
    # A user of weight zero is in no mean.
    averaged, known = joined.counts[0] & (weights > 0), scores.population
    by_rating = targets.unit == "rating"
    n_test, n_lost = int(known.test.sum()), int(known.test[~averaged].sum())
    groups = measured.n_measured(cell)[:, averaged].sum(axis=1)
    return {
        "users": len(averaged),
        "averaged": int(averaged.sum()),
        "with_test": int((averaged & (known.test > 0)).sum()),
        "with_relevant": int((averaged & (known.relevant > 0)).sum()),
        "effective_users": effective_number(weights[averaged]),
        "test_ratings": n_test,
        "lost_ratings": n_lost,
        "share_lost": n_lost / n_test if n_test else float("nan"),
        "rankings": int(groups.sum()) if by_rating else None,
        "ratings_by_percentile": _listed(groups, targets.n_groups) if targets.n_groups > 1 else None,
    }


def _listed(numbers: Sequence[int], n: int) -> str:
    """Write the numbers of the groups, zeros for the last ones where nothing was ranked in them."""
    return " ".join(map(str, [*numbers, *[0] * (n - len(numbers))]))
