"""Find the convention that gave a printed number: one call, with objects in memory."""

from collections.abc import Mapping, Sequence
from typing import Any

from recsens.errors import DataError
from recsens.files.scale import scale_given
from recsens.notebook.forms import Axes, rows_of_ratings, rows_of_scores
from recsens.runs.printed_values import DEPARTURES, FoundDefinitions, look_up


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
