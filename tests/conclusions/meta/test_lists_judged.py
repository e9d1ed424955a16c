"""Metrics of lists among the metrics that an analysis judges: boards with lists give each system the values of its own lists."""

from dataclasses import replace

import numpy as np
import pytest

from conclusions.meta.boards import asked, metrics, random_board, rules
from recsens.conclusions.meta import Board, MetricAnalysis
from recsens.errors import DesignError, SpecError
from recsens.metrics import Catalogue, Lists

SPECS = ("ILD@3", "EPD(relevance=binary)@3", "P@3")
WORDS = ["a", "b", "ab", "abc", "d", "cd"] * 10


def with_lists(board: Board) -> Board:
    """Fill the positions without test ratings with items that the user did not rate in test."""
    random = np.random.default_rng(1)
    train = np.nonzero(random.random((board.n_users, board.n_items)) < 0.1)
    catalogue = Catalogue(*train, board.n_users, board.n_items, {"words": list(map(list, WORDS))})
    tops = []
    for position in board.position:
        rows = []
        for user in range(board.n_users):
            own = board.user == user
            row = np.setdiff1d(np.arange(board.n_items), board.item[own])[:8]
            placed = dict(zip(position[own], board.item[own], strict=True))
            rest = iter(row)
            rows.append([placed[rank] if rank in placed else next(rest) for rank in range(1, 6)])
        starts = np.arange(board.n_users + 1) * 5
        tops.append(Lists(np.array(rows).ravel(), starts, catalogue, np.arange(board.n_users)))
    return replace(board, lists=tuple(tops))


def distance(a: int, b: int) -> float:
    mine, other = set(WORDS[a]), set(WORDS[b])
    return 1 - len(mine & other) / len(mine | other)


@pytest.mark.parametrize("view", ["full", "condensed"])
def test_every_system_has_the_diversity_of_its_own_lists(view):
    board = with_lists(random_board(3, decided=rules(view=view, users="with_ratings(train=0)")))
    found = board.totals(metrics("ILD(by=words)@3"), None)[0]
    for system, value in enumerate(found):
        of_users = []
        for user in range(board.n_users):
            if view == "full":
                items = board.lists[system].item[5 * user : 5 * user + 3]
            else:
                own = np.flatnonzero((board.user == user) & (board.position[system] > 0))
                items = board.item[own[np.argsort(board.position[system][own])]][:3]
            pairs = [distance(a, b) for nth, a in enumerate(items) for b in items[:nth]]
            of_users.append(np.mean(pairs) if pairs else 0)
        assert value == pytest.approx(np.mean(of_users))


def test_missing_judgements_change_what_reads_them_and_nothing_else():
    board = with_lists(random_board(3))
    kept = np.arange(len(board.user)) % 2 == 0
    before, after = (board.panel(metrics(*SPECS), mask) for mask in (None, kept))
    assert [bool((a.values == b.values).all()) for a, b in zip(before, after, strict=True)] == [True, False, False]


@pytest.mark.parametrize("name", ["discrimination(test=t)", "correlation", "split_half(test=t,samples=3)"])
def test_analyses_of_all_test_ratings_judge_them(name):
    board, analysis = with_lists(random_board(4)), MetricAnalysis.build(name)
    task = asked(board, SPECS)
    analysis.check(task)
    found = [finding for finding in analysis.analyse(board, task) if finding.quantity == analysis.headline]
    assert {str(finding.metric.written) for finding in found} == set(SPECS)
    assert not np.isnan([finding.value for finding in found]).any()


def test_what_cannot_be_judged_is_refused():
    board = random_board(3)
    for name, metric, why in (
        ("sparsity", "ILD@3", "does not read test ratings"),
        ("dial", "ILD@3", "reads lists"),
        ("correlation", "Gini@3", "one value for all users"),
    ):
        with pytest.raises((SpecError, DesignError), match=why):
            MetricAnalysis.build(name).check(asked(board, [metric, "P@3"]))
    MetricAnalysis.build("sparsity").check(asked(board, ["EPD(relevance=binary)@3"]))
    with pytest.raises(DesignError, match="not known here"):
        board.totals(metrics("ILD@3"))
