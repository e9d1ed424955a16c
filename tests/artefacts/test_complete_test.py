"""The complete relevance as a test set: every pair that is not in train, found by the keys that filters keep."""

from dataclasses import replace

import numpy as np

from recsens.artefacts import schemas, storage
from recsens.artefacts.folds import complete_test_ratings
from recsens.testing import from_rows
from recsens.vocabulary import Role

TRUTH = np.arange(1, 13, dtype=np.uint8).reshape(3, 4)
"""Three users and four items."""


def test_what_is_not_known_is_judged_by_its_true_rating(tmp_path):
    path = str(tmp_path / "truth.npz")
    storage.write_arrays(path, {}, {"rating": TRUTH}, schemas.TRUTH)
    # User 1 of three and item 2 of four are filtered out of the data; the others get new numbers.
    data = replace(from_rows([[1, 2], [9, None]]), user_keys=np.array([0, 2]), item_keys=np.array([0, 3]))
    data = replace(data, user=np.array([0, 0, 1], np.int32), item=np.array([0, 1, 0], np.int32))
    roles = np.array([Role.TRAIN, Role.TEST, Role.VALIDATION], dtype=np.uint8)
    found = complete_test_ratings(data, roles, path)
    # In train: user 0 with item 0, and key 2 with key 0. The test rating is judged, and so is the pair that nobody observed.
    assert found.user.tolist() == [0, 1]
    assert found.item.tolist() == [1, 1]
    assert found.rating.tolist() == [TRUTH[0, 3], TRUTH[2, 3]]
    assert found.timestamp is None
