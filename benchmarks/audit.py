"""`recsens audit` on two sets of files, from the first file to the page: seconds and peak memory.

    python benchmarks/audit.py

The first set is MovieLens 1M in random halves, with the scores of five systems for all pairs, so that every rank is known: more
than 300 analyses of each of ten pairs by the t-test, with 10,000 patterns of signs. Goal: 60 s and 4 GiB. The second set has 20
million ratings of 138,000 users, drawn at random, and two runs with lists of 100 items. Goal: 3 minutes.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from command_line import parser
from halves_of_ml_1m import halves
from recsens.recommenders import Recommender

FACTORS = (5, 10, 20, 40, 80)
LENGTH = 100


def main(command: Sequence[str] | None = None) -> None:
    accepted = parser(__doc__)
    accepted.add_argument("--only", choices=("scores", "lists"), help="audit only one of the two sets")
    accepted.add_argument("--written", type=Path, help="a folder for the files, which are kept, instead of a temporary one")
    arguments = accepted.parse_args(command)
    sets = {"scores": (scores_of_five, ["--base", "test=t"], "60 s, 4 GiB"), "lists": (lists_of_many, [], "180 s")}
    with TemporaryDirectory() as temporary:
        for name, (write, options, goal) in sets.items():
            if arguments.only in {None, name}:
                folder = (arguments.written or Path(temporary)) / name
                if not folder.exists():
                    folder.mkdir(parents=True)
                    write(folder, is_tiny=arguments.tiny)
                seconds, wall, gibibytes, said = audited(folder, options)
                analyses = max(pair["distinct"] for pair in said["pairs"])
                print(f"{name}: {len(said['pairs'])} pairs, {analyses:,} analyses of each")
                print(f"  {seconds:.1f} s of the processor, {wall:.1f} s in all, {gibibytes:.2f} GiB (goal: {goal})", flush=True)


def scores_of_five(folder: Path, *, is_tiny: bool) -> None:
    """Write halves of MovieLens 1M, and the scores of five factorisations."""
    train, test = halves(tiny=is_tiny)
    for name, side in (("train", train), ("test", test)):
        write_set(folder / f"{name}.parquet", side.user, side.item, side.rating)
    for factors in (2, 3) if is_tiny else FACTORS:
        svd = Recommender.build(f"pure_svd(factors={factors})").fit(train, np.random.default_rng(factors))
        scores = svd.score(train, np.arange(train.n_users)).astype(np.float32)
        names = {"users": np.arange(train.n_users), "items": np.arange(train.n_items)}
        np.savez(folder / f"svd-{factors}.npz", recsens_scores=1, kind="dense", scores=scores, **names)


def lists_of_many(folder: Path, *, is_tiny: bool) -> None:
    """Draw ratings and two runs of lists; the items of a few thousand users are shifted for all others."""
    n_users, n_items, n_rated, length = (60, 300, 20, 10) if is_tiny else (138_000, 26_744, 145, LENGTH)
    rng = np.random.default_rng(1)
    drawn = np.stack([rng.permutation(n_items)[: n_rated + length] for _ in range(min(n_users, 4000))]).astype(np.int32)
    user = np.arange(n_users, dtype=np.int32)
    items = (drawn[user % len(drawn)] + 7 * user[:, np.newaxis]) % n_items
    rated = items[:, :n_rated]
    is_train = rng.random(rated.shape) < 0.8
    rating = rng.integers(1, 6, rated.shape).astype(np.float64)
    for name, chosen in (("train", is_train), ("test", ~is_train)):
        write_set(folder / f"{name}.parquet", np.nonzero(chosen)[0], rated[chosen], rating[chosen])
    for name, n_hits in (("A", length // 10), ("B", length // 8)):
        # The last rated items may be in train, and are then not ranked.
        listed = rng.permuted(items[:, n_rated - n_hits : n_rated - n_hits + length], axis=1)
        np.savez(
            folder / f"{name}.npz",
            recsens_scores=1,
            kind="lists",
            users=user,
            items=np.arange(n_items),
            indptr=np.arange(n_users + 1) * length,
            indices=listed.ravel(),
        )


def write_set(path: Path, user: np.ndarray, item: np.ndarray, rating: np.ndarray) -> None:
    pq.write_table(pa.table({"user": user, "item": item, "rating": rating}), path)


def audited(folder: Path, options: Sequence[str]) -> tuple[float, float, float, dict]:
    """Audit a folder; return processor time, elapsed time, peak memory in GiB, and the answer."""
    begun = time.perf_counter()
    to = folder.parent / f"{folder.name}-audit"
    command = [str(Path(sys.executable).parent / "recsens"), "audit", str(folder), "--to", str(to), "--json", *options]
    with (folder.parent / f"{folder.name}.json").open("w+") as answer:
        process = subprocess.Popen(command, stdout=answer)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, command
        answer.seek(0)
        said = json.load(answer)
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - begun, usage.ru_maxrss / 2**20, said


if __name__ == "__main__":
    main()
