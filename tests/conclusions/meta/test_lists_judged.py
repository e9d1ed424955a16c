"""Metrics of lists among the metrics that an analysis judges: boards with lists give each system the values of its own lists."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

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


COUNTED = ("CatalogCoverage@3", "TrainCoverage@3", "Gini@3", "Entropy@3", "InterUserDistance@3")


def pooled_value(written: str, board: Board, system: int, lists: list[np.ndarray]) -> float:
    """Measure lists of items, one array per user, as the only lists of a system."""
    [measured] = metrics(written)
    starts = np.cumsum([0, *map(len, lists)])
    top = Lists(np.concatenate(lists), starts, board.lists[system].catalogue, np.arange(len(lists)))
    judged = board.judged(system).of_users(np.arange(board.n_users) < len(lists))
    return float(measured.metric.measure_lists(top, judged, (measured.cutoff,))[0, 0])


def tops_of(board: Board, system: int) -> list[np.ndarray]:
    """Return the lists of the users who count."""
    lists = board.lists[system]
    return [lists.item[lists.starts[user] : lists.starts[user + 1]] for user in np.flatnonzero(board.admitted[system])]


@pytest.mark.parametrize("written", COUNTED)
def test_exchanged_lists_are_counted_as_if_all_exchanges_were_written_out(written):
    board = with_lists(random_board(3, 9, seed=3))
    task, analysis = asked(board, [written]), MetricAnalysis.build("discrimination(exchanges=512)")
    analysis.check(task)
    found = {each.system_a + each.system_b: each for each in analysis.analyse(board, task) if each.quantity == "p"}
    labels = dict(zip("ABC", range(3), strict=True))
    for pair, finding in found.items():
        a, b = (labels[label] for label in pair)
        first, second = tops_of(board, a), tops_of(board, b)
        distances = []
        for swaps in product((False, True), repeat=len(first)):
            mixed = [
                [y if swap else x for x, y, swap in zip(mine, other, swaps, strict=True)]
                for mine, other in ((first, second), (second, first))
            ]
            distances.append(abs(np.subtract(*(pooled_value(written, board, a, lists) for lists in mixed))))
        assert finding.value == pytest.approx(np.mean(np.array(distances) >= distances[0] - 1e-12))
        assert finding.n == len(first)


def test_few_random_exchanges_come_close_to_all():
    board = with_lists(random_board(3, 15, seed=5))
    every, some = (
        [each.value for each in MetricAnalysis.build(spec).analyse(board, asked(board, COUNTED)) if each.quantity == "p"]
        for spec in ("discrimination(exchanges=32768)", "discrimination(exchanges=2000)")
    )
    assert some == pytest.approx(every, abs=0.05)
    assert some != every


def test_values_of_all_users_together_have_an_order_too():
    board = with_lists(random_board(4))
    mixed = [*COUNTED, "nDCG@3", "PooledR@3"]
    values = board.totals(metrics(*mixed))
    for row, written in enumerate(COUNTED):
        for system in range(4):
            assert values[row, system] == pytest.approx(pooled_value(written, board, system, tops_of(board, system)))
    analysis, task = MetricAnalysis.build("correlation"), asked(board, mixed)
    analysis.check(task)
    found = {(each.metric.written, each.against.written): each.value for each in analysis.analyse(board, task) if each.against}
    tau = stats.kendalltau(-values[2], values[5]).statistic
    assert found["Gini@3", "nDCG@3"] == pytest.approx(tau)


def test_a_pooled_metric_of_test_ratings_is_measured_on_those_that_are_left():
    board = random_board(4)
    kept = np.arange(len(board.user)) % 2 == 0
    [found] = board.totals(metrics("PooledR@3"), kept)
    relevant = board.is_relevant & kept & board.admitted[0][board.user]
    by_hand = [(relevant & (place > 0) & (place <= 3)).sum() / relevant.sum() for place in board.position]
    assert found == pytest.approx(by_hand)
    assert "area" in {each.quantity for each in MetricAnalysis.build("sparsity(samples=2)").analyse(board, asked(board, ["HLU@3"]))}


def test_what_cannot_be_judged_is_refused():
    board = random_board(3)
    for name, metric, why in (
        ("sparsity", "ILD@3", "does not read test ratings"),
        ("dial", "ILD@3", "reads lists"),
        ("sparsity", "Gini@3", "does not read test ratings"),
        ("split_half", "Gini@3", "compares users' values"),
        ("discrimination", "HLU@3", "does not follow from how many lists"),
    ):
        with pytest.raises((SpecError, DesignError), match=why):
            MetricAnalysis.build(name).check(asked(board, [metric, "P@3"]))
    MetricAnalysis.build("sparsity").check(asked(board, ["EPD(relevance=binary)@3"]))
    with pytest.raises(DesignError, match="not known here"):
        board.totals(metrics("ILD@3"))
