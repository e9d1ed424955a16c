"""The output of the command meta: analyses of metrics, from runs and judgements."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import pandas as pd

from recsens.conclusions.meta import Analysis, Asked, columns_of
from recsens.evaluation._board import board_of
from recsens.evaluation._evaluate import Evaluator
from recsens.evaluation._run_names import names_of_runs
from recsens.files.scale import Scale
from recsens.metrics import parse_measured_at
from recsens.seeds import Stream
from recsens.study import all_pairs

MetaFormat = Literal["text", "csv"]
"""How findings are written: one number a metric, best first; or every number."""


def analysis_of(
    analysis: str,
    runs: Sequence[str],
    qrels: str,
    metrics: Sequence[str],
    *,
    seed: int,
    alpha: float,
    form: MetaFormat,
    scale: tuple[float, float] | None,
    **decisions: Any,
) -> str:
    """Analyse metrics by runs, and return the output.

    Raises
    ------
    RecsensError
        If a file cannot be read, or the analysis or a metric cannot be done from runs.
    """
    component = Analysis.build(analysis)
    measured = [each for text in metrics for each in parse_measured_at(text)]
    named = dict(zip(names_of_runs(runs), runs, strict=True))
    asked = Asked(measured, all_pairs(list(named)), alpha, Stream.of(seed, "meta"))
    component.check(asked)
    board = board_of(Evaluator.of(qrels, metrics, scale=Scale(*scale, step=0) if scale else None, **decisions), named)
    found = pd.DataFrame(columns_of(component.analyse(board, asked)))
    if form == "csv":
        return found.drop(columns=["metric_full", "against_full"]).to_csv(index=False, lineterminator="\n").rstrip("\n")
    return "\n".join(_told(component, found, len(board.systems), int(board.admitted.all(axis=0).sum())))


def _told(component: Analysis, found: pd.DataFrame, n_systems: int, n_users: int) -> list[str]:
    """Order the metrics by the headline, best first."""
    head = found[found["quantity"] == component.headline]
    ordered = head.sort_values("value", ascending=not component.higher_is_better, kind="stable", na_position="last")
    rows: list[dict[str, Any]] = ordered.to_dict("records")  # type: ignore[assignment]
    width = max((len(row["metric"]) for row in rows), default=0)
    meaning = component.quantities[component.headline]
    return [
        f"{component.spec} by {n_systems} systems, {n_users:,} users. {component.headline}: {meaning}",
        *(f"  {row['metric'].ljust(width)}  {_with_interval(row)}  n = {row['n']:,}" for row in rows),
        "Every number: --format csv",
    ]


def _with_interval(row: dict[str, Any]) -> str:
    if math.isnan(row["value"]):
        return "–"
    interval = "" if math.isnan(row["low"]) else f"  [{row['low']:.4f}, {row['high']:.4f}]"
    return f"{row['value']:.4f}{interval}"
