"""Simulated data: sizes, shape, truth, missingness, popularity curve, determinism."""

import re
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsens import plugins
from recsens.data.datasets import Loaded
from recsens.data.datasets import _simulation as race_module
from recsens.data.datasets import simulated as module
from recsens.data.datasets._kernels import TILE
from recsens.data.datasets._simulation import (
    Preferences,
    Race,
    activity_curve,
    draw_stars,
    expected_stars,
    log_weights,
    open_interval,
    power_law_curve,
    rate_all,
    round_to_total,
)
from recsens.data.datasets.simulated import HISTOGRAMS, Simulated, rating_times
from recsens.errors import DesignError, SpecError
from recsens.plugins import build
from recsens.seeds import Stream

STREAM = Stream.of(1, "simulated")
SMALL = {"users": 120, "items": 200, "ratings": 4000}


@cache
def simulated(**parameters: object) -> Loaded:
    """Simulate data once for all tests."""
    return Simulated(**parameters).load([], STREAM)


@pytest.fixture(scope="module")
def default() -> Loaded:
    return simulated()


@pytest.fixture(scope="module")
def truth() -> dict[str, np.ndarray]:
    return dict(Simulated().truth(STREAM))


def gini(counts):
    ordered = np.sort(counts)
    n = len(ordered)
    return ((2 * np.arange(1, n + 1) - n - 1) * ordered).sum() / (n * ordered.sum())


def item_counts(loaded):
    return np.bincount(loaded.item, minlength=len(loaded.item_ids))


def user_counts(loaded):
    return np.bincount(loaded.user, minlength=len(loaded.user_ids))


class TestShape:
    def test_default_has_the_size_of_movielens_100k(self, default):
        assert (len(default.user_ids), len(default.item_ids), len(default.rating)) == (943, 1682, 100_000)

    def test_ratings_per_user_have_the_minimum_median_and_tail_of_movielens_100k(self, default):
        counts = user_counts(default)
        assert counts.min() == 20
        assert 60 <= np.median(counts) <= 70
        assert 650 <= counts.max() <= 0.45 * 1682 + 1

    def test_item_counts_are_as_unequal_as_in_movielens_100k(self, default):
        counts = item_counts(default)
        assert gini(counts) == pytest.approx(0.629, abs=0.025)
        assert counts.min() == 1
        assert 430 <= counts.max() <= 600

    def test_stars_are_distributed_as_in_movielens_100k(self, default):
        shares = np.bincount(default.rating.astype(int), minlength=6)[1:] / len(default.rating)
        assert shares == pytest.approx(HISTOGRAMS["ml-100k"], abs=0.02)

    def test_codes_are_unrelated_to_popularity_and_activity(self, default):
        for counts in (item_counts(default), user_counts(default)):
            assert abs(np.corrcoef(np.arange(len(counts)), counts)[0, 1]) < 4 / np.sqrt(len(counts))

    def test_popular_items_are_liked_better(self, default):
        counts = item_counts(default)
        means = np.bincount(default.item, default.rating) / counts
        often = counts >= 20
        assert 0.3 < np.corrcoef(means[often], np.log(counts[often]))[0, 1] < 0.6

    @settings(max_examples=25)
    @given(
        users=st.integers(2, 60),
        items=st.integers(80, 160),
        fill=st.floats(0, 1),
        preferences=st.sampled_from(["lowrank", "none"]),
        alpha=st.floats(0, 2),
        mnar=st.floats(0, 5),
        seed=st.integers(0, 2**32),
    )
    def test_every_feasible_size_is_reached_exactly(self, users, items, fill, preferences, alpha, mnar, seed):
        least = max(items, 20 * users if preferences == "lowrank" else 0)
        most = users * items // 4
        if least > most:
            return
        ratings = least + round(fill * (most - least))
        component = Simulated(preferences=preferences, users=users, items=items, ratings=ratings, alpha=alpha, mnar=mnar)
        loaded = component.load([], Stream.of(seed))
        pairs = loaded.user.astype(np.int64) * items + loaded.item
        assert len(pairs) == ratings
        assert (np.diff(pairs) > 0).all(), "sorted by user, then by item, with each pair once"
        assert item_counts(loaded).min() >= 1
        assert preferences == "none" or user_counts(loaded).min() >= 20
        assert np.isin(loaded.rating, [1, 2, 3, 4, 5]).all()

    def test_names_sort_as_codes_do(self, default):
        assert default.user_ids[0] == "u001"
        assert default.item_ids[-1] == "i1682"
        assert list(default.user_ids) == sorted(default.user_ids)
        assert list(default.item_ids) == sorted(default.item_ids)


