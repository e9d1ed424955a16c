"""Describe the data sets of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from recsens.artefacts.addresses import Address
from recsens.artefacts.filesets import InteractionFiles
from recsens.artefacts.folds import read_interactions, read_record
from recsens.datasets import Description
from recsens.datasets import describe as describe_interactions
from recsens.interactions import Interactions
from recsens.specs import format_number
from recsens.workflow.steps._rows import write_rows

_MOST_SHARES = 100
"""Most distinct ratings for which the share of each is listed."""

_NO_FILTER = {"chain": None, "step": None, "filter": None}


def describe(
    *,
    data: Sequence[InteractionFiles],
    labels: Sequence[str],
    relevances: Sequence[float | None],
    datasets: str,
    filtered: Sequence[str] = (),
) -> None:
    """Write the table of data sets, one row per figure.

    ``relevances`` are the thresholds of the base designs, None for the default of the data set's scale; ``filtered`` are the
    records of filtered data sets, which hold their sizes after each filter.
    """
    rows = []
    for label, files, relevance in zip(labels, data, relevances, strict=True):
        record = read_record(files.dataset)
        interactions = read_interactions(files)
        common = {
            "spread": None,
            "published": None,
            "deviation": None,
            "spec": record["spec"],
            "digest": " ".join(record["sha256"]),
        }
        figures = {
            **_figures(describe_interactions(interactions)),
            "relevance": _threshold(interactions, relevance),
            **record["notes"],
        }
        for name, value in figures.items():
            rows.append({"dataset": label, "system": None, "metric": name, "value": value, **common, **_NO_FILTER})
    owners = {_unfiltered(files.dataset): label for label, files in reversed(list(zip(labels, data, strict=True)))}
    for path in filtered:
        rows += _effects(owners[_unfiltered(path)], read_record(path))
    write_rows(datasets, rows)


def _unfiltered(record: str) -> Address:
    """Return the address of the data set before filtering."""
    return Address.parse(record).up_to("dataset")


def _threshold(data: Interactions, relevance: float | None) -> float | None:
    """Return the lowest relevant rating under a design; None if the data set has no ratings: everything is relevant."""
    if data.rating is None:
        return None
    return data.scale.relevance if relevance is None else relevance


def _effects(label: str, record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """List the sizes of a data set as read (step 0) and after each filter other than ``none``."""
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


def _figures(description: Description) -> dict[str, float | None]:
    """Return every figure of a description by name."""
    figures: dict[str, float | None] = {
        name: getattr(description, name) for name in ("users", "items", "ratings", "density", "gini", "mean_rating")
    }
    for name, spread in (("ratings_per_user", description.per_user), ("ratings_per_item", description.per_item)):
        figures |= {f"{name}_{figure}": value for figure, value in asdict(spread).items()}
    if len(description.histogram) > _MOST_SHARES:
        figures["distinct_ratings"] = len(description.histogram)
    else:
        figures |= {
            f"share_of_rating_{format_number(rating)}": count / description.ratings for rating, count in description.histogram
        }
    return figures | {"first_time": description.first_time, "last_time": description.last_time}
