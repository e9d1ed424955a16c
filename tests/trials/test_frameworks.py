"""The exporter preserves models trained by other frameworks: its lists equal each framework's own lists, with the same ids.

Each framework has its own environment, made from a lock and kept in `build/trials`, and a program in `frameworks`.
"""

import csv
import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from exported import rated, scores_in
from recsens.recommenders.program import Program
from recsens.testing import from_rows
from recsens.workflow.shipped import exporter_file
from trials.environments import PROGRAMS, call, python_of
from workspaces import REPOSITORY

pytestmark = pytest.mark.trial

ENVIRONMENT_OF = {
    "cornac": "cornac",
    "implicit": "implicit",
    "lenskit": "lenskit",
    "recbole": "recbole",
    "rectools": "rectools",
    "replay": "replay",
    "surprise": "surprise",
    "torch": "cornac",
}
PAGE = (REPOSITORY / "docs/your-model.md").read_text(encoding="utf-8")
LEAST_MODELS = {"cornac": 13, "implicit": 6, "lenskit": 9, "recbole": 10, "rectools": 6, "replay": 3, "surprise": 6, "torch": 2}
DEPTH = 10
ROUNDING = 1e-5
"""Scores that differ by less than this share of the user's largest score are ties: frameworks add in another order."""


@pytest.fixture(scope="session")
def data(real_data, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Split MovieLens 100K at random into train.csv and test.csv."""
    folder = tmp_path_factory.mktemp("data")
    rows = [line.split() for line in real_data("ml-100k/u.data").read_text(encoding="utf-8").splitlines()]
    is_train = np.random.default_rng(1).random(len(rows)) < 0.8
    for side, kept in (("train", is_train), ("test", ~is_train)):
        with (folder / f"{side}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["user", "item", "rating", "timestamp"])
            writer.writerows(row for row, is_kept in zip(rows, kept, strict=True) if is_kept)
    return folder


@pytest.mark.parametrize("framework", ENVIRONMENT_OF)
def test_the_lists_of_a_framework_come_out_of_the_files(framework: str, data: Path, tmp_path: Path):
    if framework == "replay" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    shutil.copy2(exporter_file(), tmp_path)
    program = PROGRAMS / f"{framework}_models.py"
    call(python_of(ENVIRONMENT_OF[framework]), program, data, tmp_path, folder=tmp_path)
    tried = sorted(tmp_path.glob("*.json"))
    assert len(tried) >= LEAST_MODELS[framework]
    told = []
    for model in tried:
        kept = json.loads(model.read_text(encoding="utf-8"))
        known, later = (rated(tmp_path / kept["split"] / f"{side}.csv") for side in ("train", "validation"))
        scores = scores_in(model.with_suffix(".npz"), known)
        hidden = {user: {*known.get(user, ()), *later.get(user, ())} if kept["hides"] else set() for user in kept["lists"]}
        distances = {user: distance(items, scores[user], hidden[user]) for user, items in kept["lists"].items()}
        differ = [user for user, found in distances.items() if not found <= ROUNDING]
        assert not differ, (model.stem, len(differ), differ[:5])
        size = model.with_suffix(".npz").stat().st_size / 1e6
        told.append(
            f"{framework} {model.stem}: {len(distances):,} users, largest difference {max(distances.values()):.1e}, {size:.2f} MB, "
            f"{kept['seconds']:.0f} s: {kept['told']}"
        )
    sys.stdout.write("\n".join(["", *told, ""]))  # shown by 'make trials ARGS=-rA'


def distance(items: list[str], scores: dict[str, float], hidden: set[str]) -> float:
    """Return how far the scores of a framework's list are from the highest ones of allowed items, as a share of the largest score.

    0 means that the lists are equal, except for ties; a list that is too short is infinitely far away.
    """
    best = sorted((score for item, score in scores.items() if item not in hidden), reverse=True)[:DEPTH]
    own = [scores[item] for item in items[: len(best)]]
    if len(own) != len(best):
        return float("inf")
    return max(map(abs, np.subtract(own, best)), default=0.0) / (max(map(abs, scores.values())) or 1.0)


@pytest.mark.parametrize(("framework", "words"), [("cornac", {}), ("recbole", {"model": "EASE"})])
def test_the_program_of_a_framework_on_the_page_scores_a_fold(framework: str, words: dict, tmp_path: Path):
    place, text = re.search(rf"^```python ({framework}_model\.py)\n(.+?)^```$", PAGE, re.MULTILINE | re.DOTALL).groups()
    (tmp_path / place).write_text(text, encoding="utf-8")
    files = (str(tmp_path / place), str(exporter_file()))
    rng = np.random.default_rng(1)
    rating = np.where(rng.random((60, 80)) < 0.3, rng.integers(1, 6, (60, 80)).astype(object), None)
    names = {"user_ids": [f"u{n}" for n in range(60)], "item_ids": [f"i{n}" for n in range(80)]}
    train = replace(
        from_rows(rating.tolist()),
        timestamp=np.arange(np.count_nonzero(rating), dtype=np.int64),
        **{what: np.array(each, dtype=object) for what, each in names.items()},
    )
    more = "".join(f" {{{word}}}" for word in words)
    run = f"{python_of(framework)} {place} {{train}} {{scores}}{more} {{seed}}"
    scores = Program(run=run, files=files, **words).fit(train, rng).score(train, np.arange(60))
    assert np.isfinite(scores[:, train.item_counts > 0]).all()