class TestTruth:
    def test_an_observed_rating_is_the_true_one(self, default, truth):
        assert (truth["rating"][default.user, default.item] == default.rating).all()

    def test_an_observed_rating_without_preferences_is_the_true_one(self):
        component = Simulated(preferences="none", **SMALL)
        loaded = component.load([], STREAM)
        assert (component.truth(STREAM)["rating"][loaded.user, loaded.item] == loaded.rating).all()

    def test_arrays_have_the_declared_shape_and_type(self, truth):
        assert truth["rating"].shape == truth["preference"].shape == (943, 1682)
        assert (truth["rating"].dtype, truth["preference"].dtype) == (np.uint8, np.float32)

    def test_preference_is_the_expectation_of_the_rating(self, truth):
        expected, given_stars = truth["preference"].ravel(), truth["rating"].ravel()
        for low in np.arange(1.0, 4.6, 0.5):
            here = (expected >= low) & (expected < low + 0.5)
            assert given_stars[here].mean() == pytest.approx(expected[here].mean(), abs=0.02)

    def test_expected_stars_at_a_cut_by_hand(self):
        # Far below all cuts: one star. Far above: five. Between: 1 + the sum of P(x + noise > cut), .5 for the cut itself.
        assert expected_stars(np.array([-50.0, 50.0])) == pytest.approx([1, 5])
        at_first_cut = expected_stars(np.array([-0.87]))[0]
        # z = .71/.87, 1.65/.87, 2.78/.87 standard deviations below the other cuts: upper tails .2072, .0289, .0007
        assert at_first_cut == pytest.approx(1 + 0.5 + 0.2072 + 0.0289 + 0.0007, abs=2e-4)

    def test_stars_without_noise_follow_the_cuts(self, monkeypatch):
        monkeypatch.setattr("recsens.data.datasets._simulation._NOISE", 0.0)
        latent = np.array([-1.0, -0.5, 0.0, 1.0, 2.0])
        assert draw_stars(latent, np.arange(5), np.zeros(5, dtype=np.int64), STREAM).tolist() == [1, 2, 3, 4, 5]

    def test_truth_does_not_depend_on_what_is_observed(self):
        base = Simulated(**SMALL).truth(STREAM)["rating"]
        for other in ({"mnar": 0}, {"alpha": 1.2}, {"c1": 0, "c2": 5}, {"ratings": 5000}):
            assert (Simulated(**{**SMALL, **other}).truth(STREAM)["rating"] == base).all()

    def test_a_truth_beyond_memory_is_refused_with_the_limit(self):
        large = Simulated(users=138_000, items=27_000, ratings=20_000_000)
        with pytest.raises(DesignError, match=r"3,726,000,000 pairs(.|\n)*100,000,000"):
            large.truth(STREAM)


class TestMissingness:
    def test_strength_raises_the_mean_observed_rating_above_the_mean_of_the_same_items(self, truth):
        gaps, of_item = [], truth["rating"].mean(axis=0)
        for mnar in (0.0, 1.0, 2.2, 4.0):
            loaded = simulated(mnar=mnar)
            gaps.append(loaded.rating.mean() - of_item[loaded.item].mean())
        assert gaps[0] == pytest.approx(0, abs=0.05)
        assert np.diff(gaps).min() > 0.05

    def test_strength_leaves_popularity_and_activity_as_they_are(self):
        weak, strong = (simulated(mnar=mnar) for mnar in (0.0, 4.0))
        assert (user_counts(weak) == user_counts(strong)).all()
        assert gini(item_counts(weak)) == pytest.approx(gini(item_counts(strong)), abs=0.02)
        assert np.corrcoef(np.log(item_counts(weak)), np.log(item_counts(strong)))[0, 1] > 0.95

    def test_users_rate_what_they_like_more_often(self, default, truth):
        preference = truth["preference"] - truth["preference"].mean(axis=0)
        preference = preference - preference.mean(axis=1, keepdims=True)
        assert preference[default.user, default.item].mean() > 0.2


