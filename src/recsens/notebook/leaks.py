"""Search for leaks in train, test and runs: one call, with frames, matrices or files."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from recsens.errors import DataError
from recsens.files.kinds import QRELS, RankBy
from recsens.inputs.forms import rows_of
from recsens.notebook.forms import Axes, frame_of, rename_columns, rows_of_ratings, rows_of_scores
from recsens.runs.leakage.hunting import hunt
from recsens.runs.leakage.leak_table import LeakTable


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
        ``relevance``, ``scale``, ``rank_by``, ``alpha``, ``seed`` and ``columns`` of `recsens.runs.leakage.hunting.hunt`.

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
    role: RankBy = "rank" if settings.get("rank_by") == "rank" else "score"
    given = {"train": train, "test": test, "validation": validation}
    sets = {what: None if each is None else _with_times(each, axes, f"the {what} set") for what, each in given.items()}
    rows = {name: rows_of_scores(run, axes, what=f"run '{name}'", role=role) for name, run in runs.items()}
    return hunt(sets["train"], sets["test"], rows, sets["validation"], metric=metric, **settings)


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
    return rows_of(rows, QRELS), times
