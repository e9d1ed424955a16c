"""Describe: what the data sets look like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from recsens import tables
from recsens.artefacts import read_interactions
from recsens.describe import describe as describe_interactions
from recsens.steps._rows import write_rows


def describe(
    *,
    interactions: Sequence[str],
    user_ids: Sequence[str],
    item_ids: Sequence[str],
    records: Sequence[str],
    labels: Sequence[str],
    datasets: str,
) -> None:
    """Write the table of data sets, one row a figure."""
    rows = []
    for label, pairs, users, items, path in zip(labels, interactions, user_ids, item_ids, records, strict=True):
        record = tables.read_json(path)
        data = read_interactions(interactions=pairs, user_ids=users, item_ids=items, dataset=path)
        common = {
            "spread": None,
            "published": None,
            "deviation": None,
            "spec": record["spec"],
            "digest": " ".join(record["sha256"]),
        }
        figures = {**asdict(describe_interactions(data)), **record["notes"]}
        for name, value in figures.items():
            rows.append({"dataset": label, "system": None, "metric": name, "value": value, **common})
    write_rows(datasets, rows)
