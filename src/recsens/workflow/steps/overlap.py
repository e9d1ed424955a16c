"""Measure the overlap of two systems' lists under the base design."""

from collections.abc import Sequence

import numpy as np

from recsens.artefacts import schemas, storage
from recsens.metrics import Heads, Overlap, overlaps
from recsens.pipeline.table_files import write_rows

_HEADER = ("dataset", "fold", "system_a", "system_b", "cutoff", *Overlap._fields, "n_users")


def overlap(
    *, lists: Sequence[str], table: str, groups: Sequence[tuple[str, str, Sequence[str], Sequence[tuple[str, str]], Sequence[int]]]
) -> None:
    """Write the table of overlaps: means over the ``n_users`` users with a list from both systems.

    Parameters
    ----------
    lists
        Files with the top lists of each system in each group, in the order of ``groups``.
    table
        The CSV file to write.
    groups
        For each group: data set or experiment, fold, systems, pairs of systems, and cut-offs. Empty if users have no lists, as
        under 1R.
    """
    left, rows = list(lists), []
    for dataset, fold, systems, pairs, cutoffs in groups:
        heads = dict(zip(systems, _read_heads(left[: len(systems)]), strict=True))
        del left[: len(systems)]
        for a, b in pairs:
            for cutoff, overlaps_at in zip(cutoffs, overlaps(heads[a], heads[b], tuple(cutoffs)), strict=True):
                n_users = int(np.count_nonzero(~np.isnan(overlaps_at.overlap)))
                means = [float(np.nanmean(values)) if n_users else float("nan") for values in overlaps_at]
                rows.append(dict(zip(_HEADER, (dataset, fold, a, b, cutoff, *means, n_users), strict=True)))
    write_rows(table, "overlap", rows)


def _read_heads(paths: Sequence[str]) -> list[Heads]:
    read = [storage.read_table(path, schemas.LISTS, ["user", "item"]) for path in paths]
    users = [storage.column(table, "user") for table in read]
    n_users = max((int(user.max(initial=-1)) for user in users), default=-1) + 1
    # Users without a list are missing from a file.
    starts = [np.concatenate([[0], np.cumsum(np.bincount(user, minlength=n_users))]).astype(np.int64) for user in users]
    return [Heads(storage.column(table, "item"), start) for table, start in zip(read, starts, strict=True)]
