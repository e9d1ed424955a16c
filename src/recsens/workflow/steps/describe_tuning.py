"""Collect the validation scores of every candidate of the tuned systems."""

from __future__ import annotations

from collections.abc import Sequence

from recsens.artefacts import schemas, storage
from recsens.artefacts.addresses import Address
from recsens.workflow.steps._rows import write_rows


def describe_tuning(*, records: Sequence[str], labels: Sequence[tuple[str, str]], tuning: str) -> None:
    """Write the table of tuning, one row per candidate; split and fold follow from the path of a record."""
    rows = []
    for path, (dataset, system) in zip(records, labels, strict=True):
        address = Address.parse(path)
        content = storage.read_json(path, schemas.TUNING)
        fold = {"dataset": dataset, **{step: address.step(step) for step in ("filter", "split", "fold")}, "system": system}
        for trial in content["trials"]:
            candidate = {"candidate": trial["candidate"], "spec": trial["spec"], "value": trial["mean"]}
            by = {"metric": content["metric"], "validation": content["split"], "chosen": trial["spec"] == content["chosen"]}
            rows.append({**fold, **candidate, **by})
    write_rows(tuning, rows)
