"""Write and read fitted recommenders."""

from pathlib import Path

from recsens.artefacts import schemas, storage
from recsens.errors import ArtefactError
from recsens.recommenders._base import Recommender


def write_model(path: str | Path, recommender: Recommender) -> None:
    """Write a recommender's learnt arrays, with its full spec as the header."""
    storage.write_arrays(path, {"spec": str(recommender.full_spec)}, recommender.learned, schemas.MODEL)


def read_model(path: str | Path, recommender: Recommender) -> Recommender:
    """Read a recommender with its learnt arrays.

    Raises ArtefactError if the file contains another recommender.
    """
    header, arrays = storage.read_arrays(path, schemas.MODEL)
    if header["spec"] != str(recommender.full_spec):
        raise ArtefactError(f"holds '{header['spec']}', not '{recommender.full_spec}'", where=str(path))
    return recommender.restore(arrays)
