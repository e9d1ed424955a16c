"""Check files that you already have: search for leaks, or find the definition of a printed number, each in one call."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from recsens.errors import DataError
from recsens.files.kinds import QRELS, role_of_order
from recsens.files.scale import scale_given
from recsens.inputs.forms import read_any_rows
from recsens.notebook.forms import Axes, frame_of, rename_columns, rows_of_ratings, rows_of_scores
from recsens.runs.leakage.hunting import search_leaks
from recsens.runs.leakage.leak_table import LeakTable
from recsens.runs.printed_values import DEPARTURES, FoundDefinitions, look_up


def leaks(
    train: Any,
    test: Any,
    runs: Mapping[str, Any],
    validation: Any = None,
    *,
    metric: str = "nDCG@10",
    users: Sequence[Any] | None = None,
    items: Sequence[Any] | None = None,
    **settings: Any,
) -> LeakTable:
    """Search for twelve kinds of leak in an evaluation, and show by how much each changes the metric.

    Parameters
    ----------
    train, test, validation
        Ratings, in the forms of `recsens.evaluate`. A frame's time stamps are read too.
    runs
        Name -> scores or lists, in the forms of a run in `recsens.evaluate`, but with only one system and one fold.
    metric
        A metric with one value for each user.
    users, items
        Names of the rows and columns of matrices; by default, their numbers, counted from 0.
    settings
        ``relevance``, ``scale``, ``rank_by``, ``alpha``, ``seed`` and ``columns`` of `recsens.runs.leakage.hunting.search_leaks`.

    Raises
    ------
    RecsensError
        If an argument has none of these forms, or if a setting is invalid.

    Examples
    --------
    >>> train, test = (["ann", "bob"], ["x", "y"], [1, 1]), (["ann", "bob"], ["x", "x"], [1, 1])
    >>> table = leaks(train, test, {"A": {"ann": ["x", "y"], "bob": ["x"]}})
    >>> [(each.detector, each.state) for each in table.rows][0]
    ('pairs in train and test', 'found')
    """
    if not isinstance(runs, Mapping):
        raise DataError(f"runs of type {type(runs).__name__}", allowed='a mapping of names to runs, such as {"A": ..., "B": ...}')
    axes = Axes(users, items)
    role = role_of_order(settings.get("rank_by"))
    given = {"train": train, "test": test, "validation": validation}
    sets = {what: None if each is None else _with_times(each, axes, f"the {what} set") for what, each in given.items()}
    rows = {name: rows_of_scores(run, axes, what=f"run '{name}'", role=role) for name, run in runs.items()}
    return search_leaks(sets["train"], sets["test"], rows, sets["validation"], metric=metric, **settings)


def _with_times(given: Any, axes: Axes, what: str) -> Any:
    """Return ratings as an evaluation reads them, with their time stamps if a frame has them as whole numbers or dates."""
    rows, frame = rows_of_ratings(given, axes, what=what), frame_of(given)
    if frame is None:
        return rows
    found = rename_columns(frame, ("user", "item"), ("timestamp",), what=what)
    if "timestamp" not in found:
        return rows
    times = found["timestamp"].to_numpy()
    times = times.astype("datetime64[ns]").astype(np.int64) if times.dtype.kind == "M" else times
    return read_any_rows(rows, QRELS), times


def printed(
    numbers: Any,
    runs: Mapping[str, Any],
    test: Any,
    *,
    train: Any = None,
    validation: Any = None,
    scale: Any = None,
    users: Sequence[Any] | None = None,
    items: Sequence[Any] | None = None,
    columns: Sequence[str] = (),
    departures: int = DEPARTURES,
) -> FoundDefinitions:
    """Find the definitions of a metric that give printed numbers: formula, cut-off, threshold, users, ties, or a tool's convention.

    Parameters
    ----------
    numbers
        The printed numbers, such as ``"nDCG@10=0.4312"``, ``{"nDCG@10": "0.4312"}``, ``{"A": {"nDCG@10": "0.4312"}, "B": ...}``, a
        list of texts such as ``"A:nDCG@10=0.4312"``, or the path of a table. Numbers given as text keep their last digits: 0.430 is
        not 0.43.
    runs
        The runs by name, each in any form of `recsens.evaluate`.
    test, train, validation, users, items
        As in `recsens.evaluate`.
    scale
        The rating scale, or its two ends.
    columns, departures
        As in `recsens.runs.printed_values.look_up`.

    Raises
    ------
    RecsensError
        If an input cannot be read, a name is unknown, a number cannot be a value of its metric, or a number has too few digits.

    Examples
    --------
    >>> found = printed("MRR=0.75", {"A": {"ann": ["x", "y"], "bob": ["y", "x"]}}, {"ann": ["y"], "bob": ["y"]})
    >>> found.classes[0]["departures"]
    0
    """
    if not isinstance(runs, Mapping):
        raise DataError(f"runs of type {type(runs).__name__}", allowed='runs by name: {"A": ..., "B": ...}')
    axes = Axes(users, items)
    beside = {"train": train, "validation": validation}
    rated = {name: rows_of_ratings(given, axes, what=f"the {name} set") for name, given in beside.items() if given is not None}
    return look_up(
        numbers,
        {str(name): rows_of_scores(run, axes, what=f"the run '{name}'") for name, run in runs.items()},
        rows_of_ratings(test, axes, what="the test set"),
        **rated,
        scale=scale_given(scale),
        columns=columns,
        departures=departures,
    )
