"""`recsens evaluate` compared with the command line of ir_measures on one run, including start-up and parsing.

    python benchmarks/evaluate_run.py

The first run has 20,000 users with lists of 100 items, and five metrics are computed. Goal: at most half of the processor time of
ir_measures. The second run has 480,000 users, and only its memory counts: it must stay below 4 GiB. The files, 1.8 GB, are drawn
into a temporary folder.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from command_line import parser

LENGTH, N_ITEMS, N_JUDGED = 100, 3700, 20
METRICS = ("nDCG@10", "AP", "P@10", "RR", "R@10")
BIN = Path(sys.executable).parent


def main(command: Sequence[str] | None = None) -> None:
    is_tiny = parser(__doc__).parse_args(command).tiny
    few, many, times = (20, 40, 1) if is_tiny else (20_000, 480_000, 3)
    with tempfile.TemporaryDirectory() as folder:
        run, qrels = draw(Path(folder), few)
        asked = [part for metric in METRICS for part in ("-m", metric)]
        ours = [str(BIN / "recsens"), "evaluate", str(run), str(qrels), "--relevance", "1", *asked]
        theirs = [str(BIN / "ir_measures"), str(qrels), str(run), " ".join(METRICS)]
        best_of(ours, 1)  # compiles
        (seconds, wall, _), (reference, their_wall, _) = best_of(ours, times), best_of(theirs, times)
        print(f"{few:,} users: recsens {seconds:.2f} s of the processor, {wall:.2f} s in all")
        ratios = f"{seconds / reference:.2f}, {wall / their_wall:.2f}"
        print(f"ir_measures {reference:.2f} s, {their_wall:.2f} s: ratios {ratios} (goal 0.5)")
        run, qrels = draw(Path(folder), many)
        ours[2:4] = [str(run), str(qrels)]
        seconds, wall, memory = best_of(ours, 1)
        print(f"{many:,} users: {seconds:.1f} s of the processor, {wall:.1f} s in all, {memory / 2**20:.2f} GiB (goal 4)")


def draw(folder: Path, n_users: int) -> tuple[Path, Path]:
    """Write a run and judgements; 4,000 lists are drawn and reused for all other users."""
    rng = np.random.default_rng(1)
    lists, judged = [], []
    for _ in range(min(n_users, 4000)):
        items = rng.permutation(N_ITEMS)[: LENGTH + N_JUDGED]
        scores = np.sort(rng.random(LENGTH))[::-1]
        ranked = enumerate(zip(items[:LENGTH], scores, strict=True), 1)
        lists.append([f"Q0 i{i} {rank} {score:.6f} tag\n" for rank, (i, score) in ranked])
        relevant = np.concatenate([items[rng.permutation(LENGTH)[:8]], items[LENGTH : LENGTH + N_JUDGED - 8]])
        judged.append([f"0 i{i} {g}\n" for i, g in zip(relevant, rng.integers(1, 6, N_JUDGED), strict=True)])
    run, qrels = folder / "a.run", folder / "a.qrels"
    for path, parts in ((run, lists), (qrels, judged)):
        with path.open("w") as file:
            for user in range(n_users):
                file.write("".join([f"u{user} {line}" for line in parts[user % len(parts)]]))
    return run, qrels


def best_of(command: list[str], times: int) -> tuple[float, float, float]:
    """Run a command; return its processor time, its elapsed time and its memory in KiB."""
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, command
        found.append((usage.ru_utime + usage.ru_stime, time.perf_counter() - begun, usage.ru_maxrss))
    return min(found)


if __name__ == "__main__":
    main()
