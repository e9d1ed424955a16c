"""Look up a study's stored measures by cell: a ranking under one view and one relevance threshold."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Bools, Floats, Ints
from recsens.artefacts import schemas, storage
from recsens.comparison.aggregation import Aggregate, Cover
from recsens.comparison.users import Population
from recsens.errors import ArtefactError
from recsens.metrics import MeasuredAt
from recsens.outcomes.measuring.stored_rankings import CELL, POPULATION, Cell, pooled_column, random_column, settled_column
from recsens.study.design import Design
from recsens.vocabulary import Coverage

_Key = TypeVar("_Key", bound=Hashable)
_Found = TypeVar("_Found")

CellColumns = Mapping[Cell, Mapping[str, NDArray[Any]]]
"""Arrays of numbers by cell and by name."""


class Measured:
    """The measures of a study by cell: a ranking under one view and one relevance threshold.

    Parameters
    ----------
    population
        The columns of the users' counts in each cell, each of shape (n_groups, n_users).
    measures
        A function from a metric's slug to the columns of its values in each cell, of the same shape.

    Raises
    ------
    ArtefactError
        If the study did not measure the cell, metric or cut-off.
    """

    def __init__(self, population: CellColumns, measures: Callable[[str], CellColumns]) -> None:
        self._population, self._measures = population, measures

    @classmethod
    def read(cls, measures: Mapping[str, str], population: str) -> Self:
        """Read measures from files; ``measures`` maps a metric's slug to its file, which is read when it is first needed."""
        return cls(_divide_by_cell(population, POPULATION), cache(lambda slug: _divide_by_cell(_look_up(measures, slug), CELL)))

    def divided(self, n_parts: int) -> Iterator[Self]:
        """Divide the users into parts of equal size, in order: the users of the candidates of a search."""

        def part(number: int, cells: CellColumns) -> CellColumns:
            return {
                cell: {name: _part(column, number, n_parts) for name, column in columns.items()} for cell, columns in cells.items()
            }

        for number in range(n_parts):
            measures = partial(lambda number, slug: part(number, self._measures(slug)), number)
            yield type(self)(part(number, self._population), measures)

    def values(self, cell: Cell, measured: MeasuredAt) -> Floats:
        """Return a metric's value for every user, shape (n_groups, n_users)."""
        return _look_up(self._columns_of_cell(cell, measured), f"@{measured.cutoff}")

    def at_random(self, cell: Cell, measured: MeasuredAt) -> Floats | None:
        """Return the values expected for targets in random order, shape (n_groups, n_users); None if there is no formula."""
        return self._columns_of_cell(cell, measured).get(random_column(measured.cutoff))

    def settled(self, cell: Cell, measured: MeasuredAt) -> Bools | None:
        """Return for which users every ranking has the same value, shape (n_groups, n_users); None if this is not known."""
        settled = self._columns_of_cell(cell, measured).get(settled_column(measured.cutoff))
        return None if settled is None else settled.astype(np.bool_)

    def pooled(self, cell: Cell, measured: MeasuredAt, users: str, coverage: Coverage) -> float:
        """Return a pooled metric's value over the users whom a selection and a coverage policy admit."""
        return float(_look_up(self._columns_of_cell(cell, measured), pooled_column(measured.cutoff, users, coverage))[0, 0])

    def n_measured(self, cell: Cell) -> Ints:
        """Return the number of rankings measured for each user, shape (n_groups, n_users)."""
        return _look_up(self._population, cell)["weight"].astype(np.int64)

    def population(self, cell: Cell) -> Population:
        """Return the counts of every user."""
        columns = _look_up(self._population, cell)
        return Population(**{name: columns[name][0].astype(np.int64) for name in ("train", "test", "relevant", "listed")})

    def cover(self, cell: Cell, depths: Sequence[int] = ()) -> Cover:
        """Count every user's rankings, covered rankings, and filled ranks at some depths, over all groups."""
        columns = _look_up(self._population, cell)
        sums = {name: columns[name].astype(np.int64).sum(axis=0) for name in ("rankings", "covered")}
        # If every user has one ranking, its length gives the number of filled ranks at any depth.
        has_depths = any(name.startswith("@") for name in columns)
        filled = {
            depth: columns[f"@{depth}"].astype(np.int64).sum(axis=0)
            if has_depths
            else np.minimum(columns["listed"][0].astype(np.int64), depth)
            for depth in depths
        }
        of_items = (columns[name][0].astype(np.int64) for name in ("targets", "scored"))
        return Cover(sums["rankings"], sums["covered"], filled, *of_items)

    def _columns_of_cell(self, cell: Cell, measured: MeasuredAt) -> Mapping[str, NDArray[Any]]:
        return _look_up(self._measures(measured.metric.spec.slug), cell)


def _look_up(measures: Mapping[_Key, _Found], key: _Key) -> _Found:
    """Return the measures for a key. A missing key is an error, because it means that the study was edited during its run."""
    try:
        return measures[key]
    except KeyError as error:
        raise ArtefactError(f"no measures of {key}: the study changed after measuring", remedy="run again") from error


def user_columns(design: Design, user_tables: Mapping[str, str]) -> dict[str, NDArray[Any]]:
    """Read, from the tables of users by folder, the columns by which the design's aggregate weights users."""
    aggregate = Aggregate.build(design.aggregate)
    if not aggregate.user_columns:
        return {}
    table = storage.read_table(user_tables[str(design.filter_folder)], schemas.SIDE_COLUMNS)
    return {name: table.column(name).to_numpy() for name in aggregate.user_columns if name in table.column_names}


def _part(column: NDArray[Any], number: int, n_parts: int) -> NDArray[Any]:
    size = column.shape[1] // n_parts
    return column[:, number * size : (number + 1) * size]


def _divide_by_cell(path: str, schema: Any) -> dict[Cell, dict[str, NDArray[Any]]]:
    """Divide a file of measures into cells. The rows of a cell are adjacent, and sorted by group, then by user."""
    table = storage.read_table(path, schema)
    columns = {name: table.column(name).to_numpy() for name in table.column_names if name not in CELL.names}
    starts = np.flatnonzero(table.column("user").to_numpy() == 0)
    heads = [Cell(**head) for head in table.select(["ranking", "view", "relevance"]).take(starts).to_pylist()]
    firsts = [row for row in range(len(heads)) if row == 0 or heads[row] != heads[row - 1]]
    by_cell = {}
    for first, after in zip(firsts, [*firsts[1:], len(heads)], strict=True):
        start, end = starts[first], starts[after] if after < len(heads) else len(table)
        by_cell[heads[first]] = {name: values[start:end].reshape(after - first, -1) for name, values in columns.items()}
    return by_cell
