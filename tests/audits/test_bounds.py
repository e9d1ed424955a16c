"""Bounds of short lists hold the value of the full ranking, and verdicts on them hold whatever lies below."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from scipy import stats

from recsens.comparison.users import Users
from recsens.files.scale import Scale
from recsens.metrics import parse_measured_at
from recsens.outcomes.measuring.stored_rankings import RankedUsers
from recsens.runs.audits._bounds import AHEAD, HOLDS, OPEN, BoundedVerdict, Ends, bounded, completed, is_significant, verdicts_of
from recsens.runs.audits._sentences import WinCount, below_the_lists, bounded_in_short
from recsens.study.margin import Margin
from recsens.tables.texts import to_json

METRICS = ["nDCG@20", "nDCG(gain=exp)@20", "P@15", "R@20", "AP", "RR", "Success@12"]
N_USERS, N_ITEMS = 10_000, 25
EVERYBODY = Users.build("with_ratings(train=0,test=1)")


def full_rankings(rng: np.random.Generator) -> RankedUsers:
    """Rank all of 25 items for 10,000 users at random, of whom each has rated some."""
    position = rng.permuted(np.tile(np.arange(1, N_ITEMS + 1), (N_USERS, 1)), axis=1)
    is_judged = rng.random((N_USERS, N_ITEMS)) < rng.random((N_USERS, 1))
    is_judged[:, 0] = True
    user, item = np.nonzero(is_judged)
    counts = {name: np.full(N_USERS, N_ITEMS) for name in ("train", "targets", "scored", "filled")}
    return RankedUsers(
        user=user.astype(np.int32),
        position=position[is_judged],
        rating=rng.integers(1, 6, len(user)).astype(np.float64),
        counts={**counts, "test": is_judged.sum(axis=1)},
        scale=Scale(),
        item=item.astype(np.int32),
        is_target=np.ones(len(user), dtype=np.bool_),
    )


def cut(ranked: RankedUsers, depth: np.ndarray) -> RankedUsers:
    """Drop the items below each user's depth."""
    seen = ranked.position <= depth[ranked.user]
    counts = {**ranked.counts, "scored": depth}
    return replace(ranked, position=np.where(seen, ranked.position, 0), counts=counts)


@pytest.mark.parametrize("view", ["full", "condensed"])
def test_bounds_hold_the_value_of_the_full_ranking_in_10000_random_cases(view: str):
    rng = np.random.default_rng(1)
    ranked = full_rankings(rng)
    lists = cut(ranked, rng.integers(1, N_ITEMS + 1, N_USERS))
    for metric in METRICS:
        [measured] = parse_measured_at(metric)
        [ends] = bounded({"A": [lists]}, [(measured, view)], users=EVERYBODY, relevance=4.0, cut=["A", "B"]).values()
        whole = measured.metric.measure(ranked.judged(view, 4.0), (measured.cutoff,))[:, 0]
        assert (ends["A"].low <= whole + 1e-12).all(), metric
        assert (whole <= ends["A"].high + 1e-12).all(), metric


def test_bounds_are_tight_where_nothing_is_hidden():
    ranked = full_rankings(np.random.default_rng(2))
    for best in (False, True):
        assert np.array_equal(completed(ranked, best=best).position, ranked.position)


def test_the_ends_are_reached_by_the_best_and_the_worst_order_below_a_list():
    """One list of two items out of five: the two relevant ones below it stand third and fourth, or fourth and fifth."""
    ranked = RankedUsers(
        user=np.zeros(3, dtype=np.int32),
        position=np.array([2, 0, 0]),
        rating=np.array([1.0, 5.0, 4.0]),
        counts={name: np.array([n]) for name, n in {"train": 1, "test": 3, "targets": 5, "scored": 2, "filled": 0}.items()},
        scale=Scale(),
        is_target=np.ones(3, dtype=np.bool_),
    )
    [measured] = parse_measured_at("RR")
    [ends] = bounded({"A": [ranked]}, [(measured, "full")], users=EVERYBODY, relevance=4.0, cut=["A", "B"]).values()
    assert (ends["A"].low[0, 0], ends["A"].high[0, 0]) == (1 / 4, 1 / 3)


