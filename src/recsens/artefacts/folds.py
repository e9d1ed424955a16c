"""Read and write interactions and folds."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import InteractionFiles, SideFiles
from recsens.data.interactions import NAMING, Interactions, SideTable
from recsens.errors import ArtefactError
from recsens.files.scale import Scale
from recsens.vocabulary import Role


def write_interactions(
    interactions: Interactions,
    *,
    user_ids: Sequence[str],
    item_ids: Sequence[str],
    record: Mapping[str, Any],
    files: InteractionFiles,
) -> None:
    """Write a data set."""
    n = len(interactions)
    absent: list[None] = [None] * n
    storage.write_table(
        files.interactions,
        schemas.INTERACTIONS,
        {
            "user": interactions.user,
            "item": interactions.item,
            "rating": absent if interactions.rating is None else interactions.rating,
            "timestamp": absent if interactions.timestamp is None else interactions.timestamp,
        },
    )
    storage.write_table(files.user_ids, schemas.IDS, {"key": interactions.user_keys, "id": user_ids})
    storage.write_table(files.item_ids, schemas.IDS, {"key": interactions.item_keys, "id": item_ids})
    scale = interactions.scale
    declared = {name: value for name, value in asdict(scale).items() if value is not None}
    content = {**record, "scale": declared}
    storage.write_json(files.dataset, content, schemas.DATASET)


def read_interactions(files: InteractionFiles, side: Sequence[SideFiles] = ()) -> Interactions:
    """Read what `write_interactions` wrote, and add the side information in the files ``side``, if there are any.

    Raises
    ------
    ArtefactError
        If the contexts belong to other interactions.
    """
    columns = storage.read_columns(files.interactions, schemas.INTERACTIONS)
    user, item, timestamp = columns["user"], columns["item"], columns["timestamp"]
    assert user is not None
    assert item is not None
    user_keys, user_ids = _keys_and_ids(files.user_ids)
    item_keys, item_ids = _keys_and_ids(files.item_ids)
    return Interactions(
        user=user,
        item=item,
        rating=columns["rating"],
        timestamp=timestamp if len(user) else None,
        user_keys=user_keys,
        item_keys=item_keys,
        scale=read_scale(files.dataset),
        user_ids=user_ids,
        item_ids=item_ids,
        user_table=_side_table(side[0].user_columns, schemas.SIDE_COLUMNS) if side else None,
        item_table=_side_table(side[0].item_columns, schemas.SIDE_COLUMNS) if side else None,
        context_table=_side_table(side[0].contexts, schemas.CONTEXTS, user=user, item=item) if side else None,
    )


def _side_table(path: str, schema: pa.Schema, **pairs: NDArray[Any]) -> SideTable:
    """Read side information; refuse contexts unless they match the pairs of user and item row by row."""
    table = storage.read_table(path, schema)
    if not all(np.array_equal(storage.column(table, name), codes) for name, codes in pairs.items()):
        raise ArtefactError("the contexts belong to other interactions", where=path, remedy="delete the file and run again")
    described = [name for name in table.column_names if name not in {*schema.names, *NAMING}]
    return SideTable.of({name: table.column(name).to_pylist() for name in described})


def _keys_and_ids(path: str) -> tuple[NDArray[Any], NDArray[np.object_]]:
    table = storage.read_table(path, schemas.IDS)
    return storage.column(table, "key"), np.asarray(table.column("id").to_pylist(), dtype=np.object_)


def read_record(dataset: str) -> dict[str, Any]:
    """Read the record of a data set."""
    return storage.read_json(dataset, schemas.DATASET)


def read_scale(dataset: str) -> Scale:
    """Read the rating scale of a data set."""
    return Scale(**read_record(dataset)["scale"])


def read_roles(path: str, interactions: Interactions) -> NDArray[np.uint8]:
    """Read the roles of a fold and check them against the interactions.

    Raises
    ------
    ArtefactError
        If there is not one role per interaction.
    """
    roles = storage.column(storage.read_table(path, schemas.ROLES), "role")
    if len(roles) != len(interactions):
        raise ArtefactError(
            f"contains {len(roles)} roles for {len(interactions)} interactions", where=path, remedy="delete the file and run again"
        )
    return np.asarray(roles, dtype=np.uint8)


def sides(interactions: Interactions, roles: NDArray[np.uint8]) -> tuple[Interactions, Interactions]:
    """Return the train and the test set of a fold."""
    return interactions.take(roles == Role.TRAIN), interactions.take(roles == Role.TEST)


def complete_test_ratings(interactions: Interactions, roles: NDArray[np.uint8], truth: str) -> Interactions:
    """Return the true rating of every pair of user and item that is in neither train nor validation, sorted by user, then by item.

    ``truth`` is the file with the complete relevance of the unfiltered data set. A user's key is the number of the user's row
    there, and an item's key is the number of the item's column.
    """
    _, arrays = storage.read_arrays(truth, schemas.TRUTH)
    ratings = arrays["rating"][interactions.user_keys][:, interactions.item_keys]
    is_known = (roles == Role.TRAIN) | (roles == Role.VALIDATION)
    unknown = np.ones(ratings.shape, dtype=np.bool_)
    unknown[interactions.user[is_known], interactions.item[is_known]] = False
    user, item = np.nonzero(unknown)
    return replace(
        interactions,
        user=user.astype(np.int32),
        item=item.astype(np.int32),
        rating=ratings[unknown].astype(np.float64),
        timestamp=None,
        context_table=None,
    )


def train_and_validation(interactions: Interactions, roles: NDArray[np.uint8], train: Interactions) -> Interactions:
    """Return the interactions of train and validation; if there is no validation set, return the given ``train`` unchanged."""
    is_validation = roles == Role.VALIDATION
    return interactions.take((roles == Role.TRAIN) | is_validation) if is_validation.any() else train
