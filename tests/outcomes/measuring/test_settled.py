"""Users whose value is the same for every order of their targets, against all orders one by one."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from recsens.files.scale import Scale
from recsens.metrics import parse_measured_at
from recsens.outcomes.measuring.stored_rankings import Cell, RankedUsers
from recsens.outcomes.measuring.tied import SettledUsers, depends_on_ties
from recsens.vocabulary import View

N_USERS = 6


def ranked(seed: int) -> RankedUsers:
    """Users with one to four judged items, of whom some are no targets, and up to three targets that are not judged."""
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(N_USERS, dtype=np.int32), rng.integers(1, 5, N_USERS))
    is_target = rng.random(len(user)) < 0.85
    n_targets = np.bincount(user[is_target], minlength=N_USERS) + rng.integers(0, 4, N_USERS)
    counts = {"targets": n_targets, "scored": n_targets, "train": n_targets, "test": np.bincount(user, minlength=N_USERS)}
    rating = rng.choice([1.0, 3.0, 4.0, 5.0], len(user))
    return RankedUsers(user, np.zeros(len(user), dtype=np.int64), rating, counts, Scale(1, 5, 1), is_target=is_target)


def orders(one: RankedUsers, user: int):
    """Yield the positions of all judged items for each order of one user's targets."""
    rows = np.flatnonzero((one.user == user) & one.is_target)
    for places in permutations(range(1, int(one.counts["targets"][user]) + 1), len(rows)):
        position = np.zeros(len(one.user), dtype=np.int64)
        position[rows] = places
        yield position


@pytest.mark.parametrize("view", ["full", "condensed"])
@pytest.mark.parametrize(
    "metric", ["P@3", "R@2", "nDCG@3", "nDCG(gain=linear)@3", "AP@3", "RR", "Success@1", "RBP@3", "AUC", "KendallTau", "F1@4"]
)
@pytest.mark.parametrize("seed", range(3))
def test_a_user_is_settled_if_every_order_has_the_same_value(metric: str, view: View, seed: int):
    [measured], one = parse_measured_at(metric), ranked(seed)
    assert depends_on_ties(measured.metric)
    cutoffs = (measured.cutoff,)
    expected = measured.metric.at_random(one.unordered(one.judged(view, None), view), cutoffs)
    settled, by_expected = (
        SettledUsers().of(measured.metric, cutoffs, Cell("r", view, None), one, each)[0, :, 0] for each in (None, expected)
    )
    assert (settled == by_expected).all()
    for user in range(N_USERS):
        values = [
            measured.metric.measure(replace(one, position=position).judged(view, None), cutoffs)[user, 0]
            for position in orders(one, user)
        ]
        assert settled[user] == (np.isnan(values).all() or np.ptp(values) < 1e-12), (user, values)


def test_rankings_of_the_same_targets_share_what_is_found(monkeypatch):
    [measured], one, known = parse_measured_at("P@3"), ranked(0), SettledUsers()
    found = known.of(measured.metric, (3,), Cell("a", "full", None), one)
    monkeypatch.setattr(type(measured.metric), "measure", None)
    other = replace(one, position=np.ones(len(one.user), dtype=np.int64))
    assert known.of(measured.metric, (3,), Cell("b", "full", None), other) is found
