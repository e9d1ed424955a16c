"""Friedman's and Nemenyi's tests and Bradley-Terry strengths against printed examples, scipy and another hand."""

import numpy as np
import pytest
from scipy import stats

from recsens.comparison.mean_ranks import bradley_terry, mean_ranks

# Demšar (2006), table 6: AUC of C4.5, with m, with cf and with both tuned, on 14 data sets. The last but one prints .975 twice, but
# different ranks.
AUC = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.59, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.0, 1.0, 1.0, 1.0],
        [0.94, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.97501, 0.975],
        [0.957, 0.978, 0.946, 0.97],
    ]
)


def test_the_printed_example():
    found = mean_ranks(AUC, 0.05)
    assert found.ranks.round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    # The paper's statistic does not correct for ties.
    assert 12 * 14 / 20 * ((found.ranks**2).sum() - 4 * 25 / 4) == pytest.approx(9.28, abs=0.005)
    assert round(found.critical, 2) == 1.25
    assert round(mean_ranks(AUC, 0.1).critical, 2) == 1.12


def test_scipy_has_the_same_statistic_and_p():
    for values in (AUC, np.random.default_rng(3).normal(size=(5, 6))):
        expected = stats.friedmanchisquare(*values.T)
        found = mean_ranks(values, 0.05)
        assert [found.statistic, found.p_value] == pytest.approx([expected.statistic, expected.pvalue])


def test_systems_that_are_equal_everywhere_do_not_differ():
    found = mean_ranks(np.ones((4, 3)), 0.05)
    assert (found.ranks.tolist(), found.statistic, found.p_value) == ([2, 2, 2], 0, 1)


def test_the_printed_strengths_of_journals():
    # Citations of four journals (Stigler 1994, in Agresti 2002, p. 448), fitted by Turner & Firth (2012).
    wins = np.array([[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]])
    found = bradley_terry(wins)
    assert (found - found[0]).round(4).tolist() == [0, -2.9491, -0.4796, 0.2690]
    assert found.mean() == pytest.approx(0)


def by_minorisation(wins: np.ndarray) -> np.ndarray:
    """Iterate equation 3 of Hunter (2004): π_i becomes the wins of i over Σ_j n_ij / (π_i + π_j)."""
    strengths = np.ones(len(wins))
    for _ in range(20_000):
        strengths = wins.sum(axis=1) / ((wins + wins.T) / np.add.outer(strengths, strengths)).sum(axis=1)
        strengths /= np.exp(np.log(strengths).mean())
    return np.log(strengths)


def test_another_hand_finds_the_same_strengths():
    generator = np.random.default_rng(11)
    for n_blocks, k in ((3, 3), (5, 6), (14, 4)):
        values = generator.normal(np.arange(k) / 4, 1, (n_blocks, k)).round(1)
        values[0] = values[0, ::-1]
        wins = sum((row[:, None] > row) + (row[:, None] == row) / 2 for row in values)
        np.fill_diagonal(wins, 0)
        assert mean_ranks(values, 0.05).strengths == pytest.approx(by_minorisation(wins), abs=1e-6)


def test_strengths_are_infinite_where_wins_separate_systems():
    # The first wins everywhere and the last nowhere; the two between win once each.
    values = np.array([[9.0, 2.0, 3.0, 1.0], [9.0, 3.0, 2.0, 1.0]])
    assert mean_ranks(values, 0.05).strengths.tolist() == [np.inf, pytest.approx(0), pytest.approx(0), -np.inf]
    # Where each is alone, the strongest has 0.
    assert mean_ranks(np.array([[2.0, 3.0, 1.0]] * 4), 0.05).strengths.tolist() == [-np.inf, 0, -np.inf]
    assert mean_ranks(np.ones((4, 3)), 0.05).strengths == pytest.approx(np.zeros(3))
