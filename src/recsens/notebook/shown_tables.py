"""Data frames of a notebook, with raw user and item names, and the tables that it shows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from recsens.arrays import in_order
from recsens.data.interactions import Interactions
from recsens.tables.cells import compared_cells, count_cell
from recsens.tables.numbers import MISSING, quantity
from recsens.tables.table import Row, RowGroup, Table, TableCell
from recsens.vocabulary import State

_MOST_ROWS, _MOST_METRICS = 20, 6

_SAMPLE = 5
"""Number of rows of a frame that are shown."""


def sample_of(frame: pd.DataFrame, what: str = "First rows") -> Table:
    """Show the first rows of a frame."""
    first = frame.head(_SAMPLE)
    indexed = first.index.name is not None
    corner, columns = (str(first.index.name), list(first)) if indexed else (str(first.columns[0]), list(first)[1:])
    rows = [
        Row(str(label), tuple(map(_cell, values)))
        for label, *values in zip(first.index if indexed else first.iloc[:, 0], *(first[name] for name in columns), strict=True)
    ]
    note = f"The first {len(first)} of {len(frame):,} rows of .frame." if len(frame) > len(first) else ""
    return Table("sample", what, corner, tuple(map(str, columns)), (RowGroup("", tuple(rows)),), (note,) if note else ())


def facts_table(by_fold: Mapping[Any, Mapping[str, float]]) -> Table:
    """Show the facts about folds, one row per fold."""
    names = in_order(name for facts in by_fold.values() for name in facts)
    rows = [
        Row(str(fold), tuple(TableCell(quantity(facts.get(name, float("nan")))) for name in names))
        for fold, facts in by_fold.items()
    ]
    return Table(
        "folds", "Ratings by role", "Fold", tuple(name.replace("_", " ") for name in names), (RowGroup("", tuple(rows)),)
    ).first(_MOST_ROWS, "The first folds.")


def _cell(value: Any) -> TableCell:
    if isinstance(value, str):
        return TableCell(value, is_text=True)
    return TableCell(MISSING if pd.isna(value) else quantity(value) if isinstance(value, float) else str(value))


def base_values(summary: pd.DataFrame) -> Table:
    """Show each system's values under the base design, one group of rows per data set."""
    base = summary[summary["is_base"]]
    metrics = in_order(base["metric"])[:_MOST_METRICS]
    groups = []
    for dataset, rows in base.groupby("dataset", sort=False):
        systems = in_order(rows["system"])
        value_of = rows.set_index(["metric", "system"])["value"].to_dict()
        columns = [compared_cells([value_of.get((metric, system), float("nan")) for system in systems]) for metric in metrics]
        groups.append(RowGroup(str(dataset), tuple(map(Row, systems, zip(*columns, strict=True)))))
    notes = ("The first metrics; .summary lists them all.",) if base["metric"].nunique() > _MOST_METRICS else ()
    table = Table("base", "Values under the base design", "System", tuple(metrics), tuple(groups), notes)
    return table.first(_MOST_ROWS, "The first systems; .summary lists them all.")


def wins_by_pair(verdicts: pd.DataFrame) -> Table:
    """Show, for each pair, the verdict under the base design and the number of analyses that each system wins."""
    groups = []
    for dataset, of_dataset in verdicts.groupby("dataset", sort=False):
        rows = []
        for (a, b), analyses in of_dataset.groupby(["system_a", "system_b"], sort=False):
            base = in_order(analyses.loc[analyses["is_base"] & analyses["is_base_metric"], "verdict"])
            counts = [int((analyses["winner"] == each).sum()) for each in (a, b)]
            undecided = len(analyses) - sum(counts)
            words = TableCell(", ".join(base) or MISSING, is_text=True)
            rows.append(Row(f"{a} and {b}", (words, *map(count_cell, (*counts, undecided, len(analyses))))))
        groups.append(RowGroup(str(dataset), tuple(rows)))
    columns = ("base design", "first wins", "second wins", "neither", "analyses")
    table = Table("wins", "Who wins, over all designs and metrics", "Pair", columns, tuple(groups))
    return table.first(_MOST_ROWS, "The first pairs; .verdicts lists them all.")


def names_of(ids: NDArray[np.object_] | None, n: int) -> NDArray[np.object_]:
    """Return user or item names by code, shape (n,); if the data have no names, return the codes as text."""
    return np.array([str(code) for code in range(n)], dtype=np.object_) if ids is None else ids


def describe_interactions(interactions: Interactions) -> str:
    """Say how many interactions, users and items there are; users and items without interactions are not counted."""
    numbers = {
        "interaction": len(interactions),
        "user": int(np.count_nonzero(interactions.user_counts)),
        "item": int(np.count_nonzero(interactions.item_counts)),
    }
    return ", ".join(f"{n:,} {noun}{'s' * (n != 1)}" for noun, n in numbers.items())


def interactions_frame(interactions: Interactions) -> pd.DataFrame:
    """Return interactions with the columns user, item and, if the data have them, rating and timestamp."""
    columns: dict[str, Any] = _named(interactions, {"user": interactions.user, "item": interactions.item})
    if interactions.rating is not None:
        columns["rating"] = interactions.rating
    if interactions.timestamp is not None:
        columns["timestamp"] = interactions.timestamp
    return pd.DataFrame(columns)


def ranking_frame(columns: Mapping[str, NDArray[Any]], interactions: Interactions) -> pd.DataFrame:
    """Return the columns of a ranking with names, states in words, and missing values for items that are not ranked."""
    named = _named(interactions, columns)
    if "state" in named:
        named["state"] = np.array([state.name.lower() for state in State], dtype=np.object_)[columns["state"]]
    return pd.DataFrame({name: _with_gaps(column) for name, column in named.items()})


def users_frame(columns: Mapping[str, NDArray[Any]], interactions: Interactions) -> pd.DataFrame:
    """Return columns with one row per user, indexed by user name."""
    index = pd.Index(names_of(interactions.user_ids, interactions.n_users), name="user")
    return pd.DataFrame(dict(columns), index=index)


def _named(interactions: Interactions, columns: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    users = names_of(interactions.user_ids, interactions.n_users)
    items = names_of(interactions.item_ids, interactions.n_items)
    return {**columns, "user": users[columns["user"]], "item": items[columns["item"]]}


def _with_gaps(column: NDArray[Any]) -> Any:
    if not isinstance(column, np.ma.MaskedArray):
        return column
    if column.dtype.kind == "f":
        return column.filled(np.nan)
    return pd.arrays.IntegerArray(column.data.astype(np.int64), np.ma.getmaskarray(column))
