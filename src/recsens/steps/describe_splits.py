"""Describe splits: what the folds of a study look like."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recsens import tables
from recsens.steps._rows import write_rows


def describe_splits(
    *, records: Sequence[str], labels: Sequence[str], checks: Sequence[str] = (), check_labels: Sequence[str] = (), splits: str
) -> None:
    """Write the table of splits, one row a figure; the path of a record says which split, fold and target items it is of."""
    empty = dict.fromkeys(("spread", "published", "deviation"))
    rows = []
    for path, label in zip(records, labels, strict=True):
        *_, chain, split, fold, _ = Path(path).parts
        place = {"filter": chain, "split": split, "fold": fold, "targets": None, "user_selection": None}
        for name, value in tables.read_json(path).items():
            rows.append({"dataset": label, "system": None, "metric": name, "value": value, **empty, **place})
    for path, label in zip(checks, check_labels, strict=True):
        *_, chain, split, fold, _, _ = Path(path).parts
        content = tables.read_json(path)
        for found in content["audiences"]:
            selection = found.pop("user_selection")
            place = {"filter": chain, "split": split, "fold": fold, "targets": content["targets"], "user_selection": selection}
            for name, value in found.items():
                rows.append({"dataset": label, "system": None, "metric": name, "value": value, **empty, **place})
    write_rows(splits, rows)
