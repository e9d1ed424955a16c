"""Order within groups: by the first column, then by the next, whatever the numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsens.data.splitting import Groups

SIGNED = st.integers(-(2**63), 2**63 - 1)
FEW = st.integers(0, 2)


@st.composite
def columns(draw):
    """Draw groups with two columns, the first one wide or narrow, signed or not."""
    n = draw(st.integers(1, 30))
    value, kind = draw(st.sampled_from([(SIGNED, np.int64), (FEW, np.int64), (st.integers(2**64 - 5, 2**64 - 1), np.uint64)]))
    code = draw(st.lists(st.sampled_from([0, 1, 999]), min_size=n, max_size=n))
    first = draw(st.lists(value, min_size=n, max_size=n))
    second = draw(st.lists(SIGNED, min_size=n, max_size=n, unique=True))
    return np.array(code, dtype=np.int32), np.array(first, dtype=kind), np.array(second, dtype=np.int64)


@given(columns())
def test_places_are_those_of_sorted_rows(drawn):
    code, first, second = drawn
    groups = Groups(code, np.arange(1000), np.bincount(code, minlength=1000))
    expected = np.empty(len(code), dtype=int)
    for group in set(code.tolist()):
        members = [row for row in range(len(code)) if code[row] == group]
        members.sort(key=lambda row: (int(first[row]), int(second[row])))
        expected[members] = range(len(members))
    np.testing.assert_array_equal(groups.ranks(first, second), expected)


def test_lots_that_share_their_leading_bits_are_told_apart():
    # A thousand groups take ten bits: these numbers differ only in the last bit.
    lots = np.array([2**63 + 1, 2**63, 0], dtype=np.uint64)
    groups = Groups(np.array([7, 7, 7], dtype=np.int32), np.arange(1000), np.bincount([7, 7, 7], minlength=1000))
    assert groups.ranks(lots).tolist() == [2, 1, 0]


def test_no_interactions_have_no_places():
    groups = Groups(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    assert groups.ranks(np.empty(0, dtype=np.int64)).tolist() == []