def test_a_win_that_holds_whatever_lies_below_is_significant_at_every_corner():
    rng = np.random.default_rng(3)
    n_held = 0
    for _ in range(200):
        low = rng.normal(0.6, 1.0, 12)
        high = low + rng.random(12) * rng.choice([0, 0.3, 3.0])
        if is_significant(low, high, 0.05):
            n_held += 1
            corners = np.where(rng.random((300, 12)) < rng.random((300, 1)), low, high)
            found = stats.ttest_1samp(corners, 0, axis=1)
            assert ((found.statistic > 0) & (found.pvalue < 0.05)).all()
    assert 20 < n_held < 180


def test_without_width_a_win_is_that_of_the_t_test():
    rng = np.random.default_rng(4)
    for _ in range(100):
        delta = rng.normal(0.4, 1.0, 20)
        found = stats.ttest_1samp(delta, 0)
        if abs(found.pvalue - 0.05) > 0.002:
            assert is_significant(delta, delta, 0.05) == (found.statistic > 0 and found.pvalue < 0.05)


def test_one_large_hidden_value_can_undo_a_win_that_both_ends_show():
    """Raising one difference raises the mean and the variance more: the verdict is about every order, not about two."""
    low = np.array([0.50, 0.55, 0.45, 0.50, 0.52, 0.48])
    high = low + np.array([0, 0, 0, 0, 0, 50.0])
    assert stats.ttest_1samp(low, 0).pvalue < 0.05 < stats.ttest_1samp(high, 0).pvalue
    assert not is_significant(low, high, 0.05)


def test_what_cut_lists_decide_and_leave_open_is_counted_and_named():
    open_ = [BoundedVerdict(metric, "full", "A", "B", -1, 1, "", OPEN) for metric in ("AP", "RR")]
    known = BoundedVerdict("nDCG", "condensed", "A", "B", 0.1, 1, "A", HOLDS)
    few, *more = bounded_in_short(10, [*open_, known], [WinCount("A", "B", won=3, neither=1, lost=1)])
    assert few.startswith(
        "The lists end after 10 items, so 3 further comparisons, on AP, RR and nDCG on condensed lists, have bounds"
    )
    assert more == ["Whatever items follow, the system that wins more analyses wins one comparison.", "2 cannot be told."]
    assert bounded_in_short(10, [], []) == []


def test_a_lead_below_the_lists_against_the_wins_above_is_named():
    ahead = [BoundedVerdict("nDCG", "condensed", "C", loser, 0.1, 1, "C", AHEAD) for loser in "AB"]
    wins = [WinCount("A", "C", won=3, neither=1, lost=0), WinCount("B", "C", won=3, neither=1, lost=0)]
    _, against = bounded_in_short(10, ahead, wins)
    assert against == ("But whatever items follow, on nDCG on condensed lists: C is ahead of A and B, perhaps not significantly.")
    many = [BoundedVerdict(f"nDCG@{n}", "full", "C", "A", 0.1, 1, "C", HOLDS) for n in range(9)]
    assert bounded_in_short(10, many, wins)[-1] == (
        "In 9 comparisons, a system wins or is ahead that does not win more analyses of its pair."
    )


def test_a_lead_in_a_pair_without_a_winner_contradicts_nothing():
    ahead = [BoundedVerdict(metric, "full", "A", "B", 0.1, 1, "A", AHEAD) for metric in ("AP", "RR")]
    _, said = bounded_in_short(10, ahead, [WinCount("A", "B", won=0, neither=5, lost=0)])
    assert said == "Whatever items follow, on AP and RR: A is ahead of B, perhaps not significantly."
    open_ = [BoundedVerdict("AP", "full", "A", "B", -1, 1, "", OPEN)]
    assert bounded_in_short(10, open_, [])[1:] == ["None can be told."]


