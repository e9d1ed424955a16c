"""Points of the curves of runs, for any plotting program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recsens.errors import SpecError, nearest
from recsens.inputs.forms import Source
from recsens.metrics import Area
from recsens.plugins.specs import parse
from recsens.runs.evaluation._evaluate import Evaluator, one_fold

if TYPE_CHECKING:
    import pandas as pd

CURVES = {"roc": "AUC", "groc": "GROC", "croc": "CROC"}
"""Name of a curve -> the metric that equals the area below it."""


def curve(run: Source, qrels: Source, of: str = "roc", *, fold: str | int | None = None, **decisions: Any) -> pd.DataFrame:
    """Return the points of a run's curve: x is the share of non-relevant items so far, and y the share of relevant items so far.

    ``roc`` is the mean of the users' ROC curves at every x; ``groc`` is the curve of all pairs of user and item, ordered by score;
    ``croc`` is the curve that arises as all users get one judged item after another. Straight lines join the points. The areas
    below the three curves are the mean of AUC, GROC, and CROC with form=area.

    Raises RecsensError if a file or a setting is invalid, or if there is no such curve.

    Parameters
    ----------
    run, qrels
        As in `evaluate`.
    of
        ``roc``, ``groc`` or ``croc``; parameters of the metric may follow, as in ``roc(ties=score)``.
    fold, decisions
        The keyword arguments of `evaluate`.

    Examples
    --------
    >>> run = (["ann", "ann", "ann"], ["x", "y", "z"], [0.9, 0.4, 0.3])
    >>> qrels = (["ann", "ann", "ann"], ["x", "y", "z"], [1, 0, 1])
    >>> curve(run, qrels, "roc").to_numpy().tolist()
    [[0.0, 0.0], [0.0, 0.5], [1.0, 0.5], [1.0, 1.0]]
    """
    run, qrels, decisions = one_fold(run, qrels, decisions, fold)
    return curves({"": run}, Evaluator.of(qrels, **decisions), of).drop(columns="run")


def curves(runs: Mapping[str, Source], decided: Evaluator, of: str) -> pd.DataFrame:
    """Return one curve's points for each run, with columns run, x and y."""
    # pandas is imported here because most evaluations draw no curve and should not wait for it.
    import pandas as pd  # noqa: PLC0415

    spec = parse(of)
    if spec.name.lower() not in CURVES:
        raise SpecError(f"unknown curve '{spec.name}'{nearest(spec.name, CURVES)}", allowed=", ".join(CURVES))
    area = Area.build(replace(spec, name=CURVES[spec.name.lower()]))
    curves_of_runs = {name: decided.points(run, area) for name, run in runs.items()}
    rows = [(name, *point) for name, points in curves_of_runs.items() for point in points.tolist()]
    return pd.DataFrame(rows, columns=["run", "x", "y"])
