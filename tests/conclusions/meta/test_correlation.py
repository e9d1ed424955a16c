"""Agreement of metrics on the order of systems."""

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from conclusions.meta.boards import asked, metrics, random_board
from recsens.conclusions.meta import Board, MetricAnalysis
from recsens.conclusions.meta.correlation import tau_ap, tau_b
from recsens.errors import SpecError

NAN = math.nan
BOARD = random_board(6, 30)


def orders(most: int):
    """Values of up to this many systems by two metrics, with many ties."""
    return st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=most)


def found(spec: str, *written: str, board: Board = BOARD):
    question = asked(board, written)
    analysis = MetricAnalysis.build(spec)
    analysis.check(question)
    findings = analysis.analyse(board, question)
    return {(each.quantity, each.metric.written, each.against and each.against.written): each for each in findings}


def mean_over_orders_of_ties(judged, true) -> float:
    """Average the printed formula of τ_AP over every order of the systems that the first metric ties."""

    def right(above: int, below: int) -> float:
        if true[above] == true[below]:
            return 1.0 if judged[above] == judged[below] else 0.5
        return float(true[above] > true[below])

    descending = [order for order in permutations(range(len(judged))) if (np.diff(np.take(judged, order)) <= 0).all()]
    sums = [sum(sum(right(above, order[i]) for above in order[:i]) / i for i in range(1, len(order))) for order in descending]
    return 2 / (len(judged) - 1) * float(np.mean(sums)) - 1


@given(orders(8))
def test_tau_b_is_that_of_pairs_counted(pairs):
    a, b = np.array(pairs, dtype=float).T
    signs = [np.sign(np.subtract.outer(each, each))[np.triu_indices(len(a), 1)] for each in (a, b)]
    untied = math.sqrt((signs[0] ** 2).sum() * (signs[1] ** 2).sum())
    assert tau_b(a, b) == pytest.approx((signs[0] * signs[1]).sum() / untied if untied else NAN, nan_ok=True)
    assert tau_b(a, b) == pytest.approx(stats.kendalltau(a, b).statistic, nan_ok=True)


@pytest.mark.parametrize(
    ("judged", "tau"),
    [
        ([4, 3, 2, 1], 1.0),
        ([1, 2, 3, 4], -1.0),
        ([3, 4, 2, 1], 2 / 3 * (0 + 1 + 1) - 1),  # the best two exchanged
        ([4, 3, 1, 2], 2 / 3 * (1 + 1 + 2 / 3) - 1),  # the worst two: less harm
        ([4, 3, 2, 2], 2 / 3 * (1 + 1 + (1 + 2 / 3) / 2) - 1),  # the worst two tied: half that harm
    ],
)
def test_tau_ap_by_hand(judged, tau):
    assert tau_ap(np.array(judged, dtype=float), np.array([4.0, 3, 2, 1])) == pytest.approx(tau)


def test_a_pair_that_the_true_order_ties_counts_as_half():
    assert tau_ap(np.array([3.0, 2, 1]), np.array([2.0, 2, 1])) == pytest.approx(2 / 2 * (0.5 + 1) - 1)


@given(orders(5))
def test_tau_ap_averages_over_the_orders_of_ties(pairs):
    a, b = np.array(pairs, dtype=float).T
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        assert math.isnan(tau_ap(a, b))
    else:
        assert tau_ap(a, b) == pytest.approx(mean_over_orders_of_ties(a, b))
        assert tau_ap(a, a) == 1


def test_systems_without_a_value_are_left_out():
    a, b = np.array([3, NAN, 2, 1]), np.array([3.0, 9, 1, 2])
    assert tau_b(a, b) == pytest.approx(1 / 3)
    assert tau_ap(a, b) == tau_ap(a[[0, 2, 3]], b[[0, 2, 3]])
    assert math.isnan(tau_b(a[:2], b[:2]))


def test_metrics_are_compared_at_equal_cut_offs():
    numbers = found("correlation", "P@5,10", "nDCG@5", "RR", "AP")
    pairs = {key[1:] for key in numbers if key[0] == "agreement"}
    alone = {(each, each) for each in ("P@5", "P@10", "nDCG@5", "RR", "AP")}
    assert pairs == {("P@5", "nDCG@5"), ("nDCG@5", "P@5"), ("RR", "AP"), ("AP", "RR")} | alone
    assert all(numbers["agreement", *pair].value == 1 for pair in alone)
    totals = BOARD.totals(metrics("P@5", "nDCG@5"))
    assert numbers["agreement", "P@5", "nDCG@5"].value == pytest.approx(stats.kendalltau(*totals).statistic)
    assert numbers["agreement", "P@5", "nDCG@5"].n == 6
    # There is no metric to compare P@10 with.
    assert numbers["mean_agreement", "P@10", None].n == 0
    assert math.isnan(numbers["mean_agreement", "P@10", None].value)


def test_cut_offs_are_compared_within_a_metric():
    numbers = found("correlation(of=cutoffs,by=tau_ap)", "P@1,5,10", "AP", "AP@5")
    others = {key[1:] for key in numbers if key[0] == "agreement" and key[1] != key[2]}
    assert len(others) == 6 + 2
    assert ("AP", "AP@5") in others
    mean = numbers["mean_agreement", "P@1", None]
    by_hand = [numbers["agreement", "P@1", other].value for other in ("P@5", "P@10")]
    assert (mean.value, mean.n) == (pytest.approx(np.mean(by_hand)), 2)


def test_less_is_better_is_turned():
    numbers = found("correlation", "uRMSE", "uMAE", "nDCG")
    assert numbers["agreement", "uRMSE", "uMAE"].value > 0
    error, gain = BOARD.totals(metrics("uRMSE", "nDCG"))
    assert numbers["agreement", "uRMSE", "nDCG"].value == pytest.approx(stats.kendalltau(-error, gain).statistic)


def test_a_metric_that_ties_all_systems_agrees_with_none():
    board = replace(BOARD, rating=np.ones(len(BOARD.rating)))
    numbers = found("correlation", "P@1", "RR@1", board=board)
    assert all(math.isnan(each.value) for each in numbers.values())
    assert {each.n for key, each in numbers.items() if key[0] == "mean_agreement"} == {0}


@pytest.mark.parametrize(
    ("spec", "written", "said"),
    [
        ("correlation", ["P@5", "nDCG@10"], "no two metrics have the same cut-off"),
        ("correlation(of=cutoffs)", ["P@5", "nDCG@5"], "no metric has two cut-offs"),
    ],
)
def test_nothing_to_correlate_is_refused(spec, written, said):
    with pytest.raises(SpecError, match=said):
        MetricAnalysis.build(spec).check(asked(BOARD, written))
