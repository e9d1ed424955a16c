"""Discriminative power: sums of p-values, compared with an enumeration of all swaps; copies count once."""

import math
from dataclasses import replace
from itertools import product
from typing import ClassVar

import numba
import numpy as np
import pytest

from conclusions.meta.boards import asked, metrics, random_board, rules
from recsens.comparison.significance import Comparison, SignificanceTest
from recsens.conclusions.meta import Board, MetricAnalysis, discrimination
from recsens.errors import SpecError

FEW = random_board(3, 8, 40, seed=3, decided=rules(users="with_ratings"))
"""Eight users, all averaged: 256 swaps."""

BOARD = random_board(4, 40)
SAMPLED = "discrimination(test=randomisation(samples=300))"


def found(board: Board, *written: str, spec: str = "discrimination(test=t)", **changes):
    """Analyse; return the findings by quantity, metric and systems."""
    question = replace(asked(board, written), **changes)
    analysis = MetricAnalysis.build(spec)
    analysis.check(question)
    findings = analysis.analyse(board, question)
    return {(each.quantity, each.metric and each.metric.written, each.system_a + each.system_b): each for each in findings}


def copied(board: Board, *systems: int) -> Board:
    """Add copies of a board's systems, which differ only in their scores."""
    rows = [*range(len(board.systems)), *systems]
    labels = tuple(f"{board.systems[row]}{nth}" for nth, row in enumerate(rows))
    return replace(board, systems=labels, position=board.position[rows], score=board.score[rows] + 1, ranked=board.ranked[rows])


def p_of_all_swaps(first: np.ndarray, second: np.ndarray) -> float:
    """Return the share of swaps of the users' values that bring the means at least as far apart."""
    observed = abs(first.mean() - second.mean())
    far = [
        abs(np.mean([b - a if swap else a - b for a, b, swap in zip(first, second, swaps, strict=True)])) >= observed - 1e-9
        for swaps in product((False, True), repeat=len(first))
    ]
    return sum(far) / len(far)


def test_dp_is_the_sum_over_all_swaps_written_out():
    numbers = found(FEW, "P@5", "nDCG@10", spec="discrimination")
    for written in ("P@5", "nDCG@10"):
        [scores] = FEW.panel(metrics(written))
        assert scores.counts.all()
        a, b, c = scores.values
        by_hand = {"AB": p_of_all_swaps(a, b), "AC": p_of_all_swaps(a, c), "BC": p_of_all_swaps(b, c)}
        assert {pair: numbers["p", written, pair].value for pair in by_hand} == pytest.approx(by_hand)
        assert numbers["DP", written, ""].value == pytest.approx(sum(by_hand.values()))
        assert numbers["median_p", written, ""].value == pytest.approx(sorted(by_hand.values())[1])
        assert numbers["p", written, "AB"].n == 8


class Told(SignificanceTest):
    """A test that returns given p-values."""

    p_values: ClassVar[tuple[float, ...]] = ()

    def compare(self, a, b, stream, weights=None, offsets=None):
        """Never called."""
        raise NotImplementedError

    def compare_pairs(self, values, counts, pairs, stream, weights=None, offsets=None):
        """Return the p-values, one per pair."""
        return [Comparison(0.0, 0.0, 0.0, 0.0, p, 2) for p in self.p_values]


@pytest.mark.parametrize(
    ("p_values", "sums", "n"),
    [
        ((0.5, 0.01, 0.0), {"DP": 0.51, "DP_ordered": 1.02, "median_p": 0.01, "significant": 2 / 3}, 3),
        ((0.5, math.nan, 0.0), {"DP": 0.5, "DP_ordered": 1.0, "median_p": 0.25, "significant": 0.5}, 2),
        ((math.nan,) * 3, {"DP": math.nan, "DP_ordered": math.nan, "median_p": math.nan, "significant": math.nan}, 0),
        ((0.05, 0.05, 0.05), {"DP": 0.15, "DP_ordered": 0.3, "median_p": 0.05, "significant": 0.0}, 3),
    ],
)
def test_the_sums_worked_by_hand(monkeypatch: pytest.MonkeyPatch, p_values, sums, n):
    analysis, question = MetricAnalysis.build("discrimination"), asked(FEW, ["P@5"])
    monkeypatch.setattr(discrimination.SignificanceTest, "build", lambda spec: Told())
    monkeypatch.setattr(Told, "p_values", p_values)
    numbers = {each.quantity: each for each in analysis.analyse(FEW, question) if each.quantity in sums}
    assert {name: each.value for name, each in numbers.items()} == pytest.approx(sums, nan_ok=True)
    assert {each.n for each in numbers.values()} == {n}


