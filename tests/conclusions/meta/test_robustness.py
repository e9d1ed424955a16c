"""Robustness of metrics: thinned test sets, and the order of the systems on them."""

import math
import time
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numba
import numpy as np
import pytest
from scipy import special
from scipy.stats import kendalltau

from approved import refusal
from conclusions.meta.boards import asked, metrics, random_board, rules
from recsens.conclusions.meta import Board, Finding, MetricAnalysis
from recsens.conclusions.meta._agreement_curves import findings, map_on_threads, n_threads_for, rounded_share, tau_b
from recsens.errors import SpecError
from recsens.files.scale import Scale

METRICS = ["P@5", "nDCG(gain=linear)@10", "Bpref@10"]


def analyse(spec: str, board: Board, written: list[str] = METRICS, seed: int = 0) -> list[Finding]:
    return MetricAnalysis.build(spec).analyse(board, asked(board, written, seed=seed))


def masks(spec: str, board: Board, monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray | None]:
    """Return the masks of an analysis in the order in which they are measured; the first keeps everything."""
    seen: list[np.ndarray | None] = []
    totals = Board.totals

    def look(self, metrics, kept=None, **named):
        seen.append(kept)
        return totals(self, metrics, kept, **named)

    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", 1)
    monkeypatch.setattr(Board, "totals", look)
    analyse(spec, board, ["P@5"])
    monkeypatch.undo()
    return seen


def tiny(position: list[list[int]], user: list[int], rating: list[float], item: list[int]) -> Board:
    n_users = max(user) + 1
    return Board(
        systems=tuple("ABC"[: len(position)]),
        user=np.array(user, dtype=np.int32),
        item=np.array(item, dtype=np.int32),
        rating=np.array(rating, dtype=np.float64),
        position=np.array(position, dtype=np.int32),
        score=None,
        ranked=np.full((len(position), n_users), 10),
        train=np.ones(n_users, dtype=np.int64),
        item_train=np.array([5, 9, 5, 1]),
        scale=Scale(1, 5),
        rules=rules(),
    )


# Kendall's tau


@pytest.mark.parametrize("n_systems", [2, 3, 7, 21])
def test_tau_is_scipys_to_the_last_bit(n_systems):
    random = np.random.default_rng(n_systems)
    first, second = random.integers(0, 6, (2, 300, n_systems)) / 7
    first[0, -1] = math.nan
    expected = [kendalltau(a, b).statistic for a, b in zip(first, second, strict=True)]
    np.testing.assert_array_equal(tau_b(first, second), expected)


def test_one_system_has_no_order():
    assert np.isnan(tau_b(np.ones((2, 1)), np.ones((2, 1)))).all()


# Curves


def test_the_area_is_the_mean_height_and_undefined_points_are_not_counted():
    curves = np.array([[0.0, 0.5, 1.0], [0.5, 0.5, 1.0], [math.nan, 1.0, 1.0]])[:, :, np.newaxis]
    low, middle, high, area = findings(metrics("P@5"), (10, 20, 50), curves)
    assert (low.at, low.value, low.n) == (10, 0.25, 2)
    assert (middle.n, high.n) == (3, 3)
    assert (high.value, high.spread, high.low, high.high) == (1, 0, 1, 1)
    # 10 · .25 + 30 · .75 and 10 · .5 + 30 · .75, of 40; the third curve has no area.
    assert (area.quantity, area.n, area.value) == ("area", 2, pytest.approx((0.625 + 0.6875) / 2))
    reach = special.stdtrit(1, 0.975) * (0.0625 / math.sqrt(2)) / math.sqrt(2)
    # No tau exceeds 1.
    assert area.value + reach > 1
    assert (area.low, area.high) == (pytest.approx(area.value - reach), 1)
    assert math.isnan(area.at)


def test_where_nothing_is_defined_the_mean_is_none():
    for found in findings(metrics("P@5"), (1, 2), np.full((4, 2, 1), math.nan)):
        assert math.isnan(found.value)
        assert found.n == 0


def test_halves_are_rounded_up():
    assert rounded_share(50, np.array([0, 1, 2, 3])).tolist() == [0, 1, 1, 2]
    assert rounded_share(7, np.array([50, 100, 107])).tolist() == [4, 7, 7]


# Sparsity


def test_all_ratings_give_the_order_itself():
    full = [found for found in analyse("sparsity(samples=3,sizes=[100,50])", random_board(6)) if found.at == 100]
    assert [(found.value, found.spread, found.n) for found in full] == [(1, 0, 3)] * len(METRICS)


