"""The output of ``recsens audit --leaks``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recsens.errors import DesignError
from recsens.files.kinds import RankBy
from recsens.runs.evaluation import runs_by_name
from recsens.runs.leakage.hunting import hunt


def leaks_of(
    *,
    train: str,
    test: str,
    runs: Sequence[str] | Mapping[str, Any],
    validation: str | None,
    metrics: Sequence[str],
    relevance: float | None,
    scale: tuple[float, float] | None,
    rank_by: RankBy,
    columns: Sequence[str],
    alpha: float | None,
    seed: int,
    as_json: bool,
) -> str:
    """Search files for leaks, and return the table of findings as text or JSON.

    Raises
    ------
    RecsensError
        If there are several metrics, or as in `hunt`.
    """
    if len(metrics) > 1:
        raise DesignError(f"--leaks measures in units of one metric, but {len(metrics)} are given", allowed="one --metric")
    named = {"metric": next(iter(metrics), None), "alpha": alpha}
    chosen: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    settings: dict[str, Any] = {"relevance": relevance, "scale": scale, "rank_by": rank_by, "columns": columns, "seed": seed}
    table = hunt(train, test, runs if isinstance(runs, Mapping) else runs_by_name(runs), validation, **chosen, **settings)
    return table.to_json() if as_json else repr(table)
