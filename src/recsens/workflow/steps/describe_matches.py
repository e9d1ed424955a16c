"""Count users and items that are only in a score file or only in the data, under the base design."""

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from recsens.artefacts import schemas, storage
from recsens.pipeline.table_files import write_rows
from recsens.recommenders import Matching


def describe_matches(*, models: Sequence[str], users: Sequence[str], matched: str, labels: Sequence[tuple[str, str, str]]) -> None:
    """Write one row for each data set or experiment, fold and system with scores from files.

    ``labels`` has the data set, fold and system of each row, in the order of ``models`` and of ``users``. ``models`` are the stored
    models, which describe how the score files match. ``users`` are the counts of users in the systems' rankings.
    """
    rows = []
    for (dataset, fold, system), model, counted in zip(labels, models, users, strict=True):
        _, arrays = storage.read_arrays(model, schemas.MODEL)
        matching = Matching.read(arrays)
        table = storage.read_table(counted, schemas.RANKED_USERS)
        train, test, targets, scored, filled = (storage.column(table, name, "int64") for name in schemas.RANKED_USERS.names)
        is_judged = test > 0
        without = is_judged & ~matching.has_row
        rows.append(
            {
                "dataset": dataset,
                "fold": fold,
                "system": system,
                **asdict(matching.counts),
                "users": np.count_nonzero(is_judged),
                "users_without": np.count_nonzero(without),
                "cold_users": np.count_nonzero(without & (train == 0)),
                "pairs": targets[is_judged].sum(),
                "pairs_without": (targets - scored + filled)[is_judged].sum(),
            }
        )
    write_rows(matched, "matched", rows)
