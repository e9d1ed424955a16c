"""Read exported scores as the format's page says, with NumPy alone: a second reader with which to check files."""

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Profiles = dict[str, dict[str, float]]
"""User -> train item -> rating."""


def scores_in(path: Path, train: Profiles) -> dict[str, dict[str, float]]:
    """Return every score of every user, by the names in the raw data."""
    with np.load(path, allow_pickle=False) as file:
        held = dict(file)
    assert held["recsens_scores"] == 1
    users, items, scores = READERS[str(held["kind"])](held, train)
    named = [list(map(str, items))] * len(users)
    return {
        str(user): {item: score for item, score in zip(of, row, strict=True) if not np.isnan(score)}
        for user, of, row in zip(users, named, scores.tolist(), strict=True)
    }


def _dense(held: dict[str, NDArray], train: Profiles) -> tuple[NDArray, NDArray, NDArray]:
    return held["users"], held["items"], held["scores"].astype(np.float64)


def _factors(held: dict[str, NDArray], train: Profiles) -> tuple[NDArray, NDArray, NDArray]:
    scores = held["user_factors"].astype(np.float64) @ held["item_factors"].astype(np.float64).T + held.get("global_bias", 0.0)
    scores += held["user_biases"][:, None] if "user_biases" in held else 0.0
    return held["users"], held["items"], scores + held.get("item_biases", 0.0)


def _item_weights(held: dict[str, NDArray], train: Profiles) -> tuple[NDArray, NDArray, NDArray]:
    items = held["items"]
    at = {str(item): position for position, item in enumerate(items)}
    scores = np.full((len(train), len(items)), np.nan if str(held["unreached"]) == "none" else 0.0)
    for row, profile in zip(scores, train.values(), strict=True):
        for item, rating in profile.items():
            within = slice(*held["indptr"][at[item] : at[item] + 2])
            value = 1.0 if str(held["profile"]) == "ones" else rating
            reached = held["indices"][within]
            row[reached] = np.nan_to_num(row[reached]) + value * held["data"][within]
    return np.array(list(train)), items, scores


READERS = {"dense": _dense, "factors": _factors, "item_weights": _item_weights}


def rated(path: Path) -> Profiles:
    """Return the rated items of each user from a CSV file, of none if there is no file."""
    found: Profiles = {}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                found.setdefault(row["user"], {})[row["item"]] = float(row["rating"])
    return found