def test_systems_that_rank_identically_count_once():
    board = copied(FEW, 1, 0)
    once, alone = found(board, "P@5"), found(FEW, "P@5")
    for quantity in ("DP", "DP_ordered", "median_p", "significant"):
        assert once[quantity, "P@5", ""].value == alone[quantity, "P@5", ""].value
        assert once[quantity, "P@5", ""].n == 3
    # Ten pairs, of which three are left: of the seven others, each copy is in four.
    copies = {key[2]: (each.value, each.n) for key, each in once.items() if key[0] == "copies"}
    assert copies == {"B1B3": (4, len(FEW.user)), "A0A4": (4, len(FEW.user))}
    assert [key[2] for key in once if key[0] == "p"] == ["A0B1", "A0C2", "B1C2"]


def test_or_each_by_itself():
    numbers, alone = found(copied(FEW, 1), "P@5", spec="discrimination(test=t,identical=each)"), found(FEW, "P@5")
    assert numbers["p", "P@5", "B1B3"].value == 1
    assert numbers["copies", None, "B1B3"].value == 0
    twice = sum(alone["p", "P@5", pair].value for pair in ("AB", "BC"))
    assert numbers["DP", "P@5", ""].value == pytest.approx(alone["DP", "P@5", ""].value + twice + 1)
    assert numbers["DP", "P@5", ""].n == 6


def test_a_copy_stands_for_a_system_that_is_not_asked_for():
    numbers = found(copied(FEW, 1), "P@5", pairs=[("A0", "B3"), ("B1", "C2")])
    assert [key[2] for key in numbers if key[0] == "p"] == ["A0B3", "B1C2"]
    assert numbers["copies", None, "B1B3"].value == 0


def test_one_rank_apart_is_no_copy():
    board = copied(FEW, 1)
    position = board.position.copy()
    position[3, np.flatnonzero(board.rating < 4)[0]] += 1
    assert not [key for key in found(replace(board, position=position), "P@5") if key[0] == "copies"]


def test_a_pair_without_users_in_common_has_no_p_and_is_not_summed():
    listed = np.array([np.arange(8) < 4, np.arange(8) >= 4, np.ones(8, dtype=np.bool_)])
    board = replace(
        FEW,
        position=np.where(listed[:, FEW.user], FEW.position, 0).astype(np.int32),
        ranked=np.where(listed, FEW.ranked, 0),
        rules=rules(users="with_ratings", coverage="reduced"),
    )
    numbers = found(board, "P@5", spec="discrimination(test=randomisation)")
    assert math.isnan(numbers["p", "P@5", "AB"].value)
    assert numbers["p", "P@5", "AB"].n == 0
    assert numbers["DP", "P@5", ""].n == 2
    assert numbers["DP", "P@5", ""].value == numbers["p", "P@5", "AC"].value + numbers["p", "P@5", "BC"].value


@pytest.fixture
def threads():
    """Restore the number of threads that a test changes."""
    before = numba.get_num_threads()
    yield
    numba.set_num_threads(before)


@pytest.mark.usefixtures("threads")
def test_neither_threads_nor_other_metrics_change_a_number():
    numba.set_num_threads(1)
    here = found(BOARD, "RR", "nDCG@10", spec=SAMPLED)
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    there = found(BOARD, "nDCG@5,10", "P@10", "RR", spec=SAMPLED)
    assert {key: there[key] for key in here} == here


def test_an_aggregate_is_tested_as_in_a_study():
    [scores] = replace(BOARD, rules=rules(aggregate="geometric")).panel(metrics("P@5"))
    a, b = np.log(scores.values[:2, scores.counts[0]] + 0.01)
    alone = SignificanceTest.build("t").compare(a, b, asked(BOARD, ["P@5"]).stream)
    numbers = found(replace(BOARD, rules=rules(aggregate="geometric")), "P@5")
    assert numbers["p", "P@5", "AB"].value == pytest.approx(alone.p_value)
    assert numbers["p", "P@5", "AB"].value != pytest.approx(found(BOARD, "P@5")["p", "P@5", "AB"].value)


@pytest.mark.parametrize("spec", ["discrimination", "split_half"])
def test_what_cannot_be_compared_is_refused(spec: str):
    with pytest.raises(SpecError, match="gives a share of subsets"):
        MetricAnalysis.build(f"{spec}(test=subsamples)")
    with pytest.raises(SpecError, match="one value for all users together"):
        MetricAnalysis.build(spec).check(asked(FEW, ["HLU@10"]))
    with pytest.raises(SpecError, match="no pair of systems"):
        MetricAnalysis.build(spec).check(replace(asked(FEW, ["P@5"]), pairs=[]))
