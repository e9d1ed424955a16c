"""Splits and filters of other frameworks do what docs/coming-from.md says of them, with the code in its tables.

Each framework divides made data in its own environment. Filters and splits by time must give every interaction the same role, and
random splits the same sizes. The column "difference" must say where they differ, and only there.
"""

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.plugins.specs import parse_chain
from recsens.seeds import Stream
from recsens.testing import from_rows
from recsens.vocabulary import Role
from trials.environments import PROGRAMS, call, python_of
from trials.pages import tables_of
from workspaces import made_once

STREAM = Stream.of(1, "trial")
LEAST = {"a user with a single rating": 2, "more than K + 1 ratings": 3, "with 5 ratings or fewer": 6, "with one or two ratings": 3}
"""The fewest ratings of users who are compared, by what the page says of other users."""
OFF = {"rounded differently": 1, "rounded differently, twice": 2, "may differ by up to four": 4}
"""By how much sizes may differ, by what the page says."""


NO_DESIGN = {
    "RecBole": [
        "parquet(duplicates=last)",
        "predefined",
        "ar",
        "rel_plus_n(n=100)",
        "one_r(n=100,draw=per_rating,sampling=popularity)",
    ],
    "Cornac": ["predefined"],
}
"""Components of rows that no trial compares: they read files, or select items to rank."""


@dataclass(frozen=True)
class Row:
    """A row of a table of splits and filters."""

    framework: str
    code: tuple[str, ...]
    ours: str
    difference: str

    @property
    def is_split(self) -> bool:
        """Whether the component is a split and not a filter."""
        return re.split(r"\W", self.ours)[0] in plugins.names("split")


def designs() -> Iterator[Row]:
    """Yield the rows whose component here is a split or a filter."""
    known = {*plugins.names("split"), *plugins.names("filter")} - {"none", "predefined"}
    for framework, head, rows in tables_of("coming-from.md"):
        for theirs, ours, difference in rows if len(head) == 3 and framework != "Elliot" else ():
            component = ours.strip("`")
            if re.split(r"\W", component)[0] in known:
                yield Row(framework, tuple(re.findall(r"`(.+?)`", theirs)), component, difference)


DESIGNS = list(designs())


def test_every_split_and_filter_is_tried():
    known = {name for kind in ("dataset", "split", "filter", "targets") for name in plugins.names(kind)} - {"none"}
    tried = {(row.framework, row.ours) for row in DESIGNS}
    left_out: dict[str, list[str]] = {}
    for framework, head, rows in tables_of("coming-from.md"):
        for _, ours, *_ in rows if len(head) == 3 and framework != "Elliot" else ():
            component = ours.strip("`")
            if re.split(r"\W", component)[0] in known and (framework, component) not in tried:
                left_out.setdefault(framework, []).append(component)
    assert left_out == NO_DESIGN


def made(framework: str) -> Interactions:
    """Return made data with distinct times in which users have up to 40 ratings, and at least one; Cornac refuses a single one."""
    rng = np.random.default_rng(1)
    rating = rng.integers(1, 6, (63, 50)).astype(object)
    for user, row in enumerate(rating):
        row[rng.permutation(50)[max(user % 41, 2 if framework == "Cornac" else 1) :]] = None
    data = from_rows(rating.tolist())
    start, days = 946_684_800, 730  # two years from 2000-01-01
    return replace(data, timestamp=start + rng.permutation(len(data)) * (days * 86_400 // len(data)))


def theirs(row: Row, data: Interactions, factory: pytest.TempPathFactory) -> NDArray[np.int64]:
    """Return each interaction's role in each fold, as the framework divides the data."""
    rows = [each for each in DESIGNS if each.framework == row.framework]

    def make(root: Path) -> None:
        root.mkdir(exist_ok=True)
        with (root / "data.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["user", "item", "rating", "timestamp"])
            writer.writerows(zip(data.user, data.item, data.rating, data.timestamp, strict=True))
        (root / "asked.json").write_text(json.dumps([each.code for each in rows]), encoding="utf-8")
        name = row.framework.lower()
        call(python_of(name), PROGRAMS / "designs.py", name, root, folder=root)

    roles = json.loads((made_once(f"designs-{row.framework}", make, factory) / "roles.json").read_text(encoding="utf-8"))
    return np.array(roles[rows.index(row)])


def ours(row: Row, data: Interactions) -> NDArray[np.float64]:
    """Return each interaction's role in each fold; or, for filters, its rating afterwards, and -1 if it is dropped."""
    if row.is_split:
        split = plugins.build("split", row.ours)
        return np.array([split.roles(data, fold, STREAM) for fold in range(split.n_folds)])
    left = data
    for link in parse_chain(row.ours):
        left = plugins.build("filter", link).apply(left, STREAM)
    found = np.full((data.n_users, data.n_items), -1.0)
    found[left.user, left.item] = left.values
    return found[data.user, data.item][np.newaxis]


def differences(row: Row, there: NDArray[np.float64], here: NDArray[np.float64], group: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return by how much the two differ, by group: in the interactions that have another role, or, at random, in the sizes."""
    if not (row.is_split and plugins.build("split", row.ours).is_random):
        return np.bincount(group, (there != here).any(axis=0)).astype(np.int64)
    sizes = [
        np.sort([[np.bincount(group, fold == role) for role in Role] for fold in roles], axis=0).astype(np.int64)
        for roles in (there, here)
    ]
    return np.asarray(np.abs(sizes[0] - sizes[1]).max(axis=(0, 1)))


@pytest.mark.trial
@pytest.mark.parametrize("row", DESIGNS, ids=lambda row: f"{row.framework}-{' '.join(row.code)}")
def test_a_split_or_filter_does_what_the_page_says(row: Row, tmp_path_factory: pytest.TempPathFactory):
    data = made(row.framework)
    there, here = theirs(row, data, tmp_path_factory), ours(row, data)
    assert there.shape == here.shape
    if row.ours.startswith("k_fold_users") and re.search("last|temporal", row.ours):
        # Users are drawn, but not which of their ratings are tested.
        there, here = (np.any(roles == Role.TEST, axis=0, keepdims=True) for roles in (there, here))
        row = replace(row, ours="leave_out(which=last)")
    by_user = not row.is_split or re.search("user|leave_out", row.ours)
    least = max([0, *(fewest for said, fewest in LEAST.items() if said in row.difference)])
    off = max([0, *(number for said, number in OFF.items() if said in row.difference)])
    found = differences(row, there, here, data.user if by_user else np.zeros_like(data.user))
    compared = data.user_counts >= least if by_user else np.array([True])
    if row.ours == "random(ratio=0.8)":
        off = round(4 * np.sqrt(len(data) * 0.8 * 0.2))  # each interaction is drawn independently on both sides
    assert found[compared].max() <= off
    # What the page says is a difference, too.
    assert off == 0 or found[compared].max() > 0
    assert least == 0 or found[~compared].max() > 0
