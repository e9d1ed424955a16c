"""The effect of a pair on one data set: values and errors by hand."""

import numpy as np
import pytest

from recsens.comparison.aggregation import Cover
from recsens.comparison.users import Population
from recsens.outcomes.over_datasets import effects
from recsens.outcomes.panels import FoldMeasures, Panel, SystemMeasures
from recsens.study import Decisions
from recsens.study.design import Design
from recsens.study.taxonomy import DESIGN


def design() -> Design:
    decisions = Decisions()
    return Design(seed=0, dataset=None, name="d", **{each.key: getattr(decisions, each.key) for each in DESIGN})  # type: ignore[arg-type]


def panel(*systems: list[float], weights: list[int] | None = None) -> Panel:
    n = len(systems[0])
    counts = np.array([weights or [1] * n])
    ones = np.ones(n, dtype=np.int64)
    population = Population(*(ones for _ in Population.__slots__))
    folds = [
        FoldMeasures.of(np.array([own]), counts, np.ones(n, dtype=bool), population, Cover(counts, counts, {})) for own in systems
    ]
    unit = "user" if weights is None else "rating"
    return Panel({str(place): SystemMeasures((own,)) for place, own in enumerate(folds)}, unit, "full", {})


A, B = [0.2, 0.4, 0.6, 0.1, 0.9, 0.3, 0.5], [0.1, 0.5, 0.3, 0.1, 0.6, 0.2, 0.4]


def test_a_relative_effect_is_the_logarithm_of_a_ratio_with_its_delta_error():
    a, b = np.array(A), np.array(B)
    [found] = effects(panel(A, B), [(0, 1)], design(), "relative")
    residuals = a / a.mean() - b / b.mean()
    assert found.value == pytest.approx(np.log(a.mean() / b.mean()))
    assert found.error == pytest.approx(residuals.std(ddof=1) / np.sqrt(7))
    assert found.n_users == 7


def test_weights_enter_the_ratio_and_its_error():
    weights = [1, 2, 3, 1, 1, 4, 2]
    a, b, w = np.array(A), np.array(B), np.array(weights)
    [found] = effects(panel(A, B, weights=weights), [(0, 1)], design(), "relative")
    residuals = w / w.mean() * (a / np.average(a, weights=w) - b / np.average(b, weights=w))
    assert found.value == pytest.approx(np.log(np.average(a, weights=w) / np.average(b, weights=w)))
    assert found.error == pytest.approx(residuals.std(ddof=1) / np.sqrt(7))


def test_other_scales():
    delta = np.array(A) - np.array(B)
    [difference] = effects(panel(A, B), [(0, 1)], design(), "difference")
    [standardised] = effects(panel(A, B), [(0, 1)], design(), "standardised")
    d = delta.mean() / delta.std(ddof=1)
    assert difference[:2] == pytest.approx((delta.mean(), delta.std(ddof=1) / np.sqrt(7)))
    assert standardised[:2] == pytest.approx((d, np.sqrt(1 / 7 + d**2 / 14)))


@pytest.mark.parametrize(("a", "b"), [([0.0] * 7, B), ([-0.1] * 7, B), (A[:4], B[:4])])
def test_an_effect_that_does_not_exist(a, b):
    [found] = effects(panel(a, b), [(0, 1)], design(), "relative")
    assert np.isnan(found.value)
    assert np.isnan(found.error)


def test_the_relative_error_is_that_of_fresh_samples_of_users():
    generator = np.random.default_rng(2)
    values, errors = [], []
    for _ in range(800):
        a = generator.beta(2, 5, 200)
        b = np.clip(a + generator.normal(-0.02, 0.1, 200), 0, 1)
        [found] = effects(panel(a.tolist(), b.tolist()), [(0, 1)], design(), "relative")
        values.append(found.value)
        errors.append(found.error)
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.1)
