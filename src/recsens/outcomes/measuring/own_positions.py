"""recsens.measure: compute metrics for positions of your own, given as arrays, a data frame, or a study's ranking."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Bools, Floats, Ints, grouped
from recsens.errors import DataError, DesignError, SpecError, check_word
from recsens.files.scale import Scale, check_on_scale, check_scale, scale_given
from recsens.metrics import Judged, MeasuredAt, parse_measured_at
from recsens.vocabulary import View

_STARS = Scale()
_FIRST = ("user", "position", "rating")
_RANKED = "one whole number from 0 on for each user, or one for all users"
_LAST_USER = 2**31 - 1
_INEXACT = 2.0**53
"""Above this number, floating-point numbers cannot represent every integer."""


def measure(
    positions: Any,
    metrics: Iterable[str],
    *,
    ranked: int | Sequence[int] | NDArray[Any] | None = None,
    scale: Scale | tuple[float, float] | None = None,
    relevance: float | None = None,
    view: View = "full",
) -> dict[str, Floats]:
    """Compute metrics from the positions of judged items. Values have shape (n_users,), or (1,) if they are pooled over users.

    Parameters
    ----------
    positions
        One row per user and judged item, with the columns user, position and rating and, for metrics that read them, score and
        item. They may be a data frame, a mapping of arrays, or a tuple of the first three columns. ``positions`` may also be the
        path of a study's ``positions.parquet``, or a `Judged`; with a `Judged`, ``ranked``, ``scale``, ``relevance`` and ``view``
        are ignored. Users are numbered from 0. Positions count from 1, and no two items of a user share a position. An item that is
        not ranked has position 0 or no position, which is NaN, None, or a masked or missing value, as in the positions of a study.
        Ratings must be missing in all rows or in none; without ratings, all judged items count as relevant.
    metrics
        Names of metrics, such as ``nDCG@10`` or ``AP``.
    ranked
        Number of items ranked for each user, judged or not: shape (n_users,), or one number for all users with a row. If
        ``positions`` is a path, the number is read from the study.
    scale
        The rating scale, or its two ends. If ``positions`` is a path, the scale is read from the study. Otherwise the default is 1
        to 5 if all ratings are on that scale, and a scale guessed from the ratings if not.
    relevance
        Lowest relevant rating; by default, the lowest relevant rating of the scale.
    view
        Full rankings, or rankings condensed to judged items.

    Raises
    ------
    SpecError
        If a metric does not exist, or if none is named.
    DesignError
        If a metric needs more than positions, or if a rating is off the scale; the message names the rating's row and user.
    DataError
        If positions are invalid or contradict each other; the message names the row, counted from 0, and the row's user.

    Examples
    --------
    >>> measures = measure(([0, 0, 1], [2, 0, 1], [5, 4, 1]), ["RR", "P@1,2"], ranked=3)
    >>> {name: values.tolist() for name, values in measures.items()}
    {'RR': [0.5, 0.0], 'P@1': [0.0, 0.0], 'P@2': [0.5, 0.0]}
    """
    check_word("view", view, View)
    scale = scale_given(scale)
    asked = metrics_asked(metrics)
    if isinstance(positions, Judged):
        judged = positions
        check_scale(judged.rating, judged.scale, lambda row: f"row {row}, user {judged.user[row]}")
        return measure_judged(judged, asked)
    if isinstance(positions, str | Path):
        columns, in_study, scale_in_study = _read_positions(Path(positions))
        ranked = in_study() if ranked is None else ranked
        scale = scale_in_study() if scale is None else scale
    else:
        columns = _position_arrays(positions)
    return measure_judged(_judged(columns, ranked, scale, relevance, view), asked)


def metrics_asked(metrics: str | Iterable[str]) -> dict[str, MeasuredAt]:
    """Read one or several metric names, and return the metrics by short name.

    Raises
    ------
    SpecError
        If a metric does not exist, or if none is named.
    """
    texts = [metrics] if isinstance(metrics, str) else list(metrics) if isinstance(metrics, Iterable) else []
    if not texts or not all(isinstance(text, str) for text in texts):
        raise SpecError(f"metrics = {metrics!r}", allowed='names of metrics, one or several: ["nDCG@10", "AP"]')
    return {one.short: one for text in texts for one in parse_measured_at(text)}


def measure_judged(judged: Judged, asked: Mapping[str, MeasuredAt]) -> dict[str, Floats]:
    """Measure each metric once, at all its cut-offs; return values by label, shape (n_users,), or (1,) for a pooled metric."""
    values: dict[str, Floats] = {}
    for labels in grouped((one.metric.printed, label) for label, one in asked.items()).values():
        columns = asked[labels[0]].metric.measure(judged, tuple(asked[label].cutoff for label in labels))
        values.update(zip(labels, columns.T, strict=True))
    return values


def guess_rating_scale(rating: Floats) -> Scale:
    """Guess the scale: 1 to 5 if all ratings are on it and not all are 1; else from 0 (or a lower rating) to the highest."""
    lowest, highest = float(rating.min()), float(rating.max())
    if _STARS.lowest <= lowest and _STARS.lowest < highest <= _STARS.highest:
        return _STARS
    is_whole = bool((rating == np.floor(rating)).all())
    return Scale(
        min(lowest, 0.0) if lowest < highest or lowest <= 1 else _STARS.lowest, max(highest, 1.0), 1.0 if is_whole else 0.0
    )


def _read_positions(path: Path) -> tuple[dict[str, NDArray[Any]], Callable[[], Ints], Callable[[], Scale]]:
    """Read a study's positions; return their columns, and functions that read the numbers of ranked items and the scale."""
    # Imported here because other positions need no results of studies.
    from recsens.artefacts import schemas, storage  # noqa: PLC0415
    from recsens.artefacts.addresses import Address  # noqa: PLC0415
    from recsens.artefacts.folds import read_scale  # noqa: PLC0415

    if storage.has_columns(path, schemas.RATING_POSITIONS):
        raise DesignError(
            f"{path} has one ranking per relevant rating, not one per user",
            allowed="positions with one ranking per user",
            remedy="read the study's measures, which are means over each user's ratings",
        )
    names = [*_FIRST, "score", "item"]
    table = storage.read_table(path, schemas.POSITIONS, names)

    def ranked() -> Ints:
        return storage.column(storage.read_table(path.with_name("users.parquet"), schemas.RANKED_USERS), "scored", "int64")

    columns = {name: storage.column(table, name) for name in names}
    return columns, ranked, lambda: read_scale(Address.parse(path).measured.dataset)


