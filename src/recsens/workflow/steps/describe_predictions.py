"""Count each system's predicted ratings that lie outside the scale, under the base design."""

from collections.abc import Sequence

from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import PositionFiles
from recsens.artefacts.folds import read_scale
from recsens.metrics import Predictions
from recsens.pipeline.table_files import write_rows


def describe_predictions(*, rankings: Sequence[PositionFiles], predictions: str, labels: Sequence[tuple[str, str, str]]) -> None:
    """Write one row for each data set or experiment, fold and system; ``labels`` has these names in the order of ``rankings``."""
    rows = []
    for (dataset, fold, system), files in zip(labels, rankings, strict=True):
        score = storage.column(storage.read_table(files.positions, schemas.POSITIONS, ["score"]), "score", "float64")
        scale = read_scale(files.dataset)
        predicted = Predictions.of(score, scale)
        rows.append(
            {
                "dataset": dataset,
                "fold": fold,
                "system": system,
                "scale_lowest": scale.lowest,
                "scale_highest": scale.highest,
                "predictions": predicted.n,
                "outside": predicted.n_outside,
                "lowest": predicted.lowest,
                "highest": predicted.highest,
            }
        )
    write_rows(predictions, "predictions", rows)
