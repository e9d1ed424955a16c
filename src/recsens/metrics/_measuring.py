"""Metrics of judged positions, wherever they come from: arrays, a data frame, or a ranking of a study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens import tables
from recsens.errors import DataError, DesignError
from recsens.interactions import Scale
from recsens.metrics._base import MeasuredAt, parse_measured_at
from recsens.metrics._judged import Judged
from recsens.vocabulary import View

_STARS = Scale()
_FIRST = ("user", "position", "rating")
_DATA_SET = 6
"""Folders between a ranking and its data set: order of ties, items without a score, targets, system, fold, split."""


def measure(
    positions: Any,
    metrics: Iterable[str],
    *,
    ranked: int | Sequence[int] | NDArray[Any] | None = None,
    scale: Scale | None = None,
    relevance: float | None = None,
    view: View = "full",
) -> dict[str, NDArray[np.float64]]:
    """Measure judged positions: each metric's values, shape (n_users,), or (1,) where it is one value of all users.

    Parameters
    ----------
    positions
        One row a user and judged item: the columns user, position and rating, and, for metrics that read them, score and item, as a
        data frame, a mapping of arrays, or a tuple of the first three; or the path of a ``positions.parquet`` of a study; or a
        `Judged`, with which the next arguments have no part. Users are numbered from 0; positions count from 1, and an item that
        is not ranked has 0 or NaN; a rating of NaN is that of an item known only to be relevant.
    metrics
        Such as ``nDCG@10`` or ``AP``.
    ranked
        How many items are ranked for each user, judged or not: shape (n_users,), or one number for all who have a row. Beside a
        path it is read.
    scale
        The rating scale; beside a path it is read, else 1 to 5 where all ratings are, or from the ratings.
    relevance
        Rating from which on an item is relevant; as the scale has it by default.
    view
        Full rankings, or condensed to judged items.

    Raises
    ------
    SpecError
        If there is no such metric.
    DesignError
        If a metric reads what is not known of positions.
    DataError
        If the positions do not fit together.

    Examples
    --------
    >>> found = measure(([0, 0, 1], [2, 0, 1], [5, 4, 1]), ["RR", "P@1,2"], ranked=3)
    >>> {name: values.tolist() for name, values in found.items()}
    {'RR': [0.5, 0.0], 'P@1': [0.0, 0.0], 'P@2': [0.5, 0.0]}
    """
    asked = {one.short: one for text in metrics for one in parse_measured_at(text)}
    if isinstance(positions, Judged):
        return measure_judged(positions, asked)
    if isinstance(positions, str | Path):
        path = Path(positions)
        columns = _columns_of(path)
        if ranked is None:
            ranked = tables.column(tables.read_table(path.with_name("users.parquet"), tables.RANKED_USERS), "scored", "int64")
        if scale is None:
            scale = Scale(**tables.read_json(path.parents[_DATA_SET] / "dataset.json")["scale"])
    else:
        columns = _arrays_of(positions)
    return measure_judged(_judged(columns, ranked, scale, relevance, view), asked)


def measure_judged(judged: Judged, asked: Mapping[str, MeasuredAt]) -> dict[str, NDArray[np.float64]]:
    """Measure each metric once, at all of its cut-offs; by label, shape (n_users,), or (1,) if pooled."""
    together: dict[str, list[str]] = {}
    for label, one in asked.items():
        together.setdefault(one.metric.printed, []).append(label)
    values: dict[str, NDArray[np.float64]] = {}
    for labels in together.values():
        found = asked[labels[0]].metric.measure(judged, tuple(asked[label].cutoff for label in labels))
        values.update(zip(labels, found.T, strict=True))
    return values


def scale_of(rating: NDArray[np.float64]) -> Scale:
    """Guess the scale: 1 to 5 where all ratings are on it and not all the same, else from 0, or below, to the highest."""
    lowest, highest = float(rating.min()), float(rating.max())
    if _STARS.lowest <= lowest and _STARS.lowest < highest <= _STARS.highest:
        return _STARS
    is_whole = bool((rating == np.floor(rating)).all())
    return Scale(
        min(lowest, 0.0) if lowest < highest or lowest <= 1 else _STARS.lowest, max(highest, 1.0), 1.0 if is_whole else 0.0
    )


def _columns_of(path: Path) -> dict[str, NDArray[Any]]:
    if tables.has_columns(path, tables.RATING_POSITIONS):
        raise DesignError(
            f"{path} holds a ranking for each relevant rating, and users have none of their own",
            allowed="positions of one ranking a user",
            remedy="read the study's measures, which are means over each user's ratings",
        )
    names = [*_FIRST, "score", "item"]
    table = tables.read_table(path, tables.POSITIONS, names)
    return {name: tables.column(table, name) for name in names}


def _arrays_of(positions: Any) -> dict[str, NDArray[Any]]:
    if isinstance(positions, tuple | list):
        if len(positions) != len(_FIRST):
            raise DataError(f"{len(positions)} columns of positions", allowed=", ".join(_FIRST))
        positions = dict(zip(_FIRST, positions, strict=True))
    missing = [name for name in _FIRST if name not in positions]
    if missing:
        raise DataError(f"positions without {', '.join(missing)}", allowed=f"the columns {', '.join(_FIRST)}; score and item")
    columns = {name: np.asarray(positions[name]) for name in (*_FIRST, "score", "item") if name in positions}
    if len({len(column) for column in columns.values()}) > 1:
        raise DataError("columns of positions of different lengths", allowed="one row a user and judged item")
    return columns


def _judged(columns: Mapping[str, NDArray[Any]], ranked: Any, scale: Scale | None, relevance: float | None, view: View) -> Judged:
    user = columns["user"]
    if user.dtype.kind not in "iu" and len(user):
        raise DataError(f"users of type {user.dtype}", allowed="whole numbers from 0", remedy="number them: numpy.unique(...)")
    if ranked is None:
        raise DataError("it is not said how many items are ranked", allowed="ranked=: one number a user, or one for all")
    n_users = int(user.max(initial=-1)) + 1
    listed = np.full(n_users, ranked) if np.ndim(ranked) == 0 else np.asarray(ranked)
    order = np.argsort(user, kind="stable")
    rows = {name: column[order] for name, column in columns.items()}
    user, rating = rows["user"].astype(np.int32), rows["rating"].astype(np.float64)
    position = np.nan_to_num(rows["position"].astype(np.float64)).astype(np.int64)
    if len(user) and (user[0] < 0 or user[-1] >= len(listed)):
        raise DataError(f"users are numbered {user[0]} to {user[-1]}", allowed=f"0 to {len(listed) - 1}: one of 'ranked' each")
    if (position < 0).any() or (position > listed[user]).any():
        raise DataError(
            "a position is below the end of its ranking", allowed="1 to what 'ranked' says; 0 where an item is not ranked"
        )
    if scale is None:
        known = rating[~np.isnan(rating)]
        scale = scale_of(known) if len(known) else _STARS
    return Judged.of(
        user=user,
        position=position,
        rating=rating,
        targets_ranked=listed.astype(np.int64),
        view=view,
        scale=scale,
        relevance=scale.relevance if relevance is None else relevance,
        score=rows["score"].astype(np.float64) if "score" in rows else None,
        item=rows["item"].astype(np.int32) if "item" in rows else None,
    )
