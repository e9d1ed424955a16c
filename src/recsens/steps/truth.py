"""Truth: the complete relevance of a simulated data set."""

from __future__ import annotations

from recsens import plugins, tables
from recsens.datasets import DataSet
from recsens.seeds import Stream


def truth(*, arrays: str, spec: str, identity: str, seed: int) -> None:
    """Write the complete relevance of every pair, drawn from the stream that the ratings were drawn from."""
    component: DataSet = plugins.build("dataset", spec)
    tables.write_arrays(arrays, {"spec": str(component.spec)}, component.truth(Stream.of(seed, identity, "ingest")))
