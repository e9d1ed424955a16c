"""How similar two lists are: by hand, by slow definitions, and by properties of any similarity."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsens.metrics import Heads, overlaps

NAN = math.nan


def heads(rows):
    item = np.array([item for row in rows for item in row], dtype=np.int32)
    return Heads(item, np.cumsum([0, *map(len, rows)]).astype(np.int64))


def compare(a, b, *cutoffs, phi=0.9):
    """Return what users have in common, shape (n_cutoffs, 3, n_users)."""
    return np.array(overlaps(heads(a), heads(b), cutoffs, phi=phi))


def test_two_lists_by_hand():
    # Of the first 1, 2, 3, 4 items 0, 2, 2, 3 are in both lists.
    found = compare([[1, 2, 3, 4]], [[2, 1, 5, 3]], 1, 2, 4, phi=0.5)[:, :, 0]
    assert found[0].tolist() == [0, 0, 0]
    assert found[1] == pytest.approx([1, 1, (0 / 2 + 1 / 4) + 1 / 4])
    assert found[2] == pytest.approx([3 / 4, 3 / 5, (0 / 2 + 1 / 4 + 2 / 3 / 8 + 3 / 4 / 16) + 3 / 4 / 16])


def test_the_order_of_common_items_decides_about_rbo_alone():
    same, reverse = ([1, 2, 3], [1, 2, 3]), ([1, 2, 3], [3, 2, 1])
    (first,), (second,) = compare([same[0]], [same[1]], 3), compare([reverse[0]], [reverse[1]], 3)
    assert first[:, 0] == pytest.approx([1, 1, 1])
    assert second[:2, 0].tolist() == [1, 1]
    # Agreements 0, 1/2, 1 at depths 1 to 3.
    assert second[2, 0] == pytest.approx(0.1 / 0.9 * (0.9**2 / 2 + 0.9**3) + 0.9**3)


def test_short_lists_are_compared_as_far_as_they_go():
    overlap, jaccard, rbo = compare([[1, 2]], [[1, 2, 3, 4]], 100)[0, :, 0]
    assert (overlap, jaccard) == (1 / 2, 1 / 2)
    # Every item of the shorter list is in the longer one, so as far as is known, they are the same.
    assert rbo == pytest.approx(1)
    assert compare([[1, 2]], [[2, 1]], 100)[0, 0, 0] == 1


def test_a_user_without_either_list_has_no_value():
    found = compare([[1], [], [3], []], [[1], [2], [], []], 5)[0]
    assert found[:, 0] == pytest.approx([1, 1, 1])
    assert np.isnan(found[:, 1:]).all()


def test_the_rankings_of_a_published_metric():
    # The same orders of items as in the test of Rbo for condensed rankings.
    for phi, value in ((0.5, 0.333333), (0.8, 0.677333), (0.9, 0.828000)):
        assert compare([[0, 1, 2, 3, 4]], [[1, 3, 0, 2, 4]], 5, phi=phi)[0, 2, 0] == pytest.approx(value, abs=5e-7)


def slow(a, b, n, phi):
    """Equation 32 of Webber, Moffat & Zobel, term by term."""
    short, long = sorted((a[:n], b[:n]), key=len)
    if not short:
        return [NAN] * 3
    s, end = len(short), len(long)

    def shared(d):
        return len(set(short[:d]) & set(long[:d]))

    seen = sum(shared(d) / d * phi**d for d in range(1, end + 1))
    unseen = sum(shared(s) * (d - s) / (s * d) * phi**d for d in range(s + 1, end + 1))
    rbo = (1 - phi) / phi * (seen + unseen) + ((shared(end) - shared(s)) / end + shared(s) / s) * phi**end
    return [len(set(short) & set(long)) / end, len(set(short) & set(long)) / len(set(short) | set(long)), rbo]


rankings = st.lists(st.lists(st.integers(0, 9), unique=True, max_size=8), min_size=4, max_size=4)


@given(rankings, rankings, st.lists(st.integers(1, 12), min_size=1, max_size=3), st.sampled_from([0.3, 0.9]))
def test_as_defined(a, b, cutoffs, phi):
    found = compare(a, b, *cutoffs, phi=phi)
    expected = [np.transpose([slow(one, other, n, phi) for one, other in zip(a, b, strict=True)]) for n in cutoffs]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found, compare(b, a, *cutoffs, phi=phi), rtol=0, atol=1e-12)
    assert ((found >= -1e-12) & (found <= 1 + 1e-12) | np.isnan(found)).all()
