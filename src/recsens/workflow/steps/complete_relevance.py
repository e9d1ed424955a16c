"""Write the complete relevance of a simulated data set."""

from recsens.artefacts import schemas, storage
from recsens.data.datasets import DataSet
from recsens.seeds import Origin


def complete_relevance(*, arrays: str, spec: str, origin: Origin) -> None:
    """Write the relevance of every pair of user and item, drawn from the same stream as the ratings."""
    component = DataSet.build(spec)
    storage.write_arrays(arrays, {"spec": str(component.spec)}, component.truth(origin.stream("ingest")), schemas.TRUTH)
