"""Describe: what the data sets look like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from recsens import tables
from recsens.artefacts import read_interactions
from recsens.describe import Description
from recsens.describe import describe as describe_interactions
from recsens.interactions import Interactions
from recsens.specs import format_number
from recsens.steps._rows import write_rows

_MOST_SHARES = 100
"""Most values of a rating whose shares are listed one by one."""

_NO_FILTER = {"chain": None, "step": None, "filter": None}


def describe(
    *,
    interactions: Sequence[str],
    user_ids: Sequence[str],
    item_ids: Sequence[str],
    records: Sequence[str],
    labels: Sequence[str],
    relevances: Sequence[float | None],
    datasets: str,
    filtered: Sequence[str] = (),
) -> None:
    """Write the table of data sets, one row a figure.

    ``relevances`` are the thresholds of the base designs, None for that of the data set's scale; ``filtered``, records of data
    sets, say what each filter leaves of them.
    """
    rows = []
    files = zip(labels, interactions, user_ids, item_ids, records, relevances, strict=True)
    for label, pairs, users, items, path, relevance in files:
        record = tables.read_json(path)
        data = read_interactions(interactions=pairs, user_ids=users, item_ids=items, dataset=path)
        common = {
            "spread": None,
            "published": None,
            "deviation": None,
            "spec": record["spec"],
            "digest": " ".join(record["sha256"]),
        }
        figures = {**_figures(describe_interactions(data)), "relevance": _threshold(data, relevance), **record["notes"]}
        for name, value in figures.items():
            rows.append({"dataset": label, "system": None, "metric": name, "value": value, **common, **_NO_FILTER})
    owners = {Path(path).parent.parent: label for label, path in reversed(list(zip(labels, records, strict=True)))}
    for path in filtered:
        rows += _effects(owners[Path(path).parent.parent], tables.read_json(path))
    write_rows(datasets, rows)


def _threshold(data: Interactions, relevance: float | None) -> float | None:
    """Return the lowest relevant rating under a design; None where the data set has no ratings, and everything is relevant."""
    if data.rating is None:
        return None
    return data.scale.relevance if relevance is None else relevance


def _effects(label: str, record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """List the sizes of a data set as it was read (step 0) and after each filter that really is one."""
    effects = [effect for effect in record["filters"] if effect["filter"] != "none"]
    chain = "+".join(effect["filter"] for effect in effects)
    states = [("", effects[0]["before"]), *((effect["filter"], effect["after"]) for effect in effects)] if effects else []
    common = {"spread": None, "published": None, "deviation": None, "spec": record["spec"], "digest": None, "chain": chain}
    return [
        {
            "dataset": label,
            "system": None,
            "metric": name,
            "value": value,
            **common,
            "step": str(step),
            "filter": link,
        }
        for step, (link, sizes) in enumerate(states)
        for name, value in sizes.items()
    ]


def _figures(found: Description) -> dict[str, float | None]:
    """Name every figure of a description by one word or phrase."""
    figures: dict[str, float | None] = {
        name: getattr(found, name) for name in ("users", "items", "ratings", "density", "gini", "mean_rating")
    }
    for name, spread in (("ratings_per_user", found.per_user), ("ratings_per_item", found.per_item)):
        figures |= {f"{name}_{figure}": value for figure, value in asdict(spread).items()}
    if len(found.histogram) > _MOST_SHARES:
        figures["distinct_ratings"] = len(found.histogram)
    else:
        figures |= {f"share_of_rating_{format_number(rating)}": count / found.ratings for rating, count in found.histogram}
    return figures | {"first_time": found.first_time, "last_time": found.last_time}