class TestPopularityCurve:
    def test_alpha_zero_without_preferences_gives_uniform_counts(self):
        counts = item_counts(simulated(preferences="none", alpha=0))
        # 100,000 / 1,682 = 59.45...: every item has 59 or 60.
        assert set(counts.tolist()) == {59, 60}

    def test_alpha_zero_with_tastes_gives_nearly_uniform_counts(self):
        assert gini(item_counts(simulated(alpha=0))) < 0.12

    def test_alpha_steepens_the_curve(self):
        def inequality(alpha):
            return gini(item_counts(simulated(preferences="none", alpha=alpha, c1=0, c2=40)))

        values = [inequality(alpha) for alpha in (0.0, 0.5, 1.0, 1.5, 2.0)]
        assert np.diff(values).min() > 0.05

    def test_curve_by_hand(self):
        # m = 10, c1 m = 2, c2 = 1, alpha = 1: 2 + β/2, 2 + β/3, 2 + β/4 add up to 30 for β = 24 · 12/13.
        curve = power_law_curve(3, 30, alpha=1, c1=0.2, c2=1, highest=100)
        beta = 24 * 12 / 13
        assert curve == pytest.approx([2 + beta / 2, 2 + beta / 3, 2 + beta / 4])

    def test_curve_stays_between_one_and_the_highest(self):
        # m = 6: -12 + β (1, 1/2, 1/3, 1/4). The first is held at 12, the last at 1: -24 + 5/6 β = 24 - 13, hence β = 42.
        curve = power_law_curve(4, 24, alpha=1, c1=-2, c2=0, highest=12)
        assert curve == pytest.approx([12, 9, 2, 1])

    def test_rounding_keeps_the_total_and_gives_the_largest_remainders_more(self):
        assert round_to_total(np.array([1.2, 2.7, 3.1]), 7).tolist() == [1, 3, 3]
        assert round_to_total(np.array([2.5, 2.5, 2.5, 2.5]), 10).tolist() == [3, 3, 2, 2]


class TestExposure:
    def test_activity_starts_at_twenty_and_keeps_total_and_bound(self):
        counts = activity_curve(943, 1682, 100_000)
        assert counts[0] == 20
        assert counts.sum() == 100_000
        assert (np.diff(counts) >= -1).all()
        assert counts.max() <= np.ceil(0.45 * 1682)

    def test_weights_reproduce_both_margins(self):
        targets = np.array([9.0, 6.0, 3.0, 2.0])
        activity = np.array([1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 3.0, 3.0])
        weights = np.exp(log_weights(targets, activity, np.zeros((10, 4))))
        assert (np.diff(weights) < 0).all()
        # A user's λ makes the inclusion probabilities add up to the user's activity; over users, they add up to each item's target.
        lengths = np.array([_length(weights, n) for n in activity])
        assert (1 - np.exp(-lengths[:, None] * weights)).sum(axis=0) == pytest.approx(targets, rel=0.02)

    def test_an_unrated_item_takes_the_place_of_the_runner_ups_last_item_that_others_rate_too(self):
        user = np.array([0, 0, 1, 1])
        item = np.array([0, 1, 0, 2])
        # Item 3 is unrated; user 0 came closest to rating it and drops item 0 (which user 1 rated too), although item 1 came last.
        rate_all(user, item, np.array([0.9, 0.1, 0.8, 0.7]), np.array([0, 0, 1, 0]))
        assert item.tolist() == [3, 1, 0, 2]

    def test_someone_else_gives_way_where_the_runner_up_cannot(self):
        user = np.array([0, 1, 1, 2])
        item = np.array([0, 1, 2, 1])
        rate_all(user, item, np.array([0.5, 0.9, 0.8, 0.7]), np.array([0, 1, 1, 0]))
        assert item.tolist() == [0, 1, 2, 3]


def _length(weights, activity):
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if (1 - np.exp(-middle * weights)).sum() < activity else (low, middle)
    return low


