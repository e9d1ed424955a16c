"""The data used to test recommenders are as described."""

import numpy as np

from recsens.testing import checkerboard, crowd, edge_cases, from_rows


def test_a_matrix_is_read_row_by_row():
    train = from_rows([[5, None, 0], [None, None, 1]])
    np.testing.assert_array_equal(train.user, [0, 0, 1])
    np.testing.assert_array_equal(train.item, [0, 2, 2])
    np.testing.assert_array_equal(train.rating, [5, 0, 1])
    assert (train.n_users, train.n_items) == (2, 3)


def test_the_withheld_item_is_the_only_one_left_of_a_user_s_colour():
    board = checkerboard(8)
    rated = board.train.matrix.toarray() > 0
    for user, item in enumerate(board.withheld):
        own_colour = (np.arange(8) + user) % 2 == 0
        np.testing.assert_array_equal(np.flatnonzero(own_colour & ~rated[user]), [item])
        assert not rated[user][~own_colour].any()


def test_disliked_items_are_all_of_the_other_colour_but_one():
    for n in (7, 8):
        ratings = checkerboard(n, dislikes=True).train.matrix.toarray()
        for user in range(n):
            own_colour = (np.arange(n) + user) % 2 == 0
            assert set(ratings[user][own_colour & (np.arange(n) != user)]) == {5}
            assert sorted(set(ratings[user][~own_colour])) == [0, 1]
            assert (ratings[user] == 0).sum() == 2


def test_a_crowd_is_always_the_same_and_larger_than_a_block():
    one, same = crowd(), crowd()
    np.testing.assert_array_equal(one.matrix.toarray(), same.matrix.toarray())
    assert one.n_users > 512
    assert set(np.unique(one.rating)) == {1, 2, 3, 4, 5}


def test_edge_cases_have_distinct_shapes_or_contents():
    contents = {
        (case.matrix.shape, case.rating is None, case.matrix.toarray().tobytes(), len(case)) for case in edge_cases().values()
    }
    assert len(contents) == len(edge_cases())
