"""Split interactions into the roles of a fold, and describe the fold."""

import numpy as np
from numpy.typing import NDArray

from recsens.artefacts.addresses import Fold
from recsens.artefacts.folds import sides
from recsens.data.interactions import Interactions
from recsens.data.splitting import Splitter
from recsens.errors import DesignError
from recsens.seeds import Origin
from recsens.vocabulary import Role


def draw_roles(splitter: Splitter, data: Interactions, fold: Fold, origin: Origin) -> NDArray[np.uint8]:
    """Return each interaction's role in one fold, drawn from the random stream for data set, split and repeat.

    Raises
    ------
    DesignError
        If the data cannot be split this way, or if one side is empty.
    """
    drawn = splitter.roles(data, fold.part or 0, origin.stream("split", splitter.stream_name, fold.repeat))
    train, test = sides(data, drawn)
    if len(train) == 0 or len(test) == 0:
        side = "train" if len(train) == 0 else "test"
        problem = f"split '{splitter.full_spec}' of '{origin.identity}' leaves the {side} set empty"
        raise DesignError(problem, remedy="choose another split, or other parameters")
    return drawn


def fold_facts(splitter: Splitter, data: Interactions, drawn: NDArray[np.uint8]) -> dict[str, float]:
    """Describe a fold: the number of ratings by role, users and items that are missing from one side, and leaks from the future."""
    train, test = sides(data, drawn)
    tested, cold_users, cold_items = test.item_counts > 0, train.user_counts == 0, train.item_counts == 0
    return {
        "train": len(train),
        "test": len(test),
        "validation": int(np.count_nonzero(drawn == Role.VALIDATION)),
        "unused": int(np.count_nonzero(drawn == Role.UNUSED)),
        "ratio": len(train) / (len(train) + len(test)),
        "users_without_train": int(np.count_nonzero(cold_users)),
        "users_without_test": int(np.count_nonzero(test.user_counts == 0)),
        "items_without_train": int(np.count_nonzero(cold_items)),
        "items_without_test": int(np.count_nonzero(~tested)),
        "tested_users_without_train": int(np.count_nonzero(cold_users & (test.user_counts > 0))),
        "tested_items_without_train": int(np.count_nonzero(cold_items & tested)),
        "test_ratings_of_users_without_train": int(test.user_counts[cold_users].sum()),
        "test_ratings_of_items_without_train": int(test.item_counts[cold_items].sum()),
        **_leak_shares(train, test),
        **splitter.facts(data, drawn),
    }


def _leak_shares(train: Interactions, test: Interactions) -> dict[str, float]:
    """Return the share of test ratings that are older than the newest train rating of all users; empty without time stamps."""
    if train.timestamp is None or test.timestamp is None:
        return {}
    return {"test_ratings_older_than_train": float(np.mean(test.timestamp < train.timestamp.max()))}
