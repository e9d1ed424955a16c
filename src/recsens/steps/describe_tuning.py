"""Describe tuning: what every candidate of a study's tuned systems came to on validation data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recsens import tables
from recsens.steps._rows import write_rows


def describe_tuning(*, records: Sequence[str], labels: Sequence[tuple[str, str]], tuning: str) -> None:
    """Write the table of tuning, one row a candidate; the path of a record says of which split and fold it is."""
    rows = []
    for path, (dataset, system) in zip(records, labels, strict=True):
        *_, chain, split, fold, _, _ = Path(path).parts
        content = tables.read_json(path)
        place = {"dataset": dataset, "filter": chain, "split": split, "fold": fold, "system": system}
        for trial in content["trials"]:
            found = {"candidate": trial["candidate"], "spec": trial["spec"], "value": trial["mean"]}
            by = {"metric": content["metric"], "validation": content["split"], "chosen": trial["spec"] == content["chosen"]}
            rows.append({**place, **found, **by})
    write_rows(tuning, rows)
