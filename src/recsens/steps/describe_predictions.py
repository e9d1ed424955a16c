"""Describe predictions: how many predicted ratings of each system lie outside the scale, under the base design."""

from __future__ import annotations

from collections.abc import Sequence

from recsens import tables
from recsens.artefacts import read_scale
from recsens.metrics import Predictions
from recsens.steps._rows import write_rows


def describe_predictions(
    *, positions: Sequence[str], datasets: Sequence[str], predictions: str, labels: Sequence[tuple[str, str, str]]
) -> None:
    """Write one row a data set or experiment, fold and system, named by ``labels`` in the order of the files."""
    rows = []
    for (dataset, fold, system), path, record in zip(labels, positions, datasets, strict=True):
        score = tables.column(tables.read_table(path, tables.POSITIONS, ["score"]), "score", "float64")
        scale = read_scale(record)
        found = Predictions.of(score, scale)
        rows.append(
            {
                "dataset": dataset,
                "fold": fold,
                "system": system,
                "scale_lowest": scale.lowest,
                "scale_highest": scale.highest,
                "predictions": found.n,
                "outside": found.n_outside,
                "lowest": found.lowest,
                "highest": found.highest,
            }
        )
    write_rows(predictions, rows)
