"""Runs on a board: the judged rankings of several runs, for analyses of metrics."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from recsens.comparison.aggregation.mean import Mean
from recsens.comparison.users.with_ratings import WithRatings
from recsens.conclusions.meta import Board, Rules
from recsens.errors import DataError, DesignError
from recsens.evaluation._evaluate import Evaluator
from recsens.evaluation._sources import Source


def board_of(evaluator: Evaluator, runs: Mapping[str, Source]) -> Board:
    """Put runs on a board, by name; nothing is known of train sets.

    Raises DataError if there are fewer than two runs, or one cannot be read; DesignError if ties are to be refused, or the
    judgements name items without judging them.
    """
    if len(runs) < 2:
        raise DataError(
            "one run is given", allowed="two or more, since metrics are judged by the order of systems", remedy="--run A --run B"
        )
    settings, judgements = evaluator.settings, evaluator.judgements
    if settings.ties == "refuse":
        raise DesignError("ties: refuse", allowed="an order of equal scores", remedy="leave ties as they are")
    ranked = [evaluator.ranked(run) for run in runs.values()]
    # Numbered by name, not by appearance: what is drawn for a user or an item must not depend on the order of rows.
    users, items = _by_name(judgements.users), _by_name(judgements.items)
    user, item = np.argsort(users)[judgements.user].astype(np.int32), np.argsort(items)[judgements.item].astype(np.int32)
    by_user = np.lexsort((item, user))
    is_scored = settings.rank_by != "rank"
    n_users = judgements.n_users
    return Board(
        systems=tuple(runs),
        user=user[by_user],
        item=item[by_user],
        rating=judgements.rating[by_user],
        position=np.stack([each.position[judgements.judged][by_user].astype(np.int32) for each in ranked]),
        score=np.stack([each.score[judgements.judged][by_user] for each in ranked]) if is_scored else None,
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


def _by_name(names: Sequence[str]) -> NDArray[np.int64]:
    """Return the numbers of names in the order of the names."""
    return np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
