"""Count each design's averaged users, those of them who can score above zero, and the test ratings of all other users."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from recsens.comparison.aggregation import Aggregate, effective_number
from recsens.outcomes.measuring.stored_measures import user_columns
from recsens.outcomes.panels import Panel, SystemMeasures
from recsens.outcomes.shared_panels import FoldFrame, design_cells
from recsens.outcomes.summary import Outcomes
from recsens.ranking.targets import Targets
from recsens.study import Experiment
from recsens.study.design import Design
from recsens.study.designs import fitted


def user_count_rows(outcomes: Outcomes) -> list[dict[str, Any]]:
    """Count the averaged users; return one row for each data set or experiment, design and fold.

    A user is averaged if B1 admits the user and the weight is above zero. Coverage (C4) is ignored: a reduced average leaves out
    further users, but which ones depends on the system. If a selection admits different users for different systems, there is one
    row for each group of systems with the same users. Of the measures, only the counts of users are read.
    """
    rows, known = [], {}
    for label, experiment in outcomes.study.by_label().items():
        for number, design in enumerate(outcomes.designs[label]):
            # Designs that differ only in coverage or test count the same users.
            cells = tuple(tuple(design_cells(design, system)) for system in experiment.systems.values())
            key = cells, tuple(experiment.systems), design.users, design.aggregate
            if key not in known:
                known[key] = list(_rows_of_design(outcomes, experiment, design))
            head, rest = {"dataset": label}, {**outcomes.columns[label][number], "is_base": number == 0}
            rows += [{**head, **row, **rest} for row in known[key]]
    return rows


def _rows_of_design(outcomes: Outcomes, experiment: Experiment, design: Design) -> Iterator[dict[str, Any]]:
    columns = user_columns(design, outcomes.user_tables)
    by_fold = zip(*(design_cells(design, system) for system in experiment.systems.values()), strict=True)
    for fold, cells in zip(fitted(design), by_fold, strict=True):
        groups: dict[bytes, tuple[FoldFrame, list[str]]] = {}
        for name, cell in zip(experiment.systems, cells, strict=True):
            frame = FoldFrame.read(outcomes.measured, cell, design.users)
            groups.setdefault(frame.without_values().admitted.tobytes(), (frame, []))[1].append(name)
        for frame, names in groups.values():
            systems = "all" if len(groups) == 1 else ", ".join(names)
            yield {"fold": fold.label, "systems": systems, **count_users(frame, design, columns)}


def count_users(frame: FoldFrame, design: Design, columns: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Count a fold's averaged users, those of them who can score above zero, and the test ratings of users who are not averaged.

    Parameters
    ----------
    frame
        What is known about the users of a system's rankings.
    design
        The design, of which only the targets and the aggregate are read.
    columns
        Columns of the user table by which the aggregate weights users.
    """
    targets = Targets.build(design.targets)
    aggregate = Aggregate.build(design.aggregate)
    [joined] = Panel({"": SystemMeasures((frame.without_values(),))}, targets.unit, "full", columns).by_fold
    weights = aggregate.weights(joined)
    # A user with weight zero does not enter a mean.
    averaged, known = joined.counts[0] & (weights > 0), frame.population
    by_rating = targets.unit == "rating"
    n_test, n_lost = int(known.test.sum()), int(known.test[~averaged].sum())
    groups = frame.n_measured[:, averaged].sum(axis=1)
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
        "ratings_by_percentile": _numbers_text(groups, targets.n_groups) if targets.n_groups > 1 else None,
    }


def _numbers_text(numbers: Sequence[int], n: int) -> str:
    """Write the numbers of n groups, separated by spaces; numbers missing at the end are 0, because nothing was ranked there."""
    return " ".join(map(str, [*numbers, *[0] * (n - len(numbers))]))
