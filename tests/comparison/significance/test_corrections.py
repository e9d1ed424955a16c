"""Adjusted p-values and the p-value over repeated splits, worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recsens.comparison.significance import adjusted, corrected_resampled_p

P_VALUES = arrays(float, st.integers(1, 20), elements=st.floats(0, 1))
THOUSANDTHS = arrays(float, st.integers(1, 20), elements=st.integers(0, 200).map(lambda k: k / 1000))
LEVELS = st.sampled_from([0.01, 0.05, 0.1]).map(lambda alpha: alpha + 1e-8)
"""Levels that no multiple of a p-value equals, so that rounding cannot decide."""


def test_holm_worked_by_hand():
    # Ascending .005 .01 .03 .04 times 4 3 2 1: .02 .03 .06 .04; the last is lifted to .06.
    found = adjusted(np.array([0.01, 0.04, 0.03, 0.005]), "holm")
    assert found.tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02], abs=1e-15)


def test_benjamini_and_hochberg_worked_by_hand():
    # Ascending .005 .01 .03 .04 times 4/1 4/2 4/3 4/4: .02 .02 .04 .04.
    found = adjusted(np.array([0.01, 0.04, 0.03, 0.005]), "bh")
    assert found.tolist() == pytest.approx([0.02, 0.04, 0.04, 0.02], abs=1e-15)
    # Times 3/1 3/2 3/3: .12 .0675 .045; the smaller ones come down to .045.
    assert adjusted(np.array([0.04, 0.045, 0.045]), "bh").tolist() == pytest.approx([0.045] * 3, abs=1e-15)


def test_no_correction_changes_nothing():
    assert adjusted(np.array([0.01, 0.04]), "none").tolist() == [0.01, 0.04]


@pytest.mark.parametrize("method", ["none", "holm", "bh"])
def test_what_is_not_known_stays_so_and_is_no_comparison(method):
    known = np.array([0.01, 0.04, 0.03])
    found = adjusted(np.array([np.nan, 0.01, 0.04, np.nan, 0.03]), method)
    assert np.isnan(found[[0, 3]]).all()
    assert found[[1, 2, 4]].tolist() == adjusted(known, method).tolist()
    assert np.isnan(adjusted(np.array([np.nan, np.nan]), method)).all()
    assert len(adjusted(np.array([]), method)) == 0


@given(P_VALUES)
def test_corrections_keep_the_order_and_only_raise(p):
    raised, bounded = adjusted(p, "bh"), adjusted(p, "holm")
    assert (p <= raised + 1e-15).all()
    assert (raised <= bounded + 1e-15).all()
    assert (bounded <= np.minimum(1, len(p) * p) + 1e-15).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(raised[order]) >= 0).all()
    assert (np.diff(bounded[order]) >= 0).all()


@given(THOUSANDTHS, LEVELS)
def test_holm_rejects_what_stepping_down_rejects(p, alpha):
    rejected, m = np.zeros(len(p), dtype=bool), len(p)
    for step, place in enumerate(np.argsort(p, kind="stable")):
        if (m - step) * p[place] > alpha:
            break
        rejected[place] = True
    assert ((adjusted(p, "holm") <= alpha) == rejected).all()


@given(THOUSANDTHS, LEVELS)
def test_benjamini_and_hochberg_reject_what_stepping_up_rejects(p, alpha):
    ascending, m = np.sort(p), len(p)
    below = [i for i in range(m) if ascending[i] * m / (i + 1) <= alpha]
    bound = ascending[below[-1]] if below else -1.0
    assert ((adjusted(p, "bh") <= alpha) == (p <= bound)).all()


def test_the_p_value_over_splits_worked_by_hand():
    # mean .02, s² = .0001; t = .02 / sqrt((1/3 + 1/4) .0001) = 2.618615 with two degrees of freedom
    found = corrected_resampled_p(np.array([0.01, 0.02, 0.03]), n_train=80, n_test=20)
    t = 0.02 / math.sqrt((1 / 3 + 1 / 4) * 0.0001)
    assert t == pytest.approx(2.618615, abs=1e-6)
    assert found == pytest.approx(1 - t / math.sqrt(t**2 + 2), abs=1e-12)  # Student's t with 2 df in closed form


def test_a_larger_test_side_says_less():
    found = [corrected_resampled_p(np.array([0.01, 0.02, 0.03]), n_train=80, n_test=n) for n in (0, 20, 80)]
    assert found == sorted(found)


@pytest.mark.parametrize(
    ("differences", "p"), [([], math.nan), ([0.1], math.nan), ([0.1, math.nan], math.nan), ([0.0, 0.0], 1), ([0.1, 0.1], math.nan)]
)
def test_splits_at_the_edge(differences, p):
    assert corrected_resampled_p(np.array(differences), n_train=8, n_test=2) == pytest.approx(p, nan_ok=True)


def test_no_train_ratings_no_p_value():
    assert math.isnan(corrected_resampled_p(np.array([0.1, 0.2]), n_train=0, n_test=5))
