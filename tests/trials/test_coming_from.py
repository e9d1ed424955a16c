"""Models of other frameworks recommend as many of our first items as the column "alike" of docs/coming-from.md says.

Each framework has its own environment, made from a lock and kept in `build/trials`. A row without a share fails, and so does a
share that is no longer the measured one.
"""

import csv
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.files.scale import Scale
from trials.environments import PROGRAMS, call, python_of
from trials.pages import tables_of
from workspaces import made_once

FRAMEWORKS = ("RecBole", "LensKit", "Cornac", "implicit", "RePlay", "Surprise")
NO_SHARE = {"drawn", "not tried"}
"""What the column says instead of a share: lists are drawn at random; no index offers the library; nobody has compared the two."""
NOT_TRIED = {
    "Cornac": {"FM", "NeuMF"},
    "RePlay": {"SLIM"},
    "RecBole": {"FM", "NeuMF"},
}
"""Models that nobody has compared; Cornac's FM ends with an error of memory."""
DEPTH, ROUNDING = 10, 1e-6
CLOSE = 0.02
"""How far a share may be from the printed one: frameworks may draw other numbers in another version or on another processor."""


@dataclass(frozen=True)
class Pair:
    """A model of a framework and the component that the page sets beside it, with the printed share of common first items."""

    framework: str
    theirs: str
    ours: str
    alike: str


def tables() -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the framework of each table that has a column "alike", and its rows."""
    return ((framework, rows) for framework, head, rows in tables_of("coming-from.md") if "alike" in head)


def pairs() -> Iterator[Pair]:
    """Yield a pair for each model; a row may have one component for all of its models, or one for each."""
    for framework, rows in tables():
        for theirs, ours, alike, _ in rows:
            models = re.findall(r"`([A-Z]\w+(?:\(\w+=\d+\))?)`", theirs)
            components, shares = re.findall(r"`([^`]+)`", ours), alike.split(", ")
            if components and not components[0].startswith("from_file") and models:
                components *= len(models) // len(components)
                shares *= len(models) // len(shares)
                yield from (Pair(framework, *each) for each in zip(models, components, shares, strict=True))


PAIRS = list(pairs())


def test_every_model_with_a_counterpart_says_how_much_is_alike():
    assert {framework for framework, _ in tables()} == set(FRAMEWORKS)
    assert len(PAIRS) > 40
    assert [pair for pair in PAIRS if pair.alike not in NO_SHARE and not re.fullmatch(r"1\.000|\.\d{3}", pair.alike)] == []
    assert {pair.ours for pair in PAIRS if pair.alike == "drawn"} == {"random"}
    for framework in FRAMEWORKS:
        left_out = {pair.theirs for pair in PAIRS if pair.framework == framework and pair.alike == "not tried"}
        assert left_out == NOT_TRIED.get(framework, set()), framework


TRIED = [pair for pair in PAIRS if pair.alike not in NO_SHARE]


@pytest.fixture(scope="session")
def train(real_data) -> Interactions:
    """About 80 % of MovieLens 100K, drawn at random."""
    lines = [line.split() for line in real_data("ml-100k/u.data").read_text(encoding="utf-8").splitlines()]
    kept = np.random.default_rng(1).random(len(lines)) < 0.8
    user, item, rating, time = (
        np.array(column) for column in zip(*(row for row, is_in in zip(lines, kept, strict=True) if is_in), strict=True)
    )
    users, of_user = np.unique(user, return_inverse=True)
    items, of_item = np.unique(item, return_inverse=True)
    order = np.lexsort((of_item, of_user))
    return Interactions(
        user=of_user[order].astype(np.int32),
        item=of_item[order].astype(np.int32),
        rating=rating[order].astype(np.float64),
        timestamp=time[order].astype(np.int64),
        user_keys=np.arange(len(users)),
        item_keys=np.arange(len(items)),
        scale=Scale(),
        user_ids=users.astype(object),
        item_ids=items.astype(object),
    )


def lists_of(framework: str, train: Interactions, factory: pytest.TempPathFactory) -> dict[str, dict[str, list[str]]]:
    """Return the first items of each user, by model of the framework."""

    def make(root: Path) -> None:
        root.mkdir()
        with (root / "train.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["user", "item", "rating", "timestamp"])
            columns = (train.user_ids[train.user], train.item_ids[train.item], train.rating, train.timestamp)
            writer.writerows(zip(*columns, strict=True))
        models = [pair.theirs for pair in TRIED if pair.framework == framework]
        call(python_of(framework.lower()), PROGRAMS / "rows.py", framework.lower(), root, *models, folder=root)

    return json.loads((made_once(f"rows-{framework}", make, factory) / "lists.json").read_text(encoding="utf-8"))


def share_alike(lists: dict[str, list[str]], train: Interactions, component: str) -> float:
    """Return the share of a framework's first items that our scores also put among the first; equal scores count as alike."""
    ours = plugins.build("recommender", component).fit(train, np.random.default_rng(1)).score(train, np.arange(train.n_users))
    at = {str(item): position for position, item in enumerate(train.item_ids)}
    rated = train.matrix.toarray() != 0
    shares = []
    for user, name in enumerate(train.user_ids):
        if name in lists:
            scores = np.where(rated[user] | np.isnan(ours[user]), -np.inf, ours[user])
            last = np.sort(scores)[-DEPTH]
            shares.append(np.mean(scores[[at[item] for item in lists[name]]] >= last - ROUNDING * abs(last)))
    return float(np.mean(shares))


@pytest.mark.trial
@pytest.mark.parametrize("pair", TRIED, ids=lambda pair: f"{pair.framework}-{pair.theirs}")
def test_a_model_recommends_as_many_of_our_items_as_the_page_says(pair: Pair, train: Interactions, tmp_path_factory):
    if pair.framework == "RePlay" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    if re.match("gmf|mlp|neumf", pair.ours):
        pytest.importorskip("torch")
    lists = lists_of(pair.framework, train, tmp_path_factory)[pair.theirs]
    assert share_alike(lists, train, pair.ours) == pytest.approx(float(pair.alike), abs=CLOSE)
