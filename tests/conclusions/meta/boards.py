"""Small boards with known rows, for tests of analyses."""

from collections.abc import Sequence

import numpy as np

from recsens.comparison.aggregation import Aggregate
from recsens.comparison.users import Users
from recsens.conclusions.meta import Board, MetricAnalysisTask
from recsens.conclusions.meta._judged_rankings import Rules
from recsens.files.scale import Scale
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.seeds import Stream


def rules(
    *,
    view: str = "full",
    relevance: float | None = 4,
    users: str = "with_ratings(train=1)",
    coverage: str = "full",
    aggregate: str = "mean",
) -> Rules:
    """Return the decisions after ranking; by default the full view and all users."""
    return Rules(view, relevance, Users.build(users), coverage, Aggregate.build(aggregate))  # type: ignore[arg-type]


def random_board(
    n_systems: int = 4, n_users: int = 30, n_items: int = 60, *, seed: int = 0, share: float = 0.3, decided: Rules | None = None
) -> Board:
    """Return rankings from good (system 0) to random (the last system); some items are not ranked."""
    random = np.random.default_rng(seed)
    is_test = random.random((n_users, n_items)) < share * random.random((n_users, 1)) * 2
    user, item = (index.astype(np.int32) for index in np.nonzero(is_test))
    rating = random.integers(1, 6, len(user)).astype(np.float64)
    worth = np.zeros((n_users, n_items))
    worth[user, item] = rating
    positions, scores = [], []
    for system in range(n_systems):
        score = worth * (1 - system / max(n_systems - 1, 1)) + random.normal(0, 3, (n_users, n_items))
        rank = np.argsort(np.argsort(-score, axis=1), axis=1) + 1
        positions.append(np.where(rank[user, item] <= n_items - 5, rank[user, item], 0).astype(np.int32))
        scores.append(np.where(positions[-1] > 0, score[user, item], np.nan))
    return Board(
        systems=tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:n_systems]),
        user=user,
        item=item,
        rating=rating,
        position=np.stack(positions),
        score=np.stack(scores),
        ranked=np.full((n_systems, n_users), n_items - 5),
        train=random.integers(0, 20, n_users),
        item_train=random.integers(0, 50, n_items),
        scale=Scale(1, 5),
        rules=decided or rules(),
    )


def metrics(*written: str) -> list[MeasuredAt]:
    """Read metrics with their cut-offs."""
    return [measured for text in written for measured in parse_measured_at(text)]


def asked(board: Board, written: Sequence[str], *, alpha: float = 0.05, seed: int = 0) -> MetricAnalysisTask:
    """Make a task with these metrics and every pair of systems of a board."""
    labels = board.systems
    pairs = [(a, b) for nth, a in enumerate(labels) for b in labels[nth + 1 :]]
    return MetricAnalysisTask(metrics(*written), pairs, alpha, Stream.of(seed, "test"))
