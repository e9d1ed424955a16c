"""Uniform test item profiles: as many items as possible, each with the same number of test ratings."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from data.splitting.samples import PEOPLE, n_test, split
from recsens import plugins
from recsens.data.datasets import locate, to_interactions
from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.seeds import Stream
from recsens.testing import from_rows
from recsens.vocabulary import Role


def popular(*counts: int) -> Interactions:
    """Return data whose items have these numbers of ratings."""
    return from_rows([[3 if user < count else None for count in counts] for user in range(max(counts))])


def facts(spec: str, data: Interactions) -> dict[str, float]:
    return dict(plugins.build("split", spec).facts(data, split(spec, data)))


def test_items_and_their_number_of_test_ratings_by_hand():
    # In order 10, 8, 4, 4, 2, with r = 28 and ε = .5: f = 5/28, 8/28, 6/28, 8/28, 5/28. It drops, rises among equals, and drops.
    data = popular(2, 8, 4, 10, 4)
    roles = split("uniform(sigma=.25,epsilon=.5)", data)
    assert n_test(roles, data.item).tolist() == [0, 2, 2, 2, 2]
    assert facts("uniform(sigma=.25,epsilon=.5)", data) == {
        "zeta": 4,
        "eta": 2,
        "test_share": pytest.approx(8 / 28),
        "largest_feasible_sigma": pytest.approx(8 / 28),
    }
    # All five items are tested only at a share of 5/28 = .179.
    assert n_test(split("uniform(sigma=.17,epsilon=.5)", data), data.item).tolist() == [1, 1, 1, 1, 1]


def test_a_share_that_is_met_exactly_is_feasible():
    # f(4) = .8 · 10 · 4 / 40 = .8, η = 8; and .8 · 145 is 116, which binary floating point may miss.
    assert n_test(split("uniform(sigma=.8,epsilon=.2)", popular(10, 10, 10, 10)), popular(10, 10, 10, 10).item).tolist() == [8] * 4
    assert facts("uniform(sigma=.8,epsilon=.2)", popular(145, 145))["eta"] == 116


def test_rounding_takes_a_half_up():
    # (1 - .5) · 5 = 2.5.
    assert facts("uniform(sigma=.4,epsilon=.5,rounding=floor)", popular(5, 5))["eta"] == 2
    assert facts("uniform(sigma=.4,epsilon=.5,rounding=round)", popular(5, 5))["eta"] == 3


@given(st.lists(st.integers(1, 40), min_size=1, max_size=20), st.floats(0.01, 0.9), st.floats(0, 0.8))
def test_each_test_item_has_eta_test_ratings_and_keeps_its_share_in_train(counts, sigma, epsilon):
    data = popular(*counts)
    spec = f"uniform(sigma={sigma!r},epsilon={epsilon!r})"
    try:
        roles = split(spec, data)
    except DesignError:
        assume(False)
    told = facts(spec, data)
    test = n_test(roles, data.item)
    assert set(test.tolist()) <= {0, told["eta"]}
    assert (test > 0).sum() == told["zeta"]
    counts = np.array(counts)
    assert (counts[test > 0] - told["eta"] >= epsilon * counts[test > 0] - 1e-6).all()
    # An item that is not tested is less popular than all that are.
    assert counts[test == 0].max(initial=0) < counts[test > 0].min()


def test_a_share_too_large_is_refused_with_the_largest_that_is_feasible():
    data = popular(2, 8, 4, 10, 4)
    with pytest.raises(DesignError) as error:
        split("uniform(sigma=.29,epsilon=.5)", data)
    assert "sigma <= 0.2857 at epsilon = 0.5" in str(error.value)
    split("uniform(sigma=.2857,epsilon=.5)", data)


def test_a_share_so_small_that_items_have_nothing_to_spare_is_refused_with_the_least():
    # With a rating each, (1 - ε) · 1 rounds down to nothing: f(5) = .8 · 5 / 12 > .1.
    data = popular(4, 5, 1, 1, 1)
    with pytest.raises(DesignError) as error:
        split("uniform(sigma=.1)", data)
    assert "none of the last item's ratings (1 in all) can go to test" in str(error.value)
    assert "0.3333 < sigma <= 0.5333" in str(error.value)
    assert n_test(split("uniform(sigma=.34)", data), data.item).tolist() == [3, 3, 0, 0, 0]


def test_where_no_share_is_possible_the_advice_is_to_lower_epsilon():
    # (1 - .8) · 3 = .6 rounds down to nothing for every item; (1 - .5) · 3 = 1.5 leaves one.
    data = popular(3, 3, 3)
    with pytest.raises(DesignError) as error:
        split("uniform(sigma=.1,epsilon=.8)", data)
    assert "raise sigma" not in str(error.value)
    assert "lower epsilon" in str(error.value)
    assert n_test(split("uniform(sigma=.1,epsilon=.5)", data), data.item).tolist() == [1, 1, 1]


def test_every_rating_of_a_test_item_is_as_likely_to_be_tested():
    data = popular(*[8] * 500)
    tested = np.bincount(data.user[split("uniform(sigma=.5,epsilon=.5)", data) == Role.TEST], minlength=8)
    assert (abs(tested - 250) < 4 * np.sqrt(500 * 0.25)).all()


def test_repeats_test_other_ratings_of_the_same_items():
    first, second = (split("uniform(sigma=.1)", PEOPLE, repeat=repeat) for repeat in (0, 1))
    assert (first != second).any()
    np.testing.assert_array_equal(n_test(first, PEOPLE.item), n_test(second, PEOPLE.item))


@pytest.fixture(scope="module")
def movielens(real_data) -> Interactions:
    real_data("ml-1m/ratings.dat")
    dataset = plugins.build("dataset", "movielens(release=1m)")
    return to_interactions(dataset.load(locate(dataset), Stream.of(1)))


@pytest.mark.parametrize(
    ("spec", "zeta", "eta", "share"),
    [
        ("uniform", 1703, 117, 0.1992),
        ("uniform(rounding=round)", 1703, 118, 0.2009),
        ("uniform(epsilon=0)", 2026, 99, 0.2005),
        ("uniform(sigma=.1)", 2514, 40, 0.1005),
    ],
)
def test_on_movielens_1m_the_items_are_those_of_the_thesis(movielens, spec, zeta, eta, share):
    roles = split(spec, movielens)
    test = n_test(roles, movielens.item)
    assert sorted(set(test.tolist())) == [0, eta]
    assert (test > 0).sum() == zeta
    assert (roles == Role.TEST).sum() == zeta * eta
    assert facts(spec, movielens)["test_share"] == pytest.approx(share, abs=5e-5)


def test_on_movielens_1m_no_more_than_26_percent_are_feasible(movielens):
    with pytest.raises(DesignError, match=r"no number of items") as error:
        split("uniform(sigma=.261)", movielens)
    assert "sigma <= 0.2608" in str(error.value)
    with pytest.raises(DesignError, match=r"no number of items"):
        split("uniform(epsilon=.5)", movielens)


def test_on_movielens_1m_feasible_numbers_of_items_are_no_range(movielens):
    # f drops where an item is rated less than the one before it, and rises among equals.
    counts = np.sort(np.bincount(movielens.item))[::-1]
    share = 0.8 * counts * np.arange(1, len(counts) + 1) / counts.sum()
    feasible = 1 + np.flatnonzero(share >= 0.2)
    assert (feasible[0], feasible[-1], len(feasible)) == (312, 1703, 1385)
    assert share.max() == pytest.approx(0.2609, abs=5e-5)
    assert (counts[1702], (counts >= 147).sum()) == (147, 1703)
