"""Interactions, folds and models between memory and their folder of the address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens import tables
from recsens.errors import ArtefactError
from recsens.interactions import Interactions, Scale
from recsens.recommenders import Recommender
from recsens.vocabulary import Role


def write_interactions(
    interactions: Interactions,
    *,
    user_ids: Sequence[str],
    item_ids: Sequence[str],
    record: Mapping[str, Any],
    user_columns: Mapping[str, Sequence[Any]],
    item_columns: Mapping[str, Sequence[Any]],
    paths: Mapping[str, str],
) -> None:
    """Write a data set as the four files ``interactions``, ``user_ids``, ``item_ids`` and ``dataset`` of ``paths``."""
    n = len(interactions)
    absent: list[None] = [None] * n
    tables.write_table(
        paths["interactions"],
        tables.INTERACTIONS,
        {
            "user": interactions.user,
            "item": interactions.item,
            "rating": absent if interactions.rating is None else interactions.rating,
            "timestamp": absent if interactions.timestamp is None else interactions.timestamp,
        },
    )
    tables.write_table(paths["user_ids"], tables.IDS, {"key": interactions.user_keys, "id": user_ids, **user_columns})
    tables.write_table(paths["item_ids"], tables.IDS, {"key": interactions.item_keys, "id": item_ids, **item_columns})
    scale = interactions.scale
    content = {**record, "scale": {"lowest": scale.lowest, "highest": scale.highest, "step": scale.step}}
    tables.write_json(paths["dataset"], content)


def read_interactions(*, interactions: str, user_ids: str, item_ids: str, dataset: str) -> Interactions:
    """Read what `write_interactions` wrote."""
    table = tables.read_table(interactions, tables.INTERACTIONS)
    rated = table.column("rating").null_count < len(table) or len(table) == 0
    timed = table.column("timestamp").null_count < len(table)
    return Interactions(
        user=tables.column(table, "user"),
        item=tables.column(table, "item"),
        rating=tables.column(table, "rating") if rated else None,
        timestamp=tables.column(table, "timestamp") if timed else None,
        user_keys=tables.column(tables.read_table(user_ids, tables.IDS, ["key"]), "key"),
        item_keys=tables.column(tables.read_table(item_ids, tables.IDS, ["key"]), "key"),
        scale=read_scale(dataset),
        user_ids=_names(user_ids),
        item_ids=_names(item_ids),
    )


def _names(ids: str) -> NDArray[np.object_]:
    return np.asarray(tables.read_table(ids, tables.IDS, ["id"]).column("id").to_pylist(), dtype=np.object_)


def read_scale(dataset: str) -> Scale:
    """Read the rating scale of a data set."""
    return Scale(**tables.read_json(dataset)["scale"])


def read_roles(path: str, interactions: Interactions) -> NDArray[np.uint8]:
    """Read the roles of a fold, which must fit the interactions.

    Raises
    ------
    ArtefactError
        If there is not one role per interaction.
    """
    roles = tables.column(tables.read_table(path, tables.ROLES), "role")
    if len(roles) != len(interactions):
        raise ArtefactError(
            f"holds {len(roles)} roles for {len(interactions)} interactions", where=path, remedy="delete the file and run again"
        )
    return np.asarray(roles, dtype=np.uint8)


def sides(interactions: Interactions, roles: NDArray[np.uint8]) -> tuple[Interactions, Interactions]:
    """Return the train and the test set of a fold."""
    return interactions.take(roles == Role.TRAIN), interactions.take(roles == Role.TEST)


def known(interactions: Interactions, roles: NDArray[np.uint8], train: Interactions) -> Interactions:
    """Return what is known before the test: train and validation set, or ``train`` itself where the fold has no such."""
    is_validation = roles == Role.VALIDATION
    return interactions.take((roles == Role.TRAIN) | is_validation) if is_validation.any() else train


def write_model(path: str | Path, recommender: Recommender) -> None:
    """Write what a recommender learnt, with its full spec as header."""
    tables.write_arrays(path, {"spec": str(recommender.full_spec)}, recommender.learned)


def read_model(path: str | Path, recommender: Recommender) -> Recommender:
    """Return the recommender with what it learnt.

    Raises
    ------
    ArtefactError
        If the file holds another recommender.
    """
    header, arrays = tables.read_arrays(path)
    if header["spec"] != str(recommender.full_spec):
        raise ArtefactError(f"holds '{header['spec']}', not '{recommender.full_spec}'", where=str(path))
    return recommender.restore(arrays)