def _position_arrays(positions: Any) -> dict[str, NDArray[Any]]:
    if isinstance(positions, tuple | list):
        if len(positions) != len(_FIRST):
            raise DataError(f"{len(positions)} columns of positions", allowed=", ".join(_FIRST))
        positions = dict(zip(_FIRST, positions, strict=True))
    if not isinstance(positions, Mapping) and not hasattr(positions, "columns"):
        allowed = f"the columns {', '.join(_FIRST)} as a frame, a mapping or a tuple of arrays; or a path"
        raise DataError(f"positions of type {type(positions).__name__}", allowed=allowed)
    missing = [name for name in _FIRST if name not in positions]
    if missing:
        raise DataError(f"positions without {', '.join(missing)}", allowed=f"the columns {', '.join(_FIRST)}; score and item")
    reading: dict[str, Callable[[Any], NDArray[Any]]] = {"user": np.asarray, "item": _read_items}
    columns = {
        name: reading[name](positions[name]) if name in reading else _read_numbers(name, positions[name])
        for name in (*_FIRST, "score", "item")
        if name in positions
    }
    for name, column in columns.items():
        if column.ndim != 1:
            raise DataError(f"{name} of shape {column.shape}", allowed="one row per user and judged item")
    if len({len(column) for column in columns.values()}) > 1:
        raise DataError("columns of positions of different lengths", allowed="one row per user and judged item")
    return columns


def _judged(columns: Mapping[str, NDArray[Any]], ranked: Any, scale: Scale | None, relevance: float | None, view: View) -> Judged:
    if columns["user"].dtype.kind not in "iu" and len(columns["user"]):
        raise DataError(
            f"users of type {columns['user'].dtype}", allowed="whole numbers from 0", remedy="number them: numpy.unique(...)"
        )
    highest = int(columns["user"].max()) if len(columns["user"]) else -1
    if highest > _LAST_USER:
        raise DataError(
            f"a user is numbered {highest}",
            allowed=f"whole numbers from 0 to {_LAST_USER}",
            remedy="renumber users: numpy.unique(users, return_inverse=True)[1]",
        )
    listed = _read_list_lengths(ranked, highest + 1)
    _refuse_what_is_none(columns, listed)
    order = np.argsort(columns["user"], kind="stable")
    rows = {name: column[order] for name, column in columns.items()}
    user, rating = rows["user"].astype(np.int32), rows["rating"].astype(np.float64)
    position = np.nan_to_num(rows["position"].astype(np.float64)).astype(np.int64)
    if scale is None:
        known = rating[~np.isnan(rating)]
        scale = guess_rating_scale(known) if len(known) else _STARS
    check_scale(columns["rating"], scale, lambda row: f"row {row}, user {columns['user'][row]}")
    return Judged.of(
        user=user,
        position=position,
        rating=rating,
        targets_ranked=listed,
        view=view,
        scale=scale,
        relevance=scale.relevance if relevance is None else check_on_scale(relevance, scale),
        score=rows["score"].astype(np.float64) if "score" in rows else None,
        # Any names are allowed, because items are only compared for equality.
        item=np.unique(rows["item"], return_inverse=True)[1].astype(np.int32) if "item" in rows else None,
    )


