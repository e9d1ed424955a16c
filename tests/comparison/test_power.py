"""The power of a planned study: what is promised is found when such studies are simulated."""

import numpy as np
import pytest
from scipy import stats

from recsens.comparison.power import Error, OnDataset, OverFamilies, Size, fewest_to_decide, power
from recsens.comparison.random_effects import RandomEffects
from recsens.outcomes import variance_components
from recsens.outcomes.variance_components import FACTORS, components

STUDIES = 500
SPREADS = dict(zip(FACTORS, (0.3, 0.015, 0.02, 0.2, 0.25), strict=True))
DIFFERENCE = 0.05


def source(size: Size) -> OnDataset:
    """The squared errors that the true spreads give a study of some size."""
    levels = {"user": size.users, "split": size.splits, "fit": size.splits * size.fits, "user x split": size.users * size.splits}
    everything = size.users * size.splits * size.fits
    return OnDataset({each: SPREADS[each] ** 2 / levels.get(each, everything) for each in FACTORS}, size)


def simulated(size: Size, rng: np.random.Generator) -> bool:
    """Whether a simulated study decides, by the components that it finds itself."""
    shape = (int(size.users), size.splits, size.fits)
    d = np.full(shape, DIFFERENCE)
    for each, axes in FACTORS.items():
        d = d + SPREADS[each] * rng.normal(size=tuple(n if axis in axes else 1 for axis, n in enumerate(shape)))
    found = components(d, np.full(shape, 1 / size.users), rng)
    error = OnDataset({each: own.error**2 for each, own in found.items()}, size).error(size)
    return bool(abs(d.mean()) > error.half_width(0.05)[0])


@pytest.fixture(autouse=True)
def _few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    # The intervals of components take most of the time, and are not used here.
    monkeypatch.setattr(variance_components, "_SAMPLES", 10)


@pytest.mark.parametrize("planned", [Size(250, 6, 2), Size(250, 4, 5), Size(750, 4, 2)], ids=["splits", "fits", "users"])
def test_the_promise_for_more_of_one_kind_is_found_in_simulated_studies(planned):
    now = source(Size(250, 4, 2))
    promised = power(DIFFERENCE, now.error(planned), alpha=0.05)
    rng = np.random.default_rng(1)
    assert np.mean([simulated(planned, rng) for _ in range(STUDIES)]) == pytest.approx(promised, abs=0.05)


@pytest.mark.parametrize(("within", "between"), [(0.02, 0.03), (0.03, 0.0)])
def test_the_promise_for_more_data_sets_is_found_in_simulated_studies(within, between):
    now, planned = OverFamilies(within**2, between**2, Size(100, families=4)), Size(100, families=7)
    promised = power(0.03, now.error(planned), alpha=0.05)
    rng = np.random.default_rng(2)
    effects = 0.03 + (between * rng.normal(size=(STUDIES, 7)) + within * rng.normal(size=(STUDIES, 7)))
    found = RandomEffects(effects, np.full(effects.shape, within)).alike
    assert np.mean((found.low > 0) | (found.high < 0)) == pytest.approx(promised, abs=0.05)


def test_users_alone_have_the_power_of_a_t_test():
    error = OnDataset({"user": 0.01**2}, Size(50)).error(Size(50))
    critical = stats.t.ppf(0.975, 49) * 0.01
    expected = stats.norm.sf(critical, 0.02, 0.01) + stats.norm.cdf(-critical, 0.02, 0.01)
    assert power(0.02, error, alpha=0.05) == pytest.approx(expected, rel=1e-12)


def test_a_difference_within_the_margin_is_decided_by_enough_users():
    now = OnDataset({"user": 0.01**2}, Size(100))
    assert power(0.0, now.error(Size(100)), alpha=0.05, margin=0.005) < 0.02
    needed = fewest_to_decide(lambda n: power(0.0, now.error(Size(n)), alpha=0.05, margin=0.005), 0.8, start=100, most=10**6)
    # The whole interval lies within the margin: z(.975) + z(.9) errors fit into it, for both ends can miss.
    assert needed == pytest.approx(100 * ((stats.norm.ppf(0.975) + stats.norm.ppf(0.9)) * 0.01 / 0.005) ** 2, rel=0.01)
    assert power(0.0, now.error(Size(needed - 1)), alpha=0.05, margin=0.005) < 0.8


def test_nothing_is_needed_that_does_not_help():
    error = Error(0.01**2, 3, 0.001**2, 99)
    assert fewest_to_decide(lambda _: power(0.005, error, alpha=0.05), 0.8, start=4, most=200) is None