class TestWithoutPreferences:
    @pytest.mark.parametrize("like", HISTOGRAMS)
    def test_stars_are_drawn_from_the_histogram(self, like):
        loaded = simulated(preferences="none", histogram=like)
        shares = np.bincount(loaded.rating.astype(int), minlength=6)[1:] / len(loaded.rating)
        # Four standard errors of a share of .34 among 100,000.
        assert shares == pytest.approx(HISTOGRAMS[like], abs=4 * np.sqrt(0.34 * 0.66 / 100_000))

    def test_shares_of_stars_add_up_to_one(self):
        assert [sum(shares) for shares in HISTOGRAMS.values()] == pytest.approx([1, 1], abs=2e-5)

    def test_a_histogram_that_tastes_would_ignore_is_refused(self):
        with pytest.raises(SpecError, match="has an effect only with preferences=none"):
            build("dataset", "simulated(histogram=ml-1m)")

    def test_popularity_is_worth_what_the_curve_is_skewed_and_below_chance_without_skew(self):
        # Without skew, items with more train ratings than expected have fewer left for the test set: Bellogin, section 4.5.2.
        hits = [_popularity_hits(simulated(preferences="none", alpha=alpha, c1=-0.3, c2=200)) for alpha in (0, 1, 2)]
        chance = 21.2 / (1682 - 84.8)
        assert hits[0] < chance
        assert hits[1] > 3 * chance
        assert hits[2] > 1.2 * hits[1]

    def test_users_are_drawn_uniformly(self):
        counts = user_counts(simulated(preferences="none", alpha=0))
        # Each item's 59.45 of 943 users: variance 100,000/943 · (1 - 59.45/943) = 99.4.
        assert counts.var() == pytest.approx(99.4, rel=0.2)

    def test_neighbours_know_nothing_where_there_is_no_preference(self):
        hits = {kind: _neighbour_hits(simulated(preferences=kind, alpha=0)) for kind in ("none", "lowrank")}
        # Chance: 21.2 test items among 1,682 - 84.8 candidates, 13 in 1,000; four standard errors of 9,430 draws are 5 in 1,000.
        assert hits["none"] == pytest.approx(21.2 / (1682 - 84.8), abs=0.005)
        assert hits["lowrank"] > 3 * hits["none"]


def _popularity_hits(loaded):
    """P@10, any rating relevant, of popularity at a random 80/20 split."""
    train, test = _sides(loaded)
    return _hits(np.broadcast_to((train > 0).sum(axis=0), train.shape), train, test)


def _neighbour_hits(loaded):
    """P@10, any rating relevant, of 50 nearest neighbours by cosine at a random 80/20 split."""
    train, test = _sides(loaded)
    unit = train / np.linalg.norm(train, axis=1, keepdims=True)
    likeness = unit @ unit.T
    np.fill_diagonal(likeness, 0)
    likeness[likeness < -np.partition(-likeness, 49, axis=1)[:, 49:50]] = 0
    return _hits(likeness @ train, train, test)


def _sides(loaded):
    """Return the train ratings and which pairs are in the test set, users by items."""
    in_train = Stream.of(7).uniform(loaded.user, loaded.item) < 0.8
    train, test = (np.zeros((len(loaded.user_ids), len(loaded.item_ids))) for _ in range(2))
    train[loaded.user[in_train], loaded.item[in_train]] = loaded.rating[in_train]
    test[loaded.user[~in_train], loaded.item[~in_train]] = 1
    return train, test


def _hits(scores, train, test):
    scores = np.where(train > 0, -np.inf, scores)
    best = np.argpartition(-scores, 10, axis=1)[:, :10]
    return np.take_along_axis(test, best, axis=1).mean()


class TestTimes:
    def test_times_increase_strictly_within_a_user(self, default):
        order = np.lexsort((default.timestamp, default.user))
        later = np.diff(default.timestamp[order])[np.diff(default.user[order]) == 0]
        assert later.min() >= 1
        assert default.timestamp.min() >= 946_684_800

    def test_popular_items_come_first(self, default):
        order = np.lexsort((default.timestamp, default.user))
        counts = user_counts(default)
        place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
        popularity = np.log(item_counts(default)[default.item[order]])
        assert popularity[place < 10].mean() > popularity[place >= 10].mean() + 0.3

    def test_users_without_ratings_are_no_obstacle(self):
        times = rating_times(np.array([1, 1, 4]), 6, STREAM)
        assert times[1] > times[0]
        assert times.shape == (3,)