def test_wins_and_leads_whatever_lies_below_are_collected_by_metric():
    found = [
        *(BoundedVerdict(metric, "full", "A", loser, 0.1, 1, "A", HOLDS) for metric in ("AP", "RR") for loser in "BC"),
        BoundedVerdict("AP", "full", "B", "C", -1, -0.1, "C", AHEAD),
        BoundedVerdict("RR", "full", "B", "C", -1, 0.1, "", OPEN),
    ]
    assert below_the_lists(20, found) == [
        "Whatever items follow the first 20, on AP and RR: A beats B and C.",
        "Whatever items follow the first 20, on AP: C is ahead of B, perhaps not significantly.",
    ]


@pytest.mark.parametrize(("n_first", "n_second"), [(700, 700), (300, 1_100)])
def test_differences_are_over_the_users_whom_both_runs_admit(n_first: int, n_second: int):
    """The runs lack the lists of different users, equally many or not, on two folds."""
    rng = np.random.default_rng(6)
    [measured] = parse_measured_at("AUC(undefined=skip)")
    whole: dict[str, list[np.ndarray]] = {"A": [], "B": []}
    lists: dict[str, list[RankedUsers]] = {"A": [], "B": []}
    for _ in range(2):
        ranked = full_rankings(rng)
        absent = rng.permutation(N_USERS)
        for system, lacks in (("A", absent[:n_first]), ("B", absent[-n_second:])):
            order = 1 + rng.permutation(N_ITEMS)
            ranked = replace(ranked, position=order[ranked.position - 1])
            depth = rng.integers(1, N_ITEMS + 1, N_USERS)
            depth[lacks] = 0
            values = measured.metric.measure(ranked.judged("full", 4.0), (measured.cutoff,))[:, 0]
            values[lacks] = np.nan
            whole[system].append(values)
            lists[system].append(cut(ranked, depth))
    ends = bounded(lists, [(measured, "full")], users=EVERYBODY, relevance=4.0, cut=["A", "B"])
    delta = np.stack(whole["A"]) - np.stack(whole["B"])
    true = np.nanmean(delta, axis=1).mean()
    [verdict] = verdicts_of(ends, [("A", "B")], 0.05, Margin())
    assert verdict.low <= true <= verdict.high
    known = {system: Ends(np.stack(values), np.stack(values), 0, 0) for system, values in whole.items()}
    [verdict] = verdicts_of({(measured, "full"): known}, [("A", "B")], 0.05, Margin())
    assert (verdict.low, verdict.high) == pytest.approx((true, true), abs=1e-12)


def test_runs_without_a_common_user_have_no_difference():
    [measured] = parse_measured_at("AUC(undefined=skip)")
    own = {"A": np.array([[0.5, np.nan]]), "B": np.array([[np.nan, 0.5]])}
    ends = {(measured, "full"): {system: Ends(values, values, 0.5, 0.5) for system, values in own.items()}}
    [verdict] = verdicts_of(ends, [("A", "B")], 0.05, Margin())
    assert np.isnan([verdict.low, verdict.high]).all()
    assert (verdict.winner, verdict.verdict) == ("", OPEN)
    written = json.loads(to_json(asdict(verdict)))
    assert (written["low"], written["high"], written["verdict"]) == (None, None, OPEN)


def test_verdicts_name_the_run_that_is_ahead():
    ranked = full_rankings(np.random.default_rng(5))
    better = cut(ranked, np.full(N_USERS, 20))
    worse = replace(better, position=np.where(better.position > 0, 21 - better.position, 0))
    relevant_first = replace(better, position=completed(cut(ranked, np.ones(N_USERS, dtype=np.int64)), best=True).position)
    [measured] = parse_measured_at("RR")
    ends = bounded({"A": [relevant_first], "B": [worse]}, [(measured, "full")], users=EVERYBODY, relevance=4.0, cut=["A", "B"])
    [verdict] = verdicts_of(ends, [("A", "B")], 0.05, Margin())
    assert (verdict.winner, verdict.verdict) == ("A", "wins whatever lies below")
    [reversed_] = verdicts_of(ends, [("B", "A")], 0.05, Margin())
    assert (reversed_.winner, reversed_.low) == ("A", -verdict.high)
