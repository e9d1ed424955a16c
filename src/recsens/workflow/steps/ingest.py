"""Convert the publisher's files of a data set to interactions."""

import logging
from collections.abc import Sequence
from pathlib import Path

from recsens.artefacts import storage
from recsens.artefacts.filesets import InteractionFiles
from recsens.artefacts.folds import write_interactions
from recsens.data.datasets import DataSet, to_interactions
from recsens.files.timestamps import unit_of
from recsens.plugins.specs import parse
from recsens.seeds import Origin

log = logging.getLogger(__name__)


def ingest(
    *, files: Sequence[str] = (), data: InteractionFiles, spec: str, address: str, digests: Sequence[str] = (), origin: Origin
) -> None:
    """Read a data set and write it as interactions, id tables and a record of its source; side files are not read.

    Parameters
    ----------
    files
        Raw files; empty for simulated data.
    data
        Files to write.
    spec, address
        The data set with every parameter, and the spec that names its folder.
    digests
        SHA-256 of each raw file, for the record.
    origin
        The names of the random streams: seed, data set and fold.
    """
    component = DataSet.build(spec)
    storage.keep_spec(Path(data.dataset).parent, parse(address))
    loaded = component.load([Path(file) for file in files], origin.stream("ingest"))
    if loaded.timestamp is not None and (unit := unit_of(loaded.timestamp.max())) != "seconds":
        log.warning("the time stamps look like %s since 1970, and are compared with dates as such", unit)
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
        files=data,
    )
