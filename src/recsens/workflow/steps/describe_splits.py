"""Describe the folds of a study."""

from __future__ import annotations

from collections.abc import Sequence

from recsens.artefacts import schemas, storage
from recsens.artefacts.addresses import Address
from recsens.workflow.steps._rows import write_rows


def describe_splits(
    *, records: Sequence[str], labels: Sequence[str], checks: Sequence[str] = (), check_labels: Sequence[str] = (), splits: str
) -> None:
    """Write the table of splits, one row per figure; split, fold and target items follow from the path of a record."""
    empty = dict.fromkeys(("spread", "published", "deviation"))
    rows = []
    for path, label in zip(records, labels, strict=True):
        described = {**_fold_of(path), "targets": None, "user_selection": None}
        for name, value in storage.read_json(path, schemas.SPLIT).items():
            rows.append({"dataset": label, "system": None, "metric": name, "value": value, **empty, **described})
    for path, label in zip(checks, check_labels, strict=True):
        content = storage.read_json(path, schemas.CHECK)
        for figures in content["audiences"]:
            selection = figures.pop("user_selection")
            described = {**_fold_of(path), "targets": content["targets"], "user_selection": selection}
            for name, value in figures.items():
                rows.append({"dataset": label, "system": None, "metric": name, "value": value, **empty, **described})
    write_rows(splits, rows)


def _fold_of(record: str) -> dict[str, str]:
    address = Address.parse(record)
    return {step: address.step(step) for step in ("filter", "split", "fold")}
