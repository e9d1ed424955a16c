"""Measuring a board with a mask equals evaluating judgements without the masked ratings."""

import numpy as np
import pytest

from conclusions.meta.boards import asked, metrics, random_board, rules
from metrics.definitions import METRICS, OF_TWO_RANKINGS, written
from recsens import plugins
from recsens.conclusions.meta import Board
from recsens.conclusions.meta.sparsity import Sparsity
from recsens.errors import SpecError
from recsens.metrics import Metric
from recsens.runs.evaluation import Evaluator

CUTOFFS = "6"
N_SYSTEMS, N_MASKS = 2, 2
UNJUDGED = 1000
"""Added to a position, this gives the number of an unjudged item."""


def at_cutoffs(spec: str) -> str:
    return spec if Metric.build(spec).takes_cutoff == "never" else f"{spec}@{CUTOFFS}"


def is_allowed(name: str) -> bool:
    try:
        board = random_board(2, n_users=2)
        Sparsity().check(asked(board, [at_cutoffs(name)]))
    except SpecError:
        return False
    return Metric.build(name).unit == "user"


ALLOWED = [name for name in plugins.names("metric") if is_allowed(name) and Metric.build(name).reads != "lists"]
VARIANTS = [written(name, params) for name, params in [*METRICS, *OF_TWO_RANKINGS] if name in ALLOWED]
EVERY = list(dict.fromkeys(at_cutoffs(str(Metric.build(spec).spec)) for spec in [*ALLOWED, *VARIANTS]))


def run_of(board: Board, system: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Write out a system's rankings; the score of an unjudged item is between those of the judged items around it."""
    users, items, scores = [], [], []
    for user, length in enumerate(board.ranked[system]):
        own = np.flatnonzero((board.user == user) & (board.position[system] > 0))
        own = own[np.argsort(board.position[system][own])]
        positions = np.arange(1, length + 1)
        item = UNJUDGED + positions
        item[board.position[system][own] - 1] = board.item[own]
        known = [100.0, *board.score[system][own], -100.0]
        scores.append(np.interp(positions, [0, *board.position[system][own], length + 1], known))
        users.append(np.full(length, user))
        items.append(item)
    return np.concatenate(users), np.concatenate(items), np.concatenate(scores)


def test_most_metrics_are_allowed_with_all_of_their_parameters():
    assert len(ALLOWED) > 25
    assert {spec.partition("(")[0] for spec in VARIANTS} >= {name for name, _ in OF_TWO_RANKINGS}


@pytest.mark.parametrize("view", ["full", pytest.param("condensed", marks=pytest.mark.slow)])
def test_a_mask_is_the_same_as_thinner_judgements(view):
    board = random_board(N_SYSTEMS, n_users=8, n_items=40, decided=rules(view=view))
    random = np.random.default_rng(5)
    runs = [run_of(board, system) for system in range(N_SYSTEMS)]
    every = metrics(*EVERY)
    for _ in range(N_MASKS):
        kept = random.random(len(board.user)) < random.uniform(0.2, 1)
        judgements = board.user[kept], board.item[kept], board.rating[kept]
        evaluator = Evaluator.of(judgements, EVERY, relevance=4, scale=(1, 5), view=view)
        for system, run in enumerate(runs):
            found, _ = board.values(every, system, kept)
            expected = evaluator.evaluate(run)
            users = [int(user) for user in expected.users]
            np.testing.assert_allclose(found[:, users].T, expected.values, rtol=0, atol=1e-12)


def test_a_mask_that_keeps_all_changes_nothing():
    board = random_board(3)
    everything = np.ones(len(board.user), dtype=np.bool_)
    np.testing.assert_array_equal(board.totals(metrics(*EVERY), everything), board.totals(metrics(*EVERY)))


def test_nothing_left_is_measured_too():
    board = random_board(3)
    nothing = np.zeros(len(board.user), dtype=np.bool_)
    assert (board.totals(metrics("P@5", "R@5", "AP", "nDCG@10", "RR", "Bpref", "infAP"), nothing) == 0).all()
    assert np.isnan(board.totals(metrics("P@5"), nothing, skip_emptied=True)).all()
