"""The names of users and items in the data set, as a score file must spell them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Ints
from recsens.data.interactions import Interactions
from recsens.errors import DataError, DesignError


def names_of(train: Interactions, path: Path) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    """Return the raw names of users and items.

    Raises
    ------
    DesignError
        If the train set has no raw names.
    """
    if train.user_ids is None or train.item_ids is None:
        raise DesignError(f"'{path}' names users and items by their raw names, but these data have no names")
    return train.user_ids, train.item_ids


def refuse_strangers(path: Path, of: Mapping[str, tuple[Any, Sequence[str], Ints]]) -> None:
    """Refuse a file if none of its users, or none of its items, is in the data set.

    For users and for items, ``of`` contains the data set's names, the file's names, and the index of each name of one list in the
    other list, or -1.

    Raises
    ------
    DataError
        If no user, or no item, of the file is in the data set; the message shows a name from the data set and a name from the file.
    """
    for what, (ids, names, codes) in of.items():
        if (codes < 0).all():
            raise DataError(
                f"the data set contains no {what} of the file",
                where=str(path),
                allowed=f"raw names such as '{ids[0]}'; the file has names such as '{names[0]}'" if len(ids) else None,
                remedy=f"write the {what}s as 'recsens export' does; names are text, so '007' is not '7', and '7.0' is not '7'",
            )
