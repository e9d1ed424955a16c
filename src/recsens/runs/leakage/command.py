"""The output of ``recsens audit --leaks``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from recsens.errors import DesignError
from recsens.files.kinds import RankBy
from recsens.inputs.foreign_results import ForeignResults
from recsens.inputs.forms import told_of
from recsens.runs.leakage.hunting import hunt
from recsens.runs.leakage.leak_table import LeakTable


def leaks_of(
    datasets: Mapping[str, ForeignResults],
    *,
    metrics: Sequence[str],
    relevance: float | None,
    scale: tuple[float, float] | None,
    rank_by: RankBy,
    columns: Sequence[str],
    alpha: float | None,
    seed: int,
    as_json: bool,
) -> str:
    """Search each data set and fold for leaks, and return the table of findings of each as text or JSON.

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
    tables: dict[str, LeakTable] = {}
    for dataset, given in datasets.items():
        divided = given.divided(told_of(columns), rank_by=rank_by, times=True)
        divided.refuse_undivided()
        for name, fold in divided.folds.items():
            runs = {
                f"{run} {training}".strip(): source
                for run, sources in fold.runs.items()
                for training, source in zip(divided.trainings, sources, strict=True)
            }
            of_fold = f"fold {name}" if len(divided.folds) > 1 and not name.startswith("fold") else name
            tables[f"{dataset} {of_fold}".strip()] = hunt(
                fold.sets["train"], fold.sets["test"], runs, fold.sets.get("validation"), **chosen, **settings
            )
    [first, *others] = tables.values()
    if as_json:
        contents = {name: json.loads(table.to_json()) for name, table in tables.items()}
        return json.dumps(contents, indent=2, ensure_ascii=False) if others else first.to_json()
    return "\n\n".join(f"{name}:\n{table!r}" for name, table in tables.items()) if others else repr(first)