def _read_items(values: Any) -> NDArray[Any]:
    """Read items: integers of any size are kept, and anything else becomes a floating-point number."""
    items = np.ma.asarray(values)
    return items.data if items.dtype.kind in "iu" and not np.ma.is_masked(items) else _read_numbers("item", values)


def _read_numbers(name: str, values: Any) -> Floats:
    """Read numbers; None, masked and missing values become NaN."""
    try:
        numbers: Floats = np.ma.asarray(values, dtype=np.float64).filled(np.nan)
    except (TypeError, ValueError) as error:
        allowed = _RANKED if name == "ranked" else "one number per row"
        raise DataError(f"'{name}' does not contain numbers: {error}", allowed=allowed) from error
    return numbers


def _read_list_lengths(ranked: Any, n_users: int) -> Ints:
    """Read each user's number of ranked items, shape (n_users,) or longer."""
    if ranked is None:
        raise DataError("the number of ranked items is missing", allowed=f"ranked=: {_RANKED}")
    given = _read_numbers("ranked", ranked)
    if given.ndim > 1:
        raise DataError(f"'ranked' of shape {given.shape}", allowed=_RANKED)
    wrong = np.flatnonzero(~_is_whole(given) | (given < 0))
    if len(wrong):
        of_user = f" for user {wrong[0]}" if given.ndim else ""
        raise DataError(f"'ranked' says {given.flat[wrong[0]]:.15g}{of_user}", allowed=_RANKED)
    return (given if given.ndim else np.full(n_users, given)).astype(np.int64)


def _refuse_what_is_none(columns: Mapping[str, NDArray[Any]], listed: Ints) -> None:
    """Refuse invalid users, ratings, items and positions; the message names the first invalid row."""
    user, rating, position = (columns[name] for name in ("user", "rating", "position"))
    if len(user) == 0:
        return
    if user.min() < 0 or user.max() >= len(listed):
        last = f" to {len(listed) - 1}, since 'ranked' has one number per user" if len(listed) else ""
        raise DataError(f"users are numbered {user.min()} to {user.max()}", allowed=f"whole numbers from 0{last}")

    def refuse(wrong: Bools, name: str, allowed: str, what: str = "") -> None:
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(
                f"{name} {columns[name][row]:.15g}{what}",
                where=f"row {row}, user {user[row]}",
                allowed=allowed.format(length=listed[user[row]]),
            )

    refuse(np.isinf(rating), "rating", "numbers; NaN in all rows if items are known only to be relevant")
    if not np.isnan(rating).all():
        refuse(np.isnan(rating), "rating", "a number in every row, or NaN in all rows if items are known only to be relevant")
    if "item" in columns:
        item = columns["item"]
        refuse(~_is_whole(item), "item", "whole numbers")
        if item.dtype.kind == "f":
            whole = "an array of a type of whole numbers"
            refuse(np.abs(item) >= _INEXACT, "item", whole, ", a floating-point number too large to be exact")
    position = np.where(np.isnan(position), 0, position)
    allowed_positions = "whole numbers from 1 to {length}, the user's number in 'ranked'; 0 or nothing for an unranked item"
    refuse(~_is_whole(position) | (position < 0), "position", allowed_positions)
    refuse(position > listed[user], "position", allowed_positions, " is below the end of its ranking")
    order = np.lexsort((position, user))
    again = (np.diff(user[order]) == 0) & (np.diff(position[order]) == 0) & (position[order][1:] > 0)
    shared = np.zeros(len(user), dtype=np.bool_)
    shared[order[1:][again]] = True
    refuse(shared, "position", "one item per position", " is also the position of another item of the user")


def _is_whole(values: NDArray[Any]) -> Bools:
    is_whole: Bools = np.isfinite(values) & (values == np.floor(values))
    return is_whole
