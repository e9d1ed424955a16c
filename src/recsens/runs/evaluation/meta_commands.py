"""The output of the command ``meta``: analyses of metrics, from runs and judgements."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from recsens.comparison.aggregation.averages import Mean
from recsens.comparison.users.with_ratings import WithRatings
from recsens.conclusions.meta import Board, MetricAnalysis, MetricAnalysisTask, Rules, columns_of
from recsens.conclusions.verdicts.study_tables import records
from recsens.errors import DataError, DesignError
from recsens.files.scale import Scale
from recsens.inputs.foreign_results import EACH
from recsens.inputs.forms import Source
from recsens.inputs.run_arguments import results_of
from recsens.metrics import parse_measured_at
from recsens.runs.evaluation._evaluate import Evaluator
from recsens.seeds import Stream
from recsens.study import all_pairs
from recsens.tables.numbers import common_decimals, count, fixed, shared_decimals
from recsens.tables.table import Row, RowGroup, Table, TableCell
from recsens.tables.texts import to_text

MetaFormat = Literal["text", "csv"]
"""Output forms of findings: text has one number per metric, best first; csv has every number."""


def analysis_of(
    analysis: str,
    runs: Sequence[str],
    qrels: str | None,
    metrics: Sequence[str],
    *,
    fold: str | None = None,
    seed: int,
    alpha: float,
    form: MetaFormat,
    scale: tuple[float, float] | None,
    **decisions: Any,
) -> str:
    """Analyse metrics with runs, on one fold or on each fold, and return the output.

    Raises
    ------
    RecsensError
        If a file cannot be read, or if the analysis or a metric needs more than runs.
    """
    component = MetricAnalysis.build(analysis)
    measured = [each for text in metrics for each in parse_measured_at(text)]
    decisions |= {"scale": Scale(*scale, step=0) if scale else None}
    given = {name: decisions[name] for name in ("train", "validation") if decisions.get(name) is not None}
    folds = results_of(runs, qrels, given).measured(decisions, fold)
    written, tables = [], []
    for name, own in folds.items():
        named = own.only_training
        asked = MetricAnalysisTask(measured, all_pairs(list(named)), alpha, Stream.of(seed, "meta"))
        component.check(asked)
        board = _board_of(Evaluator.of(own.sets["test"], metrics, **{**decisions, **own.beside}), named)
        found = pd.DataFrame(columns_of(component.analyse(board, asked)))
        head = [f"fold {name}:"] if fold == EACH else []
        n_users = int(board.admitted.all(axis=0).sum())
        written.append("\n".join([*head, _best_first(component, found, len(board.systems), n_users)]))
        tables.append(found.drop(columns=["metric_full", "against_full"]))
    if form == "text":
        return "\n\n".join(written)
    table = pd.concat(dict(zip(folds, tables, strict=True)), names=["fold"]).reset_index("fold") if fold == EACH else tables[0]
    return table.to_csv(index=False, lineterminator="\n").rstrip("\n")


def _best_first(component: MetricAnalysis, found: pd.DataFrame, n_systems: int, n_users: int) -> str:
    """Write the headline quantity of each metric, best first."""
    head = found[found["quantity"] == component.headline]
    ordered = head.sort_values("value", ascending=not component.higher_is_better, kind="stable", na_position="last")
    measured = records(ordered)
    values, halves = [row["value"] for row in measured], [(row["high"] - row["low"]) / 2 for row in measured]
    n = max(shared_decimals(values, halves), common_decimals(values, halves))
    rows = []
    for row in measured:
        ends = "" if math.isnan(row["low"]) else f"{fixed(row['low'], n)} to {fixed(row['high'], n)}"
        rows.append(Row(row["metric"], tuple(map(TableCell, (fixed(row["value"], n), ends, count(row["n"]))))))
    table = Table("meta", "Metrics judged", "metric", (component.headline, "interval", "n"), (RowGroup("", tuple(rows)),))
    if not any(row.cells[1].text for row in rows):
        table = table.select([0, 2])
    meaning = component.quantities[component.headline]
    return "\n".join(
        [
            f"{component.spec} with {n_systems} systems and {count(n_users)} users. {component.headline}: {meaning}",
            to_text(table),
            "Every number: --format csv",
        ]
    )


def _board_of(evaluator: Evaluator, runs: Mapping[str, Source]) -> Board:
    """Put named runs on a board (the judged rankings of all systems on one test set), without train sets.

    Raises DataError if there are fewer than two runs, or if a run cannot be read. Raises DesignError if ties are refused, or if the
    judgements name items without judging them.
    """
    if len(runs) < 2:
        raise DataError(
            "only one run is given",
            allowed="two or more, because metrics are judged by how they order systems",
            remedy="--run A --run B",
        )
    settings, judgements = evaluator.settings, evaluator.judgements
    if settings.ties == "refuse":
        raise DesignError(
            "ties = refuse: an analysis needs an order of equal scores", allowed="any other order", remedy="leave ties out"
        )
    ranked = [evaluator.ranked(run) for run in runs.values()]
    # Number users and items by name, because random draws for them must not depend on the order of rows.
    users, items = _name_order(judgements.users), _name_order(judgements.items)
    user, item = np.argsort(users)[judgements.user].astype(np.int32), np.argsort(items)[judgements.item].astype(np.int32)
    by_user = np.lexsort((item, user))
    scores = [each.score for each in ranked if each.score is not None]
    is_scored = settings.rank_by != "rank" and len(scores) == len(ranked)
    n_users = judgements.n_users
    return Board(
        systems=tuple(runs),
        user=user[by_user],
        item=item[by_user],
        rating=judgements.rating[by_user],
        position=np.stack([each.position[judgements.judged][by_user].astype(np.int32) for each in ranked]),
        score=np.stack([score[judgements.judged][by_user] for score in scores]) if is_scored else None,
        ranked=np.stack([each.listed[users] for each in ranked]),
        train=np.zeros(n_users, dtype=np.int64),
        item_train=None,
        scale=settings.scale,
        rules=Rules(
            view=settings.view,
            relevance=settings.relevance,
            users=WithRatings(train=0, relevant=1 if settings.no_relevant == "skip" else 0),
            coverage="reduced" if settings.no_list == "skip" else "full",
            aggregate=Mean(),
        ),
    )


def _name_order(names: Sequence[str]) -> NDArray[np.int64]:
    """Return the indices that sort the names."""
    return np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
