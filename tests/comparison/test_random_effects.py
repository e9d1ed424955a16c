"""Effects combined over data sets: printed examples, another implementation from the equations, and coverage in simulations."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq, minimize_scalar

from recsens.comparison.random_effects import RandomEffects

# DerSimonian & Kacker (2007), the CLASP trials of low-dose aspirin: events and patients with aspirin and without.
CLASP = ([5, 5, 12, 69, 9, 313], [156, 303, 565, 1570, 103, 4659], [8, 17, 9, 94, 11, 352], [74, 303, 477, 1565, 105, 4650])
# van Houwelingen et al. (2002), trials of the BCG vaccine: cases and patients with the vaccine and without.
BCG = (
    [4, 6, 3, 62, 33, 180, 8, 505, 29, 17, 186, 5, 27],
    [123, 306, 231, 13598, 5069, 1541, 2545, 88391, 7499, 1716, 50634, 2498, 16913],
    [11, 29, 11, 248, 47, 372, 10, 499, 45, 65, 141, 3, 29],
    [139, 303, 220, 12867, 5808, 1451, 629, 88391, 7277, 1665, 27338, 2341, 17854],
)


def log_odds_ratios(a, n, c, m) -> RandomEffects:
    a, n, c, m = (np.asarray(each, dtype=float) for each in (a, n, c, m))
    effects = np.log(a / (n - a)) - np.log(c / (m - c))
    errors = np.sqrt(1 / a + 1 / (n - a) + 1 / c + 1 / (m - c))
    return RandomEffects(effects[np.newaxis], errors[np.newaxis])


def test_the_printed_example_of_paule_and_mandel():
    # DerSimonian & Kacker (2007), tables 3 and 4, with the digits of metafor's check of them.
    found = log_odds_ratios(*CLASP)
    tau = float(found.tau[0])
    weights = 1 / (found.errors[0] ** 2 + tau**2)
    mean, error = np.average(found.effects[0], weights=weights), 1 / np.sqrt(weights.sum())
    assert [round(float(each), 4) for each in (tau, mean, error)] == [0.3681, -0.3811, 0.2060]


def log_risk_ratios(a, n, c, m) -> tuple[np.ndarray, np.ndarray]:
    a, n, c, m = (np.asarray(each, dtype=float) for each in (a, n, c, m))
    return np.log(a / n) - np.log(c / m), np.sqrt(1 / a - 1 / n + 1 / c - 1 / m)


def test_the_printed_interval_of_hartung_and_knapp():
    # metafor's README: rma(yi, vi, test="knha") for risk ratios of the BCG trials, whose τ² is by restricted likelihood.
    effects, errors = log_risk_ratios(*BCG)

    def unlikely(tau2):
        weights = 1 / (errors**2 + tau2)
        q = (weights * (effects - np.average(effects, weights=weights)) ** 2).sum()
        return q - np.log(weights).sum() + np.log(weights.sum())

    tau2 = minimize_scalar(unlikely, bounds=(0, 2), method="bounded", options={"xatol": 1e-10}).x
    found = RandomEffects(effects[np.newaxis], errors[np.newaxis]).weighted(np.array([tau2]))
    printed = [0.3132, -0.7145, 0.1808, -1.1084, -0.3206, 0.0019]
    assert [round(float(each), 4) for each in (tau2, *(each[0] for each in found))] == printed


@pytest.mark.parametrize("effects", [(0.1, 0.12, 0.11), (0.1, -0.3, 0.4, 0.02), (0.0, 0.5, 0.9, 1.1, 3.0, -2.0)])
def test_another_hand_finds_the_same_weighted_mean(effects):
    effects, errors = np.array(effects), np.linspace(0.02, 0.1, len(effects))

    def q(tau2):
        weights = 1 / (errors**2 + tau2)
        return (weights * (effects - np.average(effects, weights=weights)) ** 2).sum()

    freedom = len(effects) - 1
    tau2 = brentq(lambda tau2: q(tau2) - freedom, 0, 100, xtol=1e-15) if q(0) > freedom else 0.0
    weights = 1 / (errors**2 + tau2)
    expected = stats.t.interval(0.95, freedom, np.average(effects, weights=weights), 1 / np.sqrt(weights.sum()))
    over = RandomEffects(effects[np.newaxis], errors[np.newaxis])
    found = over.weighted(over.tau**2)
    # Paule and Mandel's τ² makes the factor 1, or less if it is 0, and then it counts as 1.
    assert (found.low[0], found.high[0]) == pytest.approx(expected, rel=1e-7)


def test_the_mean_is_the_t_interval_over_families_and_at_least_as_wide_as_over_users():
    effects = np.array([[0.1, 0.5, -0.2, 0.3], [0.1, 0.11, 0.1, 0.09]])
    found = RandomEffects(effects, np.full((2, 4), 0.05))
    spread = stats.t.interval(0.95, 3, effects[0].mean(), stats.sem(effects[0]))
    assert (found.alike.low[0], found.alike.high[0]) == pytest.approx(spread)
    assert found.alike.p_value[0] == pytest.approx(stats.ttest_1samp(effects[0], 0).pvalue)
    assert found.alike.error[1] == found.these.error[1] == pytest.approx(0.025)


def test_each_interval_contains_the_one_before():
    generator = np.random.default_rng(8)
    found = RandomEffects(generator.normal(0, 0.02, (300, 4)), generator.uniform(0, 0.03, (300, 4)))
    low, high = found.new
    assert (low <= found.alike.low).all()
    assert (found.alike.low <= found.these.low).all()
    assert (high >= found.alike.high).all()
    assert (found.alike.high >= found.these.high).all()


def test_the_printed_interval_of_the_variance_between_trials():
    # van Houwelingen et al. (2002), p. 597; metafor's interval by Q, whose roots are exact to 1e-4.
    found = [float(each[0] ** 2) for each in log_odds_ratios(*BCG).tau_interval]
    assert found == pytest.approx([0.1302, 1.1812], abs=1e-4)


def by_another_hand(effects, errors):
    """Compute the mean and the interval of a new data set by general root finding and integration over the same distribution."""
    effects, errors = np.asarray(effects), np.asarray(errors)
    freedom = len(effects) - 1

    def at(tau2):
        weights = 1 / (errors**2 + tau2)
        mean = np.average(effects, weights=weights)
        return mean, 1 / weights.sum(), (weights * (effects - mean) ** 2).sum()

    def solved(asked):
        return 0.0 if at(0.0)[2] <= asked else brentq(lambda tau2: at(tau2)[2] - asked, 0.0, 1e6, xtol=1e-16)

    tau2 = solved(freedom)
    drawn = [solved(stats.chi2.ppf((place + 0.5) / 200, freedom)) for place in range(200)]
    mixture = [stats.norm(at(each)[0], np.sqrt(each + at(each)[1])) for each in drawn]

    def quantile(level):
        return brentq(lambda x: np.mean([own.cdf(x) for own in mixture]) - level, -100, 100)

    mean, error = effects.mean(), max(stats.sem(effects), np.sqrt((errors**2).sum()) / len(effects))
    low, high = stats.t.interval(0.95, freedom, mean, error)
    return np.sqrt(tau2), mean, error, min(quantile(0.025), low), max(quantile(0.975), high)


@pytest.mark.parametrize("effects", [(0.1, 0.12, 0.11), (0.1, -0.3, 0.4, 0.02), (0.0, 0.5, 0.9, 1.1, 3.0, -2.0)])
def test_another_hand_finds_the_same(effects):
    errors = np.linspace(0.02, 0.1, len(effects))
    found = RandomEffects(np.array([effects]), errors[np.newaxis])
    own = (found.tau, found.alike.value, found.alike.error, *found.new)
    assert [float(each[0]) for each in own] == pytest.approx(by_another_hand(effects, errors), rel=1e-7, abs=1e-9)
    assert found.p_equal[0] == pytest.approx(stats.chi2.sf(_q(effects, errors), len(effects) - 1), rel=1e-9)
    assert found.these.error[0] == pytest.approx(np.sqrt((errors**2).sum()) / len(effects))


def _q(effects, errors) -> float:
    return float(minimize_scalar(lambda mean: (((np.asarray(effects) - mean) / errors) ** 2).sum()).fun)


def test_a_new_data_set_far_from_the_errors_is_predicted_as_another_draw_of_a_sample():
    sample = np.array([1.0, 2.0, 9.0, 4.0])
    low, high = RandomEffects(sample[np.newaxis], np.full((1, 4), 1e-6)).new
    half = stats.t.ppf(0.975, 3) * sample.std(ddof=1) * np.sqrt(1 + 1 / 4)
    assert (low[0], high[0]) == pytest.approx((4 - half, 4 + half), rel=0.02)


def test_unknown_effects_leave_a_family_out_and_two_families_say_nothing_about_others():
    effects = np.array([[0.1, np.nan, 0.3, 0.2], [0.1, np.nan, 0.3, np.nan], [np.nan] * 4, [0.5, 0.5, 0.5, 0.5]])
    errors = np.array([[0.1, 0.1, 0.1, 0.2], [0.1, 0.1, 0.2, np.nan], [0.1] * 4, [0.0] * 4])
    found = RandomEffects(effects, errors)
    alone = RandomEffects(effects[:1, [0, 2, 3]], errors[:1, [0, 2, 3]])
    assert found.n_families.tolist() == [3, 2, 0, 4]
    assert [each[0] for each in (*found.these, *found.alike, *found.new)] == pytest.approx(
        [each[0] for each in (*alone.these, *alone.alike, *alone.new)], rel=1e-12
    )
    assert found.these.value[1] == pytest.approx(0.2)
    for nothing in (*found.alike, *found.new, found.tau, *found.tau_interval, found.p_equal, found.between):
        assert np.isnan(nothing[1:3]).all()
    assert found.alike.value[3] == 0.5
    assert found.alike.error[3] < 1e-9


def test_the_order_of_families_and_the_other_combinations_change_nothing():
    generator = np.random.default_rng(4)
    effects, errors = generator.normal(size=(5, 6)), generator.uniform(0.1, 1, (5, 6))
    found, turned = RandomEffects(effects, errors), RandomEffects(effects[:, ::-1], errors[:, ::-1])
    for own, other in zip((*found.alike, *found.new), (*turned.alike, *turned.new), strict=True):
        assert own == pytest.approx(other, rel=1e-9)
    alone = RandomEffects(effects[2:3], errors[2:3])
    assert [each[2] for each in found.new] == [each[0] for each in alone.new]


@pytest.mark.parametrize(
    ("n_families", "spread", "is_balanced"), [(3, 1.0, False), (5, 3.0, True), (8, 1.0, True), (15, 3.0, False)]
)
def test_intervals_cover(n_families, spread, is_balanced):
    generator, n = np.random.default_rng(n_families), 600
    errors = np.full((n, n_families), 0.01) if is_balanced else generator.uniform(0.003, 0.015, (n, n_families))
    tau = spread * 0.009
    found = RandomEffects(generator.normal(generator.normal(0.01, tau, (n, n_families)), errors), errors)
    new = generator.normal(0.01, tau, n)
    of_mean = np.mean((found.alike.low <= 0.01) & (found.alike.high >= 0.01))
    of_new = np.mean((found.new[0] <= new) & (found.new[1] >= new))
    low, high = found.tau_interval
    # Three standard errors of a share of .95 over 600 simulations.
    for covered in (of_mean, of_new, np.mean((low <= tau) & (tau <= high))):
        assert covered >= 0.95 - 0.027


def test_one_precise_family_does_not_decide_alone():
    generator = np.random.default_rng(5)
    errors = np.tile([0.05, 1.0, 1.0], (600, 1))
    found = RandomEffects(generator.normal(generator.normal(0.0, 0.5, (600, 3)), errors), errors)
    assert np.mean((found.alike.low <= 0) & (found.alike.high >= 0)) >= 0.95
    alone = RandomEffects(np.array([[0.01, -0.03, -0.03]]), np.array([[0.001, 0.05, 0.05]]))
    assert alone.alike.p_value[0] > 0.05
    tied = RandomEffects(np.array([[0.0, 0.005, 0.006]]), np.array([[0.0, 0.01, 0.01]]))
    assert tied.alike.high[0] - tied.alike.low[0] > 0.01


def test_the_share_between_data_sets_is_what_users_without_number_would_leave():
    effects = np.array([[0.1, 0.4, -0.2, 0.3]])
    found, exact = RandomEffects(effects, np.full((1, 4), 0.1)), RandomEffects(effects, np.full((1, 4), 1e-9))
    assert found.between[0] == pytest.approx(1 - (0.1 / 2) ** 2 / stats.sem(effects[0]) ** 2)
    assert exact.between[0] == pytest.approx(1)
    assert RandomEffects(effects, np.full((1, 4), 5.0)).between[0] == 0