class TestStreams:
    def test_the_same_stream_gives_the_same_data_and_another_does_not(self):
        component = Simulated(**SMALL)
        first, second, other = (component.load([], stream) for stream in (STREAM, STREAM, Stream.of(2, "simulated")))
        for name in ("user", "item", "rating", "timestamp"):
            assert (getattr(first, name) == getattr(second, name)).all()
        assert (first.item != other.item).any()

    @pytest.mark.parametrize("preferences", ["lowrank", "none"])
    def test_blocks_do_not_matter(self, monkeypatch, preferences):
        component = Simulated(preferences=preferences, **SMALL)
        whole, whole_truth = component.load([], STREAM), component.truth(STREAM)
        monkeypatch.setattr(module, "_BLOCK", 1000)
        cut, cut_truth = component.load([], STREAM), component.truth(STREAM)
        for name in ("user", "item", "rating", "timestamp"):
            assert (getattr(whole, name) == getattr(cut, name)).all()
        for name, array in whole_truth.items():
            assert (array == cut_truth[name]).all()

    def test_more_factors_keep_the_earlier_ones(self):
        few, many = (Preferences.draw(30, 90, factors, STREAM) for factors in (3, 8))
        assert (few.tastes == many.tastes[:3]).all()
        assert (few.quality == many.quality).all()
        assert few.traits / few.traits[0, 0] == pytest.approx(many.traits[:3] / many.traits[0, 0])


class TestParameters:
    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("simulated(ratings=500)", "allowed: 18860"),
            ("simulated(users=10)", "to 4205"),
            ("simulated(preferences=none,ratings=1000)", "allowed: 1682"),
            ("simulated(mnar=-1)", "mnar"),
            ("simulated(alpha=2.5)", "alpha"),
            ("simulated(c1=1)", "c1"),
        ],
    )
    def test_what_cannot_be_simulated_is_refused_by_name(self, spec, message):
        with pytest.raises(SpecError, match=message):
            build("dataset", spec)

    def test_the_example_of_too_few_items_says_how_many_are_enough(self):
        with pytest.raises(SpecError, match=r"need 1000 ratings .* pairs is 750\. Use at least 4 users and 80 items"):
            build("dataset", "simulated(users=50,items=60,ratings=500)")
        with pytest.raises(SpecError, match=r"quarter of all pairs is 45\. Use at least 4 users"):
            build("dataset", "simulated(preferences=none,users=3,items=60,ratings=60)")

    @pytest.mark.parametrize("preferences", ["lowrank", "none"])
    def test_no_refusal_names_an_empty_range(self, preferences):
        for users, items in product([2, 3, 4, 5, 50], [2, 3, 4, 5, 60, 79, 80, 81, 400]):
            size = f"preferences={preferences},users={users},items={items}"
            with pytest.raises(SpecError, match="simulate") as refused:
                build("dataset", f"simulated({size},ratings=100000)")
            for bounds in re.findall(r"from (\d+) .* to (\d+) ", str(refused.value)):
                least, most = map(int, bounds)
                assert least <= most
                assert build("dataset", f"simulated({size},ratings={least})").ratings == least
                assert build("dataset", f"simulated({size},ratings={most})").ratings == most


class TestRace:
    @pytest.mark.parametrize(
        ("n_users", "n_items", "factors", "mnar"),
        [(2, 1, 1, 2.2), (5, TILE, 3, 0.0), (7, 3 * TILE + 5, 20, 5.0), (40, TILE - 1, 64, 1.0)],
    )
    def test_kernels_compute_the_bytes_of_the_definitions(self, n_users, n_items, factors, mnar):
        preferences = Preferences.draw(n_users, n_items, factors, STREAM)
        weights = STREAM.generator().standard_normal(n_items)
        race, user = Race(STREAM, preferences, weights, mnar), np.arange(1, n_users)
        draws, sums = race.compiled_terms(user)
        pairs = user[:, None], np.arange(n_items)
        assert draws.tobytes() == open_interval(STREAM.uniform(*pairs)).tobytes()
        assert sums.tobytes() == (weights + preferences.affinity(*pairs, mnar)).tobytes()
        assert [draws.tobytes(), sums.tobytes()] == [each.tobytes() for each in race.terms(user)]

    def test_kernels_do_not_affect_the_ratings(self, monkeypatch):
        without = Simulated(**SMALL).load([], STREAM)
        monkeypatch.setattr(race_module, "_MANY", 0)
        compiled = Simulated(**SMALL).load([], STREAM)
        for name in ("user", "item", "rating", "timestamp"):
            assert getattr(compiled, name).tobytes() == getattr(without, name).tobytes()


def test_replicates_have_streams_of_their_own_and_the_first_is_the_data_set_as_it_was():
    names = [plugins.build("dataset", spec).identity for spec in ("simulated", "simulated(replicate=0)", "simulated(replicate=2)")]
    assert names == ["simulated", "simulated", "simulated 2"]
    # The data sets of a replicate share their draws, whatever else a sweep varies.
    assert plugins.build("dataset", "simulated(replicate=2,mnar=0)").identity == "simulated 2"
