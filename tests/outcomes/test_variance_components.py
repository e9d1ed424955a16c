"""Variance components: the analysis of variance where it is balanced, and the true values on average where it is not."""

import numpy as np
import pytest

from recsens.arrays import Floats
from recsens.outcomes.variance_components import components
from recsens.seeds import Stream

TRUE = {"user": 4.0, "split": 0.5, "fit": 0.3, "user x split": 2.0, "rest": 3.0}


def drawn(rng: np.random.Generator, shape: tuple[int, int, int], missing: float = 0.0) -> tuple[Floats, Floats]:
    """Draw differences with known components, of which some users do not count in some splits, and equal weights."""
    users, splits, fits = shape
    levels = {"user": (users, 1, 1), "split": (1, splits, 1), "fit": (1, splits, fits), "user x split": (users, splits, 1)}
    d = sum(rng.normal(0, TRUE[name] ** 0.5, levels.get(name, shape)) for name in TRUE)
    counts = np.broadcast_to(rng.random((users, splits, 1)) >= missing, shape)
    return np.where(counts, d, 0.0), counts / counts.sum(axis=0)


def by_analysis_of_variance(d: Floats) -> dict[str, float]:
    """Compute the components of a balanced layout from its mean squares, one at a time."""
    users, splits, fits = d.shape
    grand, of_user, of_split, of_fit, of_cell = d.mean(), d.mean((1, 2)), d.mean((0, 2)), d.mean(0), d.mean(2)
    ms_user = splits * fits * sum((own - grand) ** 2 for own in of_user) / (users - 1)
    ms_split = users * fits * sum((own - grand) ** 2 for own in of_split) / (splits - 1)
    ms_fit = users * ((of_fit - of_split[:, None]) ** 2).sum() / (splits * (fits - 1))
    ms_both = fits * ((of_cell - of_user[:, None] - of_split + grand) ** 2).sum() / ((users - 1) * (splits - 1))
    left = d - of_cell[:, :, None] - of_fit + of_split[:, None]
    ms_rest = (left**2).sum() / ((users - 1) * splits * (fits - 1))
    return {
        "user": (ms_user - ms_both) / (splits * fits),
        "split": (ms_split - ms_fit - ms_both + ms_rest) / (users * fits),
        "fit": (ms_fit - ms_rest) / users,
        "user x split": (ms_both - ms_rest) / fits,
        "rest": ms_rest,
    }


def test_in_a_balanced_layout_they_are_those_of_the_analysis_of_variance():
    rng = np.random.default_rng(1)
    d, weights = drawn(rng, (30, 4, 3))
    found = components(d, weights, rng)
    assert {name: each.variance for name, each in found.items()} == pytest.approx(by_analysis_of_variance(d))
    assert {name: each.levels for name, each in found.items()} == {
        "user": 30, "split": 4, "fit": 12, "user x split": 120, "rest": 360,
    }  # fmt: skip
    # The error of the mean over users, splits and fits alike is that of their means.
    expected = {"user": 30, "split": 4, "fit": 12, "user x split": 120, "rest": 360}
    assert {name: each.error for name, each in found.items()} == pytest.approx(
        {name: (max(each.variance, 0) / expected[name]) ** 0.5 for name, each in found.items()}
    )


def test_the_error_over_users_is_that_of_the_t_test():
    rng = np.random.default_rng(2)
    d, weights = drawn(rng, (50, 3, 2))
    found = components(d, weights, rng)
    over_users = sum(found[name].variance / found[name].levels for name in ("user", "user x split", "rest"))
    assert over_users == pytest.approx(d.mean((1, 2)).var(ddof=1) / 50)


def test_sources_that_cannot_be_told_apart_are_joined_and_two_draws_of_a_split_say_nothing_of_splits():
    rng = np.random.default_rng(3)
    assert set(components(*drawn(rng, (20, 1, 4)), rng)) == {"user", "fit", "rest"}
    assert set(components(*drawn(rng, (20, 4, 1)), rng)) == {"user", "split", "user x split"}
    two = components(*drawn(rng, (20, 2, 2)), rng)
    assert np.isnan([two["split"].variance, two["split"].error]).all()
    assert two["fit"].levels == 4
    assert components(*drawn(rng, (20, 1, 1)), rng) == {} or set(components(*drawn(rng, (20, 1, 1)), rng)) == {"user"}


@pytest.mark.parametrize(
    ("shape", "missing"), [((40, 5, 3), 0.0), ((60, 5, 3), 0.4), ((40, 4, 1), 0.3), pytest.param((40, 1, 4), 0.0, id="one split")]
)
def test_on_average_they_are_the_true_ones_and_their_intervals_cover(shape, missing):
    rng, n_studies = np.random.default_rng(4), 300
    expected = dict(TRUE)
    if shape[2] == 1:
        expected |= {"split": TRUE["split"] + TRUE["fit"], "user x split": TRUE["user x split"] + TRUE["rest"]}
    if shape[1] == 1:
        expected |= {"user": TRUE["user"] + TRUE["user x split"]}
    studies = [components(*drawn(rng, shape, missing), Stream.of(n).generator()) for n in range(n_studies)]
    for name in studies[0]:
        estimates = np.array([study[name].variance for study in studies])
        assert abs(estimates.mean() - expected[name]) < 3.5 * estimates.std() / n_studies**0.5, name
        covered = np.mean([study[name].low <= expected[name] <= study[name].high for study in studies])
        assert covered > 0.91, name
