"""Split: which interactions teach, and which test."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from recsens import plugins, tables
from recsens.artefacts import read_interactions, sides
from recsens.errors import DesignError
from recsens.seeds import Stream
from recsens.splitting import Splitter
from recsens.vocabulary import Role


def split(
    *,
    interactions: str,
    user_ids: str,
    item_ids: str,
    dataset: str,
    roles: str,
    record: str,
    spec: str,
    identity: str,
    repeat: int,
    part: int,
    seed: int,
) -> None:
    """Give every interaction its role in one fold and record what the fold looks like.

    Raises
    ------
    DesignError
        If the data cannot be split this way, or one side stays empty.
    """
    data = read_interactions(interactions=interactions, user_ids=user_ids, item_ids=item_ids, dataset=dataset)
    component: Splitter = plugins.build("split", spec)
    tables.keep_spec(Path(roles).parents[1], plugins.address("split", component.spec))
    drawn = component.roles(data, part, Stream.of(seed, identity, "split", component.stream_name, repeat))
    train, test = sides(data, drawn)
    if len(train) == 0 or len(test) == 0:
        side = "train" if len(train) == 0 else "test"
        problem = f"split '{spec}' of '{identity}' leaves the {side} set empty"
        raise DesignError(problem, remedy="choose another split, or other parameters")
    tables.write_table(roles, tables.ROLES, {"role": drawn})
    tested = test.item_counts > 0
    tables.write_json(
        record,
        {
            "train": len(train),
            "test": len(test),
            "validation": int(np.count_nonzero(drawn == Role.VALIDATION)),
            "unused": int(np.count_nonzero(drawn == Role.UNUSED)),
            "ratio": len(train) / (len(train) + len(test)),
            "users_without_train": int(np.count_nonzero(train.user_counts == 0)),
            "users_without_test": int(np.count_nonzero(test.user_counts == 0)),
            "items_without_train": int(np.count_nonzero(train.item_counts == 0)),
            "items_without_test": int(np.count_nonzero(~tested)),
            "test_ratings_of_items_without_train": int(test.item_counts[train.item_counts == 0].sum()),
            **component.facts(data, drawn),
        },
    )
