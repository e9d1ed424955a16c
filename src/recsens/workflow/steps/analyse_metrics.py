"""Analyse metrics, based on all systems' rankings on one fold."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import ListFiles, PositionFiles
from recsens.comparison.aggregation import Aggregate
from recsens.comparison.users import Users
from recsens.conclusions.meta import FINDINGS, Board, MetricAnalysis, MetricAnalysisTask, Rules, columns_of
from recsens.metrics import ListMetric, MeasuredAt, Metric
from recsens.outcomes.measuring.stored_lists import StoredLists
from recsens.outcomes.measuring.stored_rankings import RankedUsers
from recsens.seeds import Origin
from recsens.vocabulary import Role


def analyse_metrics(
    *,
    rankings: Sequence[PositionFiles],
    interactions: str,
    item_ids: str,
    roles: str,
    lists: Sequence[ListFiles] = (),
    item_tables: Sequence[str] = (),
    user_tables: Sequence[str] = (),
    findings: str,
    analysis: str,
    asked: Mapping[str, Any],
    origin: Origin,
    rules: Mapping[str, Any],
) -> None:
    """Write an analysis's findings on one fold.

    Parameters
    ----------
    rankings
        Files of each system's ranking under the base design.
    interactions, item_ids, roles
        The ratings, the items and the fold.
    lists, item_tables
        Further files of each ranking, if a metric reads lists, and the side table of items, if one reads its columns.
    user_tables
        The side table of users, if the aggregate reads its columns.
    findings
        The file to write.
    analysis
        The plug-in, with every parameter.
    asked
        A mapping with four keys. ``systems`` has labels in the order of ``rankings``. ``metrics`` has the spec, the cut-off and the
        spelling of each metric. ``pairs`` and ``alpha`` are as in `recsens.study.MetricAnalysisTask`.
    origin
        The names of the random streams: seed, data set and fold.
    rules
        The decisions after ranking, as in `recsens.conclusions.meta.Rules`, by name.
    """
    component = MetricAnalysis.build(analysis)
    question = MetricAnalysisTask(
        [MeasuredAt(Metric.build(spec), cutoff, spelling) for spec, cutoff, spelling in asked["metrics"]],
        [(a, b) for a, b in asked["pairs"]],
        asked["alpha"],
        origin.stream("meta"),
    )
    decided = Rules(
        view=rules["view"],
        relevance=rules["relevance"],
        users=Users.build(rules["users"]),
        coverage=rules["coverage"],
        aggregate=Aggregate.build(rules["aggregate"]),
    )
    ranked = {label: RankedUsers.read(*files) for label, files in zip(asked["systems"], rankings, strict=True)}
    columns = _user_columns(decided.aggregate, user_tables)
    of_lists = [measured.metric for measured in question.metrics if isinstance(measured.metric, ListMetric)]
    stored = StoredLists(lists, of_lists, {str(Path(path).parent): path for path in item_tables})
    tops = [
        stored.lists(nth, ranking.judged("full", decided.relevance), "full") for nth, ranking in enumerate(ranked.values()) if lists
    ]
    board = Board.of(ranked, _train_counts(interactions, item_ids, roles), decided, columns, tops)
    storage.write_table(findings, FINDINGS, columns_of(component.analyse(board, question)))


def _train_counts(interactions: str, item_ids: str, roles: str) -> Any:
    """Count each item's train ratings, shape (n_items,)."""
    item = storage.column(storage.read_table(interactions, schemas.INTERACTIONS, ["item"]), "item")
    is_train = storage.column(storage.read_table(roles, schemas.ROLES), "role") == Role.TRAIN
    return np.bincount(item[is_train], minlength=len(storage.read_table(item_ids, schemas.IDS)))


def _user_columns(aggregate: Aggregate, user_tables: Sequence[str]) -> dict[str, Any]:
    if not aggregate.user_columns:
        return {}
    table = storage.read_table(user_tables[0], schemas.SIDE_COLUMNS)
    return {name: table.column(name).to_numpy() for name in aggregate.user_columns if name in table.column_names}