def test_tau_is_that_of_the_systems_on_what_is_kept(monkeypatch):
    board = random_board(7)
    whole, *parts = masks("sparsity(samples=4,sizes=[60,20])", board, monkeypatch)
    assert whole is None
    reference = board.totals(metrics("P@5"))[0]
    taus = np.array([kendalltau(board.totals(metrics("P@5"), kept)[0], reference).statistic for kept in parts]).reshape(4, 2)
    small, large, area = analyse("sparsity(samples=4,sizes=[60,20])", board, ["P@5"])
    assert (small.at, large.at) == (20, 60)
    assert small.value == pytest.approx(taus[:, 0].mean(), abs=1e-12)
    assert large.value == pytest.approx(taus[:, 1].mean(), abs=1e-12)
    assert area.value == pytest.approx(taus.mean(), abs=1e-12)
    assert area.spread == pytest.approx(taus.mean(axis=1).std(ddof=1), abs=1e-12)


@pytest.mark.parametrize("unit", ["all", "user"])
def test_sizes_hold_the_right_numbers_and_lie_within_one_another(unit, monkeypatch):
    board = random_board(2)
    sizes = (5, 33, 50, 95)
    parts = masks(f"sparsity(samples=2,sizes=[5,33,50,95],unit={unit})", board, monkeypatch)[1:]
    assert not np.array_equal(parts[0], parts[len(sizes)])
    for sample in (parts[: len(sizes)], parts[len(sizes) :]):
        for size, kept in zip(sizes, sample, strict=True):
            if unit == "all":
                assert kept.sum() == math.floor(size * len(board.user) / 100 + 0.5)
            else:
                own = np.bincount(board.user, minlength=board.n_users)
                assert np.bincount(board.user[kept], minlength=board.n_users).tolist() == [(size * n + 50) // 100 for n in own]
        for small, large in pairwise(sample):
            assert not (small & ~large).any()


@pytest.mark.parametrize("unit", ["all", "user"])
def test_what_is_kept_depends_on_neither_the_order_of_rows_nor_the_systems(unit, monkeypatch):
    board = random_board(3)
    # Rows stay in the order of users, in any order within a user.
    order = np.lexsort((np.random.default_rng(1).random(len(board.user)), board.user))
    other = replace(
        board,
        systems=board.systems[:2],
        user=board.user[order],
        item=board.item[order],
        rating=board.rating[order],
        position=board.position[:2, order],
        score=board.score[:2, order],
        ranked=board.ranked[:2],
    )
    spec = f"sparsity(samples=2,sizes=[20,70],unit={unit})"
    for kept, kept_of_other in zip(masks(spec, board, monkeypatch)[1:], masks(spec, other, monkeypatch)[1:], strict=True):
        np.testing.assert_array_equal(kept[order], kept_of_other)
    shuffled = replace(
        other, systems=board.systems, position=board.position[:, order], score=board.score[:, order], ranked=board.ranked
    )
    assert analyse(spec, shuffled) == analyse(spec, board)


def test_more_samples_begin_with_the_same(monkeypatch):
    board = random_board(2)
    few = masks("sparsity(samples=2,sizes=[20,70])", board, monkeypatch)
    many = masks("sparsity(samples=4,sizes=[20,70])", board, monkeypatch)
    np.testing.assert_array_equal(few[1:], many[1:5])


def test_where_all_systems_are_tied_samples_are_not_counted():
    # One relevant rating: without it, nobody finds anything.
    board = tiny([[1, 2], [2, 1], [5, 6]], [0, 0], [5, 1], [0, 1])
    half, full, area = analyse("sparsity(samples=20,sizes=[100,50])", board, ["P@1"])
    assert 0 < half.n < 20
    assert area.n == half.n
    assert (half.value, full.value, full.n) == (1, 1, 20)


# Popularity


def test_the_head_is_counted_by_hand_and_ties_go_by_number(monkeypatch):
    # Items 0 to 3 have 5, 9, 5 and 1 train ratings, and 2, 1, 3 and 1 test ratings.
    board = tiny([[1, 2, 3, 1, 2, 3, 4]] * 2, [0, 0, 0, 1, 1, 1, 1], [5] * 7, [0, 1, 2, 0, 2, 2, 3])
    for of, heads in {"train": ([1], [1, 0], [1, 0, 2]), "test": ([2], [2, 0], [2, 0, 1]), "all": ([1], [1, 2], [1, 2, 0])}.items():
        parts = masks(f"popularity(shares=[0,12,13,50,75],of={of})", board, monkeypatch)
        assert parts[0] is None
        # 12 % of four items are none, 13 % are one: halves are rounded up.
        assert parts[1].all()
        for kept, head in zip(parts[2:], heads, strict=True):
            assert kept.tolist() == [item not in head for item in board.item.tolist()], of


def test_popularity_is_one_curve():
    found = analyse("popularity(shares=[0,10,20])", random_board(6), ["P@5"])
    assert [each.n for each in found] == [1] * 4
    assert [each.at for each in found[:3]] == [0, 10, 20]
    assert found[0].value == 1
    taus = [each.value for each in found[:3]]
    assert found[3].value == pytest.approx((taus[0] / 2 + taus[1] + taus[2] / 2) / 2)
    assert all(math.isnan(each.low) and math.isnan(each.spread) for each in found)


# Users left without a relevant rating


def test_emptied_users_count_zero_or_are_left_out():
    # User 0 loses everything with item 1, the most popular; user 1 keeps item 3. By A: 1 and 1/2; by B: 1/2 and 1.
    board = tiny([[1, 2], [2, 1]], [0, 1], [5, 5], [1, 3])
    kept = np.array([False, True])
    np.testing.assert_array_equal(board.totals(metrics("RR"), kept), [[0.25, 0.5]])
    np.testing.assert_array_equal(board.totals(metrics("RR"), kept, skip_emptied=True), [[0.5, 1.0]])
    zeros, skip = (analyse(f"popularity(shares=[0,25],emptied={each})", board, ["RR"]) for each in ("zeros", "skip"))
    # Both systems are tied on the whole test set, so tau is not defined.
    assert [each.n for each in [*zeros, *skip]] == [0] * 6


def test_the_order_on_the_whole_is_found_for_the_same_users(monkeypatch):
    calls = []
    totals = Board.totals
    monkeypatch.setattr(Board, "totals", lambda *args, **named: calls.append(named) or totals(*args, **named))
    for emptied, skips in (("zeros", False), ("skip", True)):
        calls.clear()
        analyse(f"popularity(shares=[0,25],emptied={emptied})", random_board(3), ["RR"])
        assert calls == [{"skip_emptied": skips}] * 2


# Threads


@pytest.mark.parametrize("spec", ["sparsity(samples=5,sizes=[100,40,10])", "popularity(shares=[0,10,30])"])
def test_the_number_of_threads_changes_nothing(spec, monkeypatch):
    found = []
    for n in (1, 2, 3):
        monkeypatch.setattr("recsens.conclusions.meta._agreement_curves.n_threads_for", lambda board, metrics, n=n: n)
        found.append(repr(analyse(spec, random_board(5), [*METRICS, "nDCG(ideal=list)@5", "KendallTau"])))
    assert found[0] == found[1] == found[2]


def test_metrics_of_ones_own_stay_on_one_thread():
    board = random_board(2)
    own = metrics("P@5")
    assert n_threads_for(board, own) in {1, numba.config.NUMBA_NUM_THREADS}
    kind = type(own[0].metric)
    mine = replace(own[0], metric=type("Mine", (kind,), {"__module__": "mylab.metrics"})())
    assert n_threads_for(board, [*own, mine]) == 1


def test_an_error_on_a_thread_is_raised_and_what_has_not_begun_never_does():
    begun = []

    def work(number: int) -> None:
        begun.append(number)
        if number == 0:
            raise SpecError("nothing is too little")
        time.sleep(0.001)

    with pytest.raises(SpecError, match="nothing is too little"):
        map_on_threads(work, range(2000), "numbers", 2)
    assert len(begun) < 2000


# Refusals


def test_metrics_that_say_nothing_about_judged_items_and_parameters_out_of_bounds_are_refused(approved):
    board, told = random_board(2), {}
    for name in ("sparsity", "popularity"):
        analysis = MetricAnalysis.build(name)
        assert analysis.thins
        for metric in ("Gini@10", "JudgedDepth@10", "ILD@10"):
            told[f"{name} of {metric}"] = refusal(partial(analysis.check, asked(board, ["P@5", metric])), SpecError)
    specs = """
        sparsity(sizes=[50,50]) sparsity(sizes=[50]) sparsity(sizes=[0,50]) sparsity(sizes=[50,101]) sparsity(samples=0)
        sparsity(unit=item) popularity(shares=[5,1,5]) popularity(shares=[0,100]) popularity(of=clicks)
    """
    approved({**told, **{spec: refusal(partial(MetricAnalysis.build, spec), SpecError) for spec in specs.split()}})


def test_the_order_of_points_has_no_meaning():
    assert MetricAnalysis.build("sparsity(sizes=[5,100,50])").spec == MetricAnalysis.build("sparsity(sizes=[100,50,5])").spec
    assert MetricAnalysis.build("popularity(shares=[20,0])").spec == MetricAnalysis.build("popularity(shares=[0,20])").spec
