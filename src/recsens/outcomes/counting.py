"""Count each design's averaged users, those of them who can score above zero, and the test ratings of all other users."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.artefacts.addresses import Fold
from recsens.comparison.aggregation import Aggregate, effective_number
from recsens.comparison.users import Users
from recsens.outcomes.measuring.stored_measures import Measured, user_columns
from recsens.outcomes.measuring.stored_rankings import Cell
from recsens.outcomes.panels import FoldMeasures, Panel, SystemMeasures
from recsens.plugins.specs import Spec
from recsens.ranking.targets import Targets
from recsens.study import Experiment, Study
from recsens.study.design import Design
from recsens.study.designs import expand, folds


def counted_rows(
    study: Study, addresses: Mapping[str, Spec], measured: Measured, user_tables: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Count the averaged users; return one row for each data set or experiment, design and fold.

    A user is averaged if B1 admits the user and the weight is above zero. Coverage (C4) is ignored: a reduced average leaves out
    further users, but which ones depends on the system. If a selection admits different users for different systems, there is one
    row for each group of systems with the same users.

    Parameters
    ----------
    study
        The study.
    addresses
        The spec that each data set's address contains, by the label of a data set or experiment.
    measured
        The study's measures, of which only the counts of users are read.
    user_tables
        Tables of users, by folder; each has a column by which some design weights users.
    """
    designs = expand(study, addresses)
    rows, known = [], {}
    for label, experiment in study.by_label().items():
        for number, design in enumerate(designs[label]):
            # Designs that differ only in coverage or test count the same users.
            cells = tuple(_cells(experiment, design, fold) for fold in folds(design))
            key = cells, tuple(experiment.systems), design.users, design.aggregate
            if key not in known:
                known[key] = list(_of_design(experiment, design, measured, user_tables or {}))
            head, rest = {"dataset": label}, {**design.columns(), "is_base": number == 0}
            rows += [{**head, **row, **rest} for row in known[key]]
    return rows


def _cells(experiment: Experiment, design: Design, fold: Fold) -> tuple[Cell, ...]:
    return tuple(
        Cell(str(design.ranking_folder(fold, system)), design.view, design.relevance) for system in experiment.systems.values()
    )


def _of_design(
    experiment: Experiment, design: Design, measured: Measured, user_tables: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    users = Users.build(design.users)
    columns = user_columns(design, user_tables)
    for fold in folds(design):
        groups: dict[bytes, tuple[FoldMeasures, list[str]]] = {}
        for name, cell in zip(experiment.systems, _cells(experiment, design, fold), strict=True):
            scores = _without_values(cell, users, measured)
            groups.setdefault(scores.admitted.tobytes(), (scores, []))[1].append(name)
        for scores, names in groups.values():
            systems = "all" if len(groups) == 1 else ", ".join(names)
            cell = _cells(experiment, design, fold)[list(experiment.systems).index(names[0])]
            yield {"fold": fold.name, "systems": systems, **count_users(scores, measured.n_measured(cell), design, columns)}


def _without_values(cell: Cell, users: Users, measured: Measured) -> FoldMeasures:
    population, n_measured = measured.population(cell), measured.n_measured(cell)
    return FoldMeasures.of(np.zeros(n_measured.shape), n_measured, users.admit(population), population, measured.cover(cell))


def count_users(
    scores: FoldMeasures, n_measured: NDArray[np.int64], design: Design, columns: Mapping[str, NDArray[Any]]
) -> dict[str, Any]:
    """Count a fold's averaged users, those of them who can score above zero, and the test ratings of users who are not averaged.

    Parameters
    ----------
    scores
        The users' measures, of which only admission and weights are used.
    n_measured
        Number of rankings measured for each user, shape (n_groups, n_users).
    design
        The design, of which only the targets and the aggregate are read.
    columns
        Columns of the user table by which the aggregate weights users.
    """
    targets = Targets.build(design.targets)
    aggregate = Aggregate.build(design.aggregate)
    [joined] = Panel({"": SystemMeasures((scores,))}, targets.unit, "full", columns).by_fold
    weights = aggregate.weights(joined)
    # A user with weight zero does not enter a mean.
    averaged, known = joined.counts[0] & (weights > 0), scores.population
    by_rating = targets.unit == "rating"
    n_test, n_lost = int(known.test.sum()), int(known.test[~averaged].sum())
    groups = n_measured[:, averaged].sum(axis=1)
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
    """Write the numbers of n groups, separated by spaces; numbers missing at the end are 0, because nothing was ranked there."""
    return " ".join(map(str, [*numbers, *[0] * (n - len(numbers))]))
