"""Shares of variance on full grids, compared with least squares of nested models, and by hand."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsens.conclusions.verdicts.influence import variance_shares


def dummies(grid, axes):
    """Return the columns of all combinations of options of some axes, one row per cell."""
    cells = list(product(*map(range, grid.shape)))
    options = list(product(*(range(grid.shape[axis]) for axis in axes)))
    return np.array([[tuple(cell[axis] for axis in axes) == option for option in options] for cell in cells], dtype=float)


def residual(grid, *terms):
    """Return the residual sum of squares of a least-squares fit of the terms."""
    model = np.hstack([dummies(grid, term) for term in terms])
    fitted = model @ np.linalg.lstsq(model, grid.ravel(), rcond=None)[0]
    return np.square(grid.ravel() - fitted).sum()


@settings(max_examples=20)
@given(st.lists(st.integers(1, 3), min_size=2, max_size=4), st.integers(0, 1000))
def test_shares_are_what_each_term_of_an_analysis_of_variance_explains_beyond_those_within_it(shape, seed):
    grid = np.random.default_rng(seed).normal(size=shape)
    if grid.size == 1:
        return
    total = residual(grid, ())
    for of, share in variance_shares(grid).items():
        if len(of) == 1:
            explained = total - residual(grid, of)
        elif of:
            a, b = of
            explained = residual(grid, (a,), (b,)) - residual(grid, of)
        else:
            explained = residual(grid, *((a, b) for a in range(grid.ndim) for b in range(a)))
        assert share == pytest.approx(explained / total, abs=1e-9)
    assert sum(variance_shares(grid).values()) == pytest.approx(1)


def test_effects_that_add_up_have_no_interaction():
    shares = variance_shares(np.array([[0.0, 1.0], [2.0, 3.0]]))
    # 1 apart in the columns, 2 apart in the rows: squares 1 and 4.
    assert shares == pytest.approx({(0,): 0.8, (1,): 0.2, (0, 1): 0.0})


def test_an_interaction_alone_explains_all():
    shares = variance_shares(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    assert shares == pytest.approx({(0,): 0.0, (1,): 0.0, (0, 1): 1.0})


def test_three_decisions_may_only_matter_together():
    grid = np.array([(-1.0) ** sum(cell) for cell in product(range(2), repeat=3)]).reshape(2, 2, 2)
    assert variance_shares(grid)[()] == pytest.approx(1)


def test_where_nothing_varies_no_share_is_known():
    assert np.isnan(list(variance_shares(np.full((2, 3), 0.1)).values())).all()
