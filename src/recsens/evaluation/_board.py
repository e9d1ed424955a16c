"""Runs on a board: the judged rankings of several runs, for analyses of metrics."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from recsens.aggregation.mean import Mean
from recsens.errors import DataError, DesignError
from recsens.evaluation._evaluate import Evaluator
from recsens.evaluation._sources import Source
from recsens.meta import Board, Rules
from recsens.users.with_ratings import WithRatings


def board_of(evaluator: Evaluator, runs: Mapping[str, Source]) -> Board:
    """Put runs on a board, by name; nothing is known of train sets.

    Raises
    ------
    DataError
        If there are fewer than two runs, or one cannot be read.
    DesignError
        If ties are to be refused, or the judgements name items without judging them.
    """
    if len(runs) < 2:
        raise DataError(
            "one run is given", allowed="two or more, since metrics are judged by the order of systems", remedy="--run A --run B"
        )
    settings, judgements = evaluator.settings, evaluator.judgements
    if settings.ties == "refuse":
        raise DesignError("ties: refuse", allowed="an order of equal scores", remedy="leave ties as they are")
    ranked = [evaluator.ranked(run) for run in runs.values()]
    by_user = np.lexsort((judgements.item, judgements.user))
    is_scored = settings.rank_by != "rank"
    n_users = judgements.n_users
    return Board(
        systems=tuple(runs),
        user=judgements.user[by_user],
        item=judgements.item[by_user],
        rating=judgements.rating[by_user],
        position=np.stack([each.position[judgements.judged][by_user].astype(np.int32) for each in ranked]),
        score=np.stack([each.score[judgements.judged][by_user] for each in ranked]) if is_scored else None,
        ranked=np.stack([each.listed for each in ranked]),
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
