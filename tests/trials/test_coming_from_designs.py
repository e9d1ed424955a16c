"""Splits and filters of other frameworks do what docs/coming-from.md says of them, with the code in its tables.

Each framework divides made data in its own environment. Filters and splits by time must give every interaction the same role, and
random splits the same sizes. What the column "difference" says is taken into account; a difference that it does not say fails.
"""

import csv
import json
import re
import shutil
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
LEAST = {"a user with a single rating": 2, "only users with more than K + 1 ratings": 3}
"""The fewest ratings of users who are compared, by what the page says of other users."""
ROUNDED = {"rounded differently": 1, "may differ by 4": 4}
"""By how much sizes may differ, by what the page says."""


@dataclass(frozen=True)
class Row:
    """A row of a table of splits and filters."""

    framework: str
    code: tuple[str, ...]
    ours: str
    difference: str


def designs() -> Iterator[Row]:
    """Yield the rows whose component here is a split or a filter."""
    known = {*plugins.names("split"), *plugins.names("filter")} - {"none", "predefined"}
    for framework, head, rows in tables_of("coming-from.md"):
        for theirs, ours, difference in rows if len(head) == 3 and framework != "Elliot" else ():
            component = ours.strip("`")
            if re.split(r"\W", component)[0] in known:
                yield Row(framework, tuple(re.findall(r"`(.+?)`", theirs)), component, difference)


DESIGNS = list(designs())


def made(framework: str) -> Interactions:
    """Return made data with distinct times in which users have up to 40 ratings, and at least one; Cornac refuses a single one."""
    rng = np.random.default_rng(1)
    rating = rng.integers(1, 6, (61, 50)).astype(object)
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


def ours(row: Row, data: Interactions) -> NDArray[np.int64]:
    """Return each interaction's role in each fold; those that a filter drops are unused."""
    if re.split(r"\W", row.ours)[0] in plugins.names("split"):
        split = plugins.build("split", row.ours)
        return np.array([split.roles(data, fold, STREAM) for fold in range(split.n_folds)]).astype(np.int64)
    left = data
    for link in parse_chain(row.ours):
        left = plugins.build("filter", link).apply(left, STREAM)
    kept = np.isin(data.user * data.n_items + data.item, left.user * left.n_items + left.item)
    return np.where(kept, Role.TRAIN, Role.UNUSED)[np.newaxis].astype(np.int64)


def sizes(roles: NDArray[np.int64], group: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the size of each role, by group; the order of folds does not count."""
    return np.sort([[np.bincount(group, fold == role) for role in Role] for fold in roles], axis=0).astype(np.int64)


@pytest.mark.trial
@pytest.mark.parametrize("row", DESIGNS, ids=lambda row: f"{row.framework}-{' '.join(row.code)}")
def test_a_split_or_filter_does_what_the_page_says(row: Row, tmp_path_factory: pytest.TempPathFactory):
    if row.framework == "RePlay" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    data = made(row.framework)
    compared = data.user_counts[data.user] >= max([1, *(least for said, least in LEAST.items() if said in row.difference)])
    there, here = theirs(row, data, tmp_path_factory)[:, compared], ours(row, data)[:, compared]
    assert there.shape == here.shape
    is_split = re.split(r"\W", row.ours)[0] in plugins.names("split")
    if not (is_split and plugins.build("split", row.ours).is_random):
        assert there.tolist() == here.tolist()
        return
    group = data.user[compared] if re.search("user|leave_out", row.ours) else np.zeros(np.sum(compared), dtype=np.int32)
    off = max([0, *(number for said, number in ROUNDED.items() if said in row.difference)])
    if "count=exact" not in row.ours and row.ours.startswith("random"):
        off = round(4 * np.sqrt(len(data) * 0.8 * 0.2))
    assert np.abs(sizes(there, group) - sizes(here, group)).max() <= off
    if row.ours.startswith("k_fold_users"):
        n_tested = [sorted(len(np.unique(group[fold == Role.TEST])) for fold in roles) for roles in (there, here)]
        assert n_tested[0] == n_tested[1]
        if "last" in row.ours or "temporal" in row.ours:
            assert ((there == Role.TEST).any(axis=0) == (here == Role.TEST).any(axis=0)).all()
