"""Means over popularity percentiles: each rating is compared with the mean of its percentile (P1R)."""

import numpy as np
import pytest

from recsens import plugins
from recsens.comparison.aggregation import Cover
from recsens.comparison.aggregation.averages import Mean
from recsens.comparison.users import Population
from recsens.outcomes.paired import Paired
from recsens.outcomes.panels import FoldMeasures, Panel, SystemMeasures
from recsens.seeds import Stream

STREAM = Stream.of(0, "tests")
OF_T = ["t", "sign", "wilcoxon", "randomisation(samples=200)", "subsamples(n=2)"]


def paired(differences, n_measured) -> Paired:
    """Arrange a system with these values, shape (n_percentiles, n_users), and another whose values are all zero."""
    values, numbers = np.array(differences, dtype=float), np.array(n_measured)
    n_users = values.shape[1]
    ones, everybody = np.ones(n_users, dtype=np.int64), np.ones(n_users, dtype=np.bool_)
    known = Population(train=ones, test=ones, relevant=ones, listed=ones)
    systems = {
        name: SystemMeasures((FoldMeasures.of(of, numbers, everybody, known, Cover(ones, ones, {})),))
        for name, of in (("A", values), ("B", np.zeros_like(values)))
    }
    scores = Panel(systems, "rating", "full", {}).by_fold[0]
    return Paired.of(scores, scores.values, Mean())


def compare(spec: str, given: Paired):
    test = plugins.build("test", spec)
    return test.compare_pairs(given.values, given.counts, [(0, 1)], STREAM, given.weights, given.offsets)[0]


def drawn(n_users: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw users with ratings in two percentiles whose means are far apart."""
    rng = np.random.default_rng(1)
    numbers = rng.integers(0, 4, (2, n_users))
    numbers[0, numbers.sum(axis=0) == 0] = 1
    return rng.normal([[0.6], [-0.4]], 0.3, (2, n_users)), numbers


def statistic(values: np.ndarray, numbers: np.ndarray) -> float:
    return float(((numbers * values).sum(axis=1) / numbers.sum(axis=1)).mean())


@pytest.mark.parametrize("spec", OF_T)
def test_the_error_of_a_mean_over_percentiles_is_that_within_them(spec):
    # One rating a user. Means .5 and .1, in all .3; residuals .5 and -.5, -.1 and .1, each twice: s = sqrt(1.04 / 7) = .385450.
    found = compare(spec, paired([[1, 0, 0, 0] * 2, [0, 0, 0, 0.2] * 2], [[1, 1, 0, 0] * 2, [0, 0, 1, 1] * 2]))
    assert (found.difference, found.effect) == pytest.approx((0.3, 0.3 / 0.385450), abs=2e-6)
    assert (found.low, found.high) == pytest.approx((0.3 - 2.3646243 * 0.1362770, 0.3 + 2.3646243 * 0.1362770), abs=1e-6)


def test_a_user_of_two_percentiles_is_set_against_the_means_of_both():
    # Percentile 1: ratings of users 1 (1) and 2 (0), mean .5; 2: of users 2 (0) and 3 (two, mean .3), mean .2; in all .35.
    # Residuals n Σ_k n_uk (δ_uk - m_k) / (2 N_k): 3 (.5 / 4) = .375, 3 (-.5 / 4 - .2 / 6) = -.475, 3 (2 · .1 / 6) = .1.
    found = compare("t", paired([[1, 0, 0], [0, 0, 0.3]], [[1, 1, 0], [0, 1, 2]]))
    deviation = np.std([0.375, -0.475, 0.1], ddof=1)
    assert (found.difference, found.effect) == pytest.approx((0.35, 0.35 / deviation))


def test_the_standard_error_is_that_of_resampled_users():
    values, numbers = drawn(300)
    rng = np.random.default_rng(2)
    resampled = [statistic(values[:, users], numbers[:, users]) for users in rng.integers(0, 300, (4000, 300))]
    found = compare("t", paired(values, numbers))
    assert found.difference == pytest.approx(statistic(values, numbers))
    assert found.difference / found.effect / np.sqrt(300) == pytest.approx(np.std(resampled), rel=0.04)


@pytest.mark.parametrize("method", ["studentised", "shifted"])
def test_the_bootstrap_has_the_width_of_the_t_interval(method):
    given = paired(*drawn(300))
    found, t = compare(f"bootstrap(method={method},samples=4000)", given), compare("t", given)
    assert found.effect == pytest.approx(t.effect)
    assert found.high - found.low == pytest.approx(t.high - t.low, rel=0.05)


def test_the_same_difference_within_each_percentile_is_certain():
    found = compare("t", paired([[0.3] * 6, [0.1] * 6], [[2, 1, 0] * 2, [0, 1, 5] * 2]))
    assert (found.low, found.high, found.p_value) == pytest.approx((0.2, 0.2, 2 / 2**6), abs=1e-9)


def test_swaps_need_no_means_of_percentiles():
    values, numbers = drawn(40)
    given = paired(values, numbers)
    test = plugins.build("test", "randomisation(samples=500)")
    [without] = test.compare_pairs(given.values, given.counts, [(0, 1)], STREAM, given.weights)
    assert compare("randomisation(samples=500)", given).p_value == without.p_value


def test_a_single_group_has_no_offsets():
    assert paired([[1, 0, 0.5]], [[1, 2, 1]]).offsets is None


def test_subsets_of_users_are_set_against_their_percentiles_too():
    given, test = paired(*drawn(200)), plugins.build("test", "subsamples(n=40)")
    [without] = test.compare_pairs(given.values, given.counts, [(0, 1)], STREAM, given.weights)
    assert compare("subsamples(n=40)", given).share_significant > without.share_significant


@pytest.mark.parametrize(
    ("targets", "statistic"),
    [
        ("one_r", "the mean difference per rating"),
        ("p1r(m=1)", "the mean difference per rating"),
        ("p1r(m=5)", "the mean over percentiles of the mean difference per rating"),
    ],
)
def test_the_hypothesis_speaks_of_ratings_and_their_percentiles(targets, statistic):
    found = plugins.build("targets", targets).mean_difference
    assert plugins.build("test", "t").hypothesis(found, "the users' differences") == f"{statistic} is 0"
    assert plugins.build("test", "t(log=true)").hypothesis(found, "") == f"{statistic} of ln(x + 0.01) is 0"
