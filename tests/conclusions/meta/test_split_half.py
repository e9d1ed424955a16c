"""Split halves: counted by hand, compared with the test run on each half, and the test's error under swaps."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from conclusions.meta.boards import asked, metrics, random_board, rules
from recsens.comparison.significance import SignificanceTest
from recsens.conclusions.meta import Board, MetricAnalysis
from recsens.conclusions.meta._judged_rankings import swaps_of
from recsens.conclusions.meta.split_half import compare_samples, fuzzy_error_rate, halves_of, values_in
from recsens.outcomes.paired import Paired
from recsens.seeds import Stream

STREAM = Stream.of(0, "test")
BOARD = random_board(3, 60)
WEIGHTED = random_board(3, 30, decided=rules(coverage="reduced", aggregate="weighted(by=relevant)"))
SPARSE = replace(BOARD, position=np.where(BOARD.position < 8, BOARD.position, 0).astype(np.int32))


def found(board: Board, *written: str, spec: str = "split_half(samples=40)", **changes) -> dict[tuple[str, str], tuple[float, int]]:
    findings = MetricAnalysis.build(spec).analyse(board, replace(asked(board, written), **changes))
    return {(each.quantity, each.metric.written): (each.value, each.n) for each in findings}


def paired_of(board: Board, written: str) -> Paired:
    [scores] = board.panel(metrics(written))
    return Paired.of(scores, board.rules.aggregate.tested(scores), board.rules.aggregate)


def test_halves_share_the_users_counted():
    counted = np.arange(20) % 3 > 0
    first, second = halves_of(counted, STREAM, 50)
    assert (first + second == counted).all()
    assert set(first.sum(axis=1)) == {6}
    assert set(second.sum(axis=1)) == {7}
    assert len(np.unique(first, axis=0)) > 40


def test_more_samples_or_users_leave_the_first_as_they_are():
    few, many = (halves_of(np.ones(9, dtype=np.bool_), STREAM, samples) for samples in (3, 7))
    assert (many[0][:3] == few[0]).all()
    assert (swaps_of(9, STREAM, range(7))[:3, :5] == swaps_of(5, STREAM, range(3))).all()


def test_shares_counted_half_by_half():
    # A study's verdict: scipy's t-test and the sign of the difference, on each half, in a loop.
    alpha, samples = 0.2, 40
    [scores] = BOARD.panel(metrics("P@10"))
    first, second = halves_of(scores.counts.any(axis=0), STREAM.child("half"), samples)
    counts = dict.fromkeys(("same", "opposite", "one_decides", "none_decides", "same_sign"), 0)
    for halves in zip(first, second, strict=True):
        for a, b in ((0, 1), (0, 2), (1, 2)):
            signs, verdicts = [], []
            for half in halves:
                x, y = scores.values[a, half > 0], scores.values[b, half > 0]
                signs.append(np.sign(np.round(x.mean() - y.mean(), 12)))
                verdicts.append(signs[-1] if stats.ttest_rel(x, y).pvalue < alpha else 0)
            counts["same"] += verdicts[0] == verdicts[1] != 0
            counts["opposite"] += verdicts[0] * verdicts[1] == -1
            counts["one_decides"] += (verdicts[0] == 0) != (verdicts[1] == 0)
            counts["none_decides"] += verdicts == [0, 0]
            counts["same_sign"] += signs[0] == signs[1] != 0
    numbers = found(BOARD, "P@10", alpha=alpha)
    by_hand = {name: (pytest.approx(count / (3 * samples)), samples) for name, count in counts.items()}
    assert {name: numbers[name, "P@10"] for name in counts} == by_hand
    assert counts["same"] > 0
    assert counts["one_decides"] > 0


@pytest.mark.parametrize("board", [BOARD, WEIGHTED, SPARSE, random_board(3, 5), random_board(3, 2)])
@pytest.mark.parametrize("written", ["nDCG@5", "P@1"])
def test_all_samples_at_once_are_the_test_sample_by_sample(board: Board, written: str):
    paired = paired_of(board, written)
    pairs = [(0, 1), (2, 0), (1, 1)]
    test = SignificanceTest.build("t")
    for signs in (*halves_of(paired.counts.any(axis=0), STREAM, 12), swaps_of(board.n_users, STREAM, range(12))):
        means, p_values = compare_samples(test, paired, pairs, signs, STREAM)
        for row, sample in enumerate(signs):
            for column, (a, b) in enumerate(pairs):
                users = paired.counts[a] & paired.counts[b] & (sample != 0)
                delta = (paired.values[a] - paired.values[b])[users] * sample[users]
                weights = None if paired.weights is None else paired.weights[users]
                alone = test.compare(delta, np.zeros(len(delta)), STREAM, weights)
                assert p_values[row, column] == pytest.approx(alone.p_value, rel=1e-6, nan_ok=True)
                assert means[row, column] == pytest.approx(alone.difference, abs=1e-12, nan_ok=True)


def test_any_other_test_runs_sample_by_sample():
    paired = paired_of(BOARD, "nDCG@5")
    # Around a million, the logarithm is practically linear.
    straight, log = SignificanceTest.build("t"), SignificanceTest.build("t(log=true,epsilon=1000000)")
    for signs in (halves_of(paired.counts.any(axis=0), STREAM, 6)[0], swaps_of(BOARD.n_users, STREAM, range(6))):
        fast, slow = (compare_samples(test, paired, [(0, 1), (1, 2)], signs, STREAM)[1] for test in (straight, log))
        np.testing.assert_allclose(slow, fast, rtol=1e-2)
    assert found(BOARD, "P@5", spec="split_half(samples=3,test=sign)")["same", "P@5"][1] == 3


@pytest.mark.parametrize("aggregate", ["mean", "weighted(by=relevant)", "median", "geometric"])
def test_values_in_a_half_are_those_of_the_aggregate(aggregate: str):
    board = random_board(3, 20, decided=rules(coverage="reduced", aggregate=aggregate))
    [scores] = board.panel(metrics("nDCG@5"))
    own, paired = board.rules.aggregate, paired_of(board, "nDCG@5")
    first, _ = halves_of(paired.counts.any(axis=0), STREAM, 5)
    alone = [own.aggregate(replace(scores, counts=scores.counts & (row > 0))) for row in first]
    np.testing.assert_allclose(values_in(first, own, scores, paired), alone, rtol=1e-12)


@pytest.mark.parametrize("board", [BOARD, random_board(4, 120, seed=1)])
def test_false_alarms_are_near_alpha_whatever_the_systems(board: Board):
    numbers = found(board, "nDCG@20", "P@20", spec="split_half(samples=1000)")
    for written in ("nDCG@20", "P@20"):
        value, n = numbers["false_alarms", written]
        assert n == 1000
        assert abs(value - 0.05) < 0.03


def test_where_nothing_differs_halves_agree_by_chance_alone():
    board = random_board(6, 200, seed=2)
    ranks = np.random.default_rng(5).random((6, 200, 60)).argsort(axis=2).argsort(axis=2) + 1
    position = np.where(ranks <= 55, ranks, 0).astype(np.int32)[:, board.user, board.item]
    numbers = found(replace(board, position=position), "nDCG@20", spec="split_half(samples=300)")
    assert numbers["same", "nDCG@20"][0] < 0.03
    assert numbers["opposite", "nDCG@20"][0] < 0.03
    assert numbers["none_decides", "nDCG@20"][0] > 0.8


def test_copies_neither_decide_nor_count_for_false_alarms():
    numbers = found(replace(BOARD, position=BOARD.position[[0, 0, 0]]), "P@5")
    assert numbers["none_decides", "P@5"] == (1, 40)
    assert numbers["same_sign", "P@5"] == (0, 40)
    assert math.isnan(numbers["false_alarms", "P@5"][0])
    assert numbers["false_alarms", "P@5"][1] == 0


@pytest.mark.parametrize(
    ("fuzziness", "error_rate", "ties"),
    # Of three halves, the gaps are 4 %, 17 % and 17 % of the larger value: in one the first leads, in two the second.
    [(0, 1 / 3, 0), (0.05, 1 / 3, 1 / 3), (0.2, 0, 1)],
)
def test_values_apart_by_less_than_the_fuzziness_are_ties(fuzziness, error_rate, ties):
    values = np.array([[0.50, 0.52], [0.50, 0.60], [0.60, 0.50]])
    assert fuzzy_error_rate(values, [(0, 1)], fuzziness) == pytest.approx((error_rate, ties))
    # A second pair, equal throughout, has no error: the rates are over all halves of all pairs.
    both = fuzzy_error_rate(np.column_stack([values, values[:, 1]]), [(0, 1), (1, 2)], fuzziness)
    assert both == pytest.approx((error_rate / 2, (ties + 1) / 2))


def test_errors_counted_half_by_half():
    board = random_board(4, 12, seed=5)
    [scores] = board.panel(metrics("P@10"))
    halves = halves_of(scores.counts.any(axis=0), STREAM.child("half"), 40)
    errors, tied = 0, 0
    for a, b in combinations(range(4), 2):
        leads = []
        for half in np.concatenate(halves):
            x, y = (scores.values[system, half > 0].mean() for system in (a, b))
            leads.append(0 if abs(x - y) <= 0.02 * max(x, y) else np.sign(x - y))
        errors, tied = errors + min(leads.count(1), leads.count(-1)), tied + leads.count(0)
    numbers = found(board, "P@10", spec="split_half(samples=40,fuzziness=0.02)")
    assert numbers["error_rate", "P@10"] == (pytest.approx(errors / (6 * 80)), 40)
    assert numbers["ties", "P@10"] == (pytest.approx(tied / (6 * 80)), 40)
    assert errors > 0
    assert tied > 0


def test_other_metrics_change_nothing():
    alone, together = found(BOARD, "RR"), found(BOARD, "nDCG@5,10", "RR", "P@5")
    assert {key: together[key] for key in alone} == alone
