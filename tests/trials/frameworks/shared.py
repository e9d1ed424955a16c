"""Code shared by the programs of all frameworks, which run in the framework's environment, without recsens."""

import csv
import json
import sys
import time
from pathlib import Path

DATA, OUT = map(Path, sys.argv[1:])
"""The folder with train.csv and test.csv, and the folder to write to, which holds recsens_export.py."""

sys.path.insert(0, str(OUT))
DEPTH = 10
begun = time.perf_counter()


def rated(side: str) -> list[tuple[str, str, float]]:
    """Read user, item and rating of each row."""
    with (DATA / f"{side}.csv").open(encoding="utf-8", newline="") as file:
        return [(row["user"], row["item"], float(row["rating"])) for row in csv.DictReader(file)]


def keep(name: str, lists: dict, told: str, *, split: str = "split", hides: bool = True) -> None:
    """Write the framework's own lists of one model, by raw names, and the exporter's output.

    ``split`` names the folder with the split; ``hides`` says whether the lists leave out a user's items in it.
    """
    global begun  # noqa: PLW0603 - a program of one thread
    named = {str(user): [str(item) for item in items] for user, items in lists.items()}
    kept = {"lists": named, "told": told, "seconds": time.perf_counter() - begun, "split": split, "hides": hides}
    (OUT / f"{name}.json").write_text(json.dumps(kept), encoding="utf-8")
    begun = time.perf_counter()
