"""Compare each recommender's defaults with the median of its own search space, on validation data of four small data sets.

    RECSENS_DATA=... python benchmarks/defaults.py [--trials 11] [--minutes 20] [--systems ease pure_svd] > defaults.csv

A default that the median of random draws beats is a straw man: whoever uses it compares with less than chance gives. Values are
nDCG@10 on a fifth of a random train set of four fifths; test sets are not read. Recommenders come in the order of their time, and
those for which no time is left are not measured.
"""

import csv
import sys
import time
from collections.abc import Sequence
from statistics import median

import recsens
from command_line import parser
from recsens.outcomes.measuring.trials import tune
from recsens.recommenders.tuned import Tuned

DATA = {
    "ML-100K": "movielens",
    "latest-small": "movielens(release=latest-small)",
    "FilmTrust": 'delimited(path="filmtrust/ratings.txt",separator=" ",lowest=0.5,highest=4,step=0.5,duplicates=last)',
    "CM100K": "cm100k",
}
SYSTEMS = (
    "rp3beta pure_svd ease item_knn user_knn rocchio kld wrmf hkv nmf uir_item fs_slim bpr chi2 plsa bpr_implicit "
    "lm_wsr_ub lm_wsr_ib rm2 ht lda slim"
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each recommender and data set."""
    options = parser(__doc__)
    options.add_argument("--trials", type=int, default=11)
    options.add_argument("--minutes", type=float, default=20)
    options.add_argument("--systems", nargs="*", default=SYSTEMS.split())
    given = options.parse_args(arguments)
    data = {"tiny": "simulated(users=60,items=110,ratings=1500)"} if given.tiny else DATA
    folds = {label: recsens.split(recsens.load(text)).train for label, text in data.items()}
    out = csv.writer(sys.stdout)
    out.writerow(["system", "data set", "default", "median", "best", "chosen", "seconds"])
    end = time.monotonic() + 60 * given.minutes
    for system in given.systems[: 2 if given.tiny else None]:
        for label, train in folds.items():
            if time.monotonic() > end:
                return
            began = time.monotonic()
            fold = train.fold
            tuned = Tuned.build(f"tuned(of={system},search=random(trials={given.trials}))")
            found = tune(tuned, train.interactions, None, identity=fold.ratings.identity, fold=fold.name, seed=1)
            default, *drawn = [trial.mean for trial in found.trials]
            if not drawn:
                continue
            values = [f"{value:.4f}" for value in (default, median(drawn), max(default, *drawn))]
            out.writerow([system, label, *values, found.chosen, f"{time.monotonic() - began:.1f}"])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
