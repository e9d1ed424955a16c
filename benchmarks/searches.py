"""Compare the fits of a search of 20 trials with 20 single fits: processor seconds on MovieLens 1M, per system.

    RECSENS_DATA=... python benchmarks/searches.py [--systems item_knn ease] [--trials 20] [--minutes 4] [--ranked] > searches.csv

The candidates are the default configuration and random draws from each recommender's own search space; they learn from a random .64
of the ratings, as the candidates of a study with an 80:20 split do. *together* are the fits of one search, which shares work among
candidates, *alone* the same fits one by one, and *ranked* is what measuring the candidates costs besides. If there is no time for
both, fewer candidates are fitted, the same in both, and the column *trials* says how many.
"""

import csv
import sys
import time
from collections.abc import Sequence

import numpy as np

import recsens
from command_line import parser
from recsens.data.interactions import Interactions
from recsens.outcomes.measuring.trials import tune
from recsens.recommenders import Recommender, learn, learn_each
from recsens.recommenders.tuned import Tuned
from recsens.seeds import Stream

SYSTEMS = "item_knn user_knn rp3beta ease pure_svd wrmf hkv bpr"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each recommender."""
    options = parser(__doc__)
    options.add_argument("--trials", type=int, default=20)
    options.add_argument("--minutes", type=float, default=4)
    options.add_argument("--systems", nargs="*", default=SYSTEMS.split())
    options.add_argument("--ranked", action="store_true", help="also run the whole search, with its rankings")
    given = options.parse_args(arguments)
    data = "simulated(users=60,items=110,ratings=1500)" if given.tiny else "movielens(release=1m)"
    fold = recsens.split(recsens.load(data), "random(ratio=0.8)").train
    known = recsens.split(recsens.load(data), "random(ratio=0.64)").train.interactions
    out = csv.writer(sys.stdout)
    out.writerow(["system", "trials", "together", "alone", "ratio", "search"])
    for system in given.systems[: 2 if given.tiny else None]:
        tuned = Tuned.build(f"tuned(of={system},search=random(trials={given.trials}))")
        candidates = [Recommender.build(each.spec) for each in tuned.candidates(Stream.of(1))]
        learn(candidates[0], known, np.random.default_rng(1))  # Load or compile the kernels.
        begun, alone, tried = time.monotonic(), 0.0, 0
        for candidate in candidates:
            alone += seconds_of([candidate], known, together=False)
            tried += 1
            # What is left is for the same candidates together.
            if time.monotonic() - begun > 30 * given.minutes / len(given.systems):
                break
        together = seconds_of(candidates[:tried], known, together=True)
        searched = ""
        if given.ranked:
            start = time.process_time()
            tune(tuned, fold.interactions, None, identity=fold.fold.ratings.identity, fold=fold.fold.name, seed=1)
            searched = f"{time.process_time() - start:.1f}"
        out.writerow([system, tried - 1, f"{together:.1f}", f"{alone:.1f}", f"{together / alone:.2f}", searched])
        sys.stdout.flush()


def seconds_of(candidates: Sequence[Recommender], train: Interactions, *, together: bool) -> float:
    """Return the processor seconds, of all threads, of fitting the candidates."""
    start = time.process_time()
    if together:
        for _ in learn_each(candidates, train, lambda: np.random.default_rng(1)):
            pass
    else:
        for candidate in candidates:
            learn(Recommender.build(candidate.spec), train, np.random.default_rng(1))
    return time.process_time() - start


if __name__ == "__main__":
    main()
