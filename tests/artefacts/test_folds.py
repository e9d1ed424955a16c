"""Interactions, folds and models are read back as they were written, and refused if they do not match."""

from dataclasses import replace

import numpy as np
import pytest

from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import InteractionFiles, SideFiles
from recsens.artefacts.folds import read_interactions, read_roles, sides, write_interactions
from recsens.data.interactions import Interactions
from recsens.errors import ArtefactError
from recsens.files.scale import Scale
from recsens.recommenders import read_model, write_model
from recsens.seeds import Stream
from recsens.testing import crowd, from_rows
from recsens.vocabulary import Role

CROWD = crowd(40, 20)


@pytest.fixture
def again(tmp_path):
    """Write interactions and read them back."""
    files = InteractionFiles.within(tmp_path)

    def write_and_read(data: Interactions) -> Interactions:
        ids = [list(map(str, keys)) for keys in (data.user_keys, data.item_keys)]
        write_interactions(data, user_ids=ids[0], item_ids=ids[1], record={}, files=files)
        return read_interactions(files)

    return write_and_read


@pytest.mark.parametrize("rated", [True, False])
@pytest.mark.parametrize("timed", [True, False])
def test_what_a_data_set_has_and_has_not_is_read_back(again, rated, timed):
    data = replace(
        CROWD,
        rating=CROWD.rating if rated else None,
        timestamp=np.arange(len(CROWD)) * 10**9 if timed else None,
        user_keys=CROWD.user_keys + 5,
        scale=Scale(0.5, 5, 0.5),
    )
    found = again(data)
    for name in ("user", "item", "rating", "timestamp", "user_keys", "item_keys"):
        expected = getattr(data, name)
        if expected is None:
            assert getattr(found, name) is None
        else:
            np.testing.assert_array_equal(getattr(found, name), expected)
    assert found.scale == Scale(0.5, 5, 0.5)


@pytest.mark.parametrize("change", ["fewer", "exchanged"])
def test_contexts_of_other_interactions_are_refused(tmp_path, change):
    files, side = InteractionFiles.within(tmp_path), SideFiles.within(tmp_path)
    ids = [list(map(str, keys)) for keys in (CROWD.user_keys, CROWD.item_keys)]
    write_interactions(CROWD, user_ids=ids[0], item_ids=ids[1], record={}, files=files)
    for path, names in zip((side.user_columns, side.item_columns), ids, strict=True):
        storage.write_table(path, schemas.SIDE_COLUMNS, {"key": np.arange(len(names)), "name": names})

    def describe(rows: np.ndarray) -> None:
        storage.write_table(
            side.contexts, schemas.CONTEXTS, {"user": CROWD.user[rows], "item": CROWD.item[rows], "hour": rows.tolist()}
        )

    rows = np.arange(len(CROWD))
    describe(rows)
    assert read_interactions(files, [side]).context_table is not None
    describe(rows[:-1] if change == "fewer" else rows[::-1])
    with pytest.raises(ArtefactError, match=r"contexts\.parquet: the contexts belong to other interactions"):
        read_interactions(files, [side])


def test_no_interaction_at_all_is_read_back(again):
    assert len(again(from_rows([[None, None]]))) == 0


def test_the_sides_of_a_fold_are_what_their_roles_say(tmp_path):
    drawn = np.arange(len(CROWD)) % 4
    storage.write_table(tmp_path / "roles", schemas.ROLES, {"role": drawn})
    train, test = sides(CROWD, read_roles(str(tmp_path / "roles"), CROWD))
    np.testing.assert_array_equal(train.user, CROWD.user[drawn == Role.TRAIN])
    np.testing.assert_array_equal(test.item, CROWD.item[drawn == Role.TEST])
    assert (train.n_users, test.n_items) == (CROWD.n_users, CROWD.n_items)


def test_roles_of_other_interactions_are_refused(tmp_path):
    storage.write_table(tmp_path / "roles", schemas.ROLES, {"role": [0, 1]})
    with pytest.raises(ArtefactError, match=f"contains 2 roles for {len(CROWD)} interactions"):
        read_roles(str(tmp_path / "roles"), CROWD)


def test_a_model_scores_alike_after_it_was_written_and_read(tmp_path):
    model = plugins.build("recommender", "user_knn(k=5)").fit(CROWD, Stream.of(0).generator())
    write_model(tmp_path / "model.npz", model)
    read = read_model(tmp_path / "model.npz", plugins.build("recommender", "user_knn(k=5)"))
    users = np.arange(CROWD.n_users)
    np.testing.assert_array_equal(read.score(CROWD, users), model.score(CROWD, users))


def test_the_model_of_another_recommender_is_refused(tmp_path):
    model = plugins.build("recommender", "user_knn(k=5)").fit(CROWD, Stream.of(0).generator())
    write_model(tmp_path / "model.npz", model)
    with pytest.raises(ArtefactError, match=r"holds 'user_knn\(.*k=5,.*similarity=cosine\)', not 'user_knn\(.*k=6,"):
        read_model(tmp_path / "model.npz", plugins.build("recommender", "user_knn(k=6)"))
