"""Ingest: from the publisher's files to interactions."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from recsens import plugins, tables
from recsens.artefacts import write_interactions
from recsens.datasets import DataSet, to_interactions
from recsens.moments import unit_of
from recsens.seeds import Stream
from recsens.specs import parse

log = logging.getLogger(__name__)


def ingest(
    *,
    files: Sequence[str] = (),
    interactions: str,
    user_ids: str,
    item_ids: str,
    dataset: str,
    spec: str,
    address: str,
    identity: str,
    seed: int,
    digests: Sequence[str] = (),
) -> None:
    """Read a data set and write it as interactions, id tables and a record of what it is.

    Parameters
    ----------
    files
        Raw files, none for simulated data.
    interactions, user_ids, item_ids, dataset
        Files to write.
    spec, address, identity
        The data set with every parameter, the spec that its folder is named by, and its name in random streams.
    seed
        Root of all random streams.
    digests
        SHA-256 of each raw file, recorded.
    """
    component: DataSet = plugins.build("dataset", spec)
    tables.keep_spec(Path(dataset).parent, parse(address))
    loaded = component.load([Path(file) for file in files], Stream.of(seed, identity, "ingest"))
    if loaded.timestamp is not None and (unit := unit_of(loaded.timestamp.max())) != "seconds":
        log.warning("the time stamps look like %s since 1970: they are kept as they stand, and compared with no date", unit)
    for note, count in loaded.notes.items():
        log.warning("%s: %s", note, f"{count:,}")
    write_interactions(
        to_interactions(loaded),
        user_ids=loaded.user_ids,
        item_ids=loaded.item_ids,
        record={
            "spec": str(component.spec.without(*component.identity_excludes)),
            "sha256": list(digests),
            "notes": dict(loaded.notes),
        },
        user_columns=loaded.user_columns,
        item_columns=loaded.item_columns,
        paths={"interactions": interactions, "user_ids": user_ids, "item_ids": item_ids, "dataset": dataset},
    )
