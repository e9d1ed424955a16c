"""URisk, TRisk, GeoRisk and standardised scores, worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given

from comparison.aggregation.panels import THREE, panels, scores
from recsens import plugins
from recsens.comparison.aggregation.averages import Mean
from recsens.comparison.aggregation.risk import GeoRisk, TRisk, URisk
from recsens.comparison.aggregation.standardised import Standardised
from recsens.errors import DesignError, SpecError

GAINS = scores([[0.5, 0.5, 0.5, 0.5, 0.5], [0.6, 0.4, 0.4, 0.5, 0.8]])
"""B gains .1, -.1, -.1, 0 and .3 on A."""


# Against a baseline


@pytest.mark.parametrize(("alpha", "urisk", "trisk"), [(0, 0.04, 0.534522), (1, 0.0, 0.0), (5, -0.16, -0.860165)])
def test_the_vectors_of_risk_against_a_baseline(alpha, urisk, trisk):
    for baseline in ("A", None):
        assert URisk(alpha=alpha, baseline=baseline).aggregate(GAINS) == pytest.approx([0, urisk], abs=1e-12)
        assert TRisk(alpha=alpha, baseline=baseline).aggregate(GAINS) == pytest.approx([0, trisk], abs=5e-7)


def test_what_is_tested_are_the_terms_of_urisk():
    for kind in (URisk, TRisk):
        assert kind(alpha=5, baseline="A").tested(GAINS)[1] == pytest.approx([0.1, -0.6, -0.6, 0, 0.3])


def test_any_system_can_be_the_baseline():
    assert URisk(alpha=0, baseline="B").aggregate(GAINS) == pytest.approx([-0.04, 0])
    assert URisk(baseline="B").named_systems == ("B",)
    assert URisk().named_systems == ()


def test_users_that_do_not_count_for_the_baseline_are_left_out():
    panel = scores([[0.5, 9, 0.5], [0.6, 0.4, 9], [0.1, 0.2, 0.3]], [[1, 0, 1], [1, 1, 0], [1, 1, 1]])
    assert URisk(alpha=0).aggregate(panel) == pytest.approx([0, 0.1, (-0.4 - 0.2) / 2])
    assert np.isnan(URisk().tested(panel)).tolist() == [[False, True, False], [False, True, True], [False, True, False]]


def test_a_gain_that_is_the_same_for_all_has_no_error_to_be_measured_in():
    panel = scores([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    zero, same = TRisk().aggregate(panel)
    assert zero == 0
    assert math.isnan(same)


def test_the_risk_of_a_single_user_is_not_a_number():
    assert math.isnan(TRisk().aggregate(scores([[0.1], [0.2]]))[1])


def test_trisk_is_the_statistic_of_a_t_test_of_the_gains():
    rng = np.random.default_rng(0)
    panel = scores(rng.random((2, 30)).tolist())
    gains = URisk(alpha=2).tested(panel)[1]
    assert TRisk(alpha=2).aggregate(panel)[1] == pytest.approx(gains.mean() / (gains.std(ddof=1) / math.sqrt(30)))


@given(panels(n_systems=2))
def test_without_aversion_urisk_is_the_difference_of_means(panel):
    both = np.tile(panel.counts.all(axis=0), (2, 1))
    means = Mean().aggregate(scores(panel.values.tolist(), both.tolist()))
    found = URisk(alpha=0).aggregate(panel)
    np.testing.assert_allclose(found[1], means[1] - means[0], atol=1e-12)


@given(panels())
def test_more_aversion_is_never_more_forgiving(panel):
    mild, strict = URisk(alpha=0.5).aggregate(panel), URisk(alpha=3).aggregate(panel)
    some = ~np.isnan(mild)
    assert (strict[some] <= mild[some]).all()


@pytest.mark.parametrize("spec", ["urisk(baseline=D)", "trisk(baseline=D)", "standardised(pool=[A,D])"])
def test_a_system_that_nobody_knows_is_refused(spec):
    with pytest.raises(DesignError, match="'D' is not one of the systems"):
        plugins.build("aggregate", spec).aggregate(scores(THREE))


# Against all systems


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [(0, [0.341082, 0.317537, 0.350363]), (1, [0.325929, 0.309129, 0.345138]), (5, [0.261460, 0.273678, 0.323492])],
)
def test_the_vectors_of_georisk(alpha, expected):
    assert GeoRisk(alpha=alpha).aggregate(scores(THREE)) == pytest.approx(expected, abs=5e-7)


def test_users_with_whom_everybody_scores_zero_change_nothing():
    longer = [[*row, 0, 0] for row in THREE]
    assert GeoRisk().aggregate(scores(longer)) == pytest.approx(GeoRisk().aggregate(scores(THREE)))


def test_users_that_do_not_count_for_every_system_are_left_out_of_georisk():
    panel = scores([[*row, 0.9] for row in THREE], [[1] * 6, [1] * 6, [1, 1, 1, 1, 1, 0]])
    assert GeoRisk().aggregate(panel) == pytest.approx(GeoRisk().aggregate(scores(THREE)))


def test_a_system_alone_does_as_is_expected_of_it():
    # z = 0 for every user, so half of the mean is under the root.
    assert GeoRisk(alpha=7).aggregate(scores([[0.5, 0.3, 0.1]])) == pytest.approx(math.sqrt(0.3 / 2))


def test_a_system_that_never_scores_has_no_georisk_worth_speaking_of():
    assert GeoRisk().aggregate(scores([[0, 0], [0.5, 0.1]]))[0] == 0
    assert GeoRisk().aggregate(scores([[0, 0], [0, 0]])).tolist() == [0, 0]


def test_a_share_of_a_negative_sum_is_refused():
    with pytest.raises(DesignError, match=r"a user's value is -0\.2"):
        GeoRisk().aggregate(scores([[0.1, -0.2], [0.3, 0.4]]))


def test_georisk_has_no_terms_so_that_values_are_tested():
    np.testing.assert_array_equal(GeoRisk().tested(scores(THREE)), THREE)


# Against a pool


def test_the_vector_of_standardised_scores():
    for pool in (None, ("A", "B", "C")):
        assert Standardised(pool=pool).aggregate(scores(THREE)) == pytest.approx([0.436009, 0.471153, 0.611443], abs=5e-7)


def test_what_is_tested_averages_to_the_standardised_score():
    panel = scores(THREE)
    assert Standardised().tested(panel).mean(axis=1) == pytest.approx(Standardised().aggregate(panel))


def test_a_user_with_whom_the_pool_agrees_says_nothing():
    # 0.1 + 0.2 differs from 0.3 only in its last bit.
    panel = scores([[0.1 + 0.2, 0.2], [0.3, 0.4], [0.9, 0.3]])
    assert Standardised(pool=("A", "B")).tested(panel)[:, 0].tolist() == [0.5, 0.5, 0.5]


def test_a_system_outside_the_pool_is_measured_by_it():
    # The pool's mean is .3 and its deviation .1 √2: C lies two of them above.
    panel = scores([[0.2], [0.4], [0.3 + 0.2 * math.sqrt(2)]])
    assert Standardised(pool=("A", "B")).aggregate(panel)[2] == pytest.approx(0.977250, abs=5e-7)


def test_users_that_do_not_count_for_the_whole_pool_are_left_out():
    panel = scores(
        [[0.2, 0.9, 0.3], [0.4, 0.1, 0.3], [0.3, 0.5, 0.9]],
        [[1, 0, 1], [1, 1, 1], [1, 1, 0]],
    )
    aggregate = Standardised(pool=("A", "B"))
    assert np.isnan(aggregate.tested(panel)).tolist() == [[False, True, False], [False, True, False], [False, True, True]]
    assert aggregate.aggregate(panel)[2] == pytest.approx(0.5)


def test_a_pool_is_the_same_pool_in_any_order():
    spec = plugins.build("aggregate", "standardised(pool=[kNN,MF])").spec
    assert spec == plugins.build("aggregate", "standardised([MF,kNN])").spec
    assert str(spec) == "standardised(pool=[MF,kNN])"


@pytest.mark.parametrize(("pool", "message"), [("[A]", "at least 2"), ("[A,B,A]", "twice"), ("A", "tuple"), ("[1,2]", "string")])
def test_what_is_no_pool_is_refused(pool, message):
    with pytest.raises(SpecError, match=message):
        plugins.build("aggregate", f"standardised(pool={pool})")
