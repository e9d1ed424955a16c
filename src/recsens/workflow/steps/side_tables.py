"""Read the side information on the users, items and interactions of a data set."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import InteractionFiles, SideFiles
from recsens.data.datasets import DataSet, names_of_codes

log = logging.getLogger(__name__)


def side_tables(
    *, data: InteractionFiles, files: Sequence[str] = (), side: SideFiles, spec: str, digests: Sequence[str] = ()
) -> None:
    """Write a filtered data set's side-information columns, with the same rows as its id tables and interactions.

    Parameters
    ----------
    data
        The filtered data set.
    files
        Side files, as `DataSet.side_files` lists them; empty if there are none.
    side
        Files to write.
    spec
        The data set with every parameter.
    digests
        SHA-256 of each side file, for the log.
    """
    for file, digest in zip(files, digests, strict=True):
        log.info("the data are described by %s (sha256 %s)", file, digest)
    users, items = (storage.read_table(path, schemas.IDS) for path in (data.user_ids, data.item_ids))
    component = DataSet.build(spec)
    names = [table.column("id").to_pylist() for table in (users, items)]
    paths = [Path(file) for file in files]
    described = component.describe(paths, *names)
    _write_columns(side.user_columns, users, described.users)
    _write_columns(side.item_columns, items, described.items)
    pairs = storage.read_table(data.interactions, schemas.INTERACTIONS, ["user", "item"])
    codes = {name: storage.column(pairs, name) for name in pairs.column_names}
    of_pairs = map(names_of_codes, names, codes.values())
    storage.write_table(side.contexts, schemas.CONTEXTS, {**codes, **component.describe_interactions(paths, *of_pairs)})


def _write_columns(path: str, ids: Any, columns: Mapping[str, Sequence[Any]]) -> None:
    storage.write_table(path, schemas.SIDE_COLUMNS, {"key": storage.column(ids, "key"), **columns})
