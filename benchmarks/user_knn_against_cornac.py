"""Find neighbours and score all items for all users with our user_knn and with Cornac's UserKNN; print times and their ratio.

    RECSENS_DATA=... python benchmarks/user_knn_against_cornac.py [--users 6040]

Half of MovieLens 1M, 100 neighbours by cosine. Both use as many threads as there are processors, Cornac in fitting and scoring,
ours only in fitting. The models use neighbours differently: Cornac takes the 100 nearest users among those who rated an item, and
divides by the sum of similarities. With fewer ``--users``, Cornac scores only the first ones, and its time is scaled up. Cornac is
not one of our dependencies; without it, only our own time is printed.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from time import perf_counter

import numpy as np

from command_line import parser
from halves_of_ml_1m import halves
from recsens.data.interactions import Interactions
from recsens.recommenders.nearest_neighbours import UserKNN
from recsens.testing import checkerboard

K = 100
BLOCK = 512


def ours(train: Interactions) -> float:
    """Return the seconds of fitting and scoring."""
    start = perf_counter()
    model = UserKNN(k=K).fit(train, np.random.default_rng(1))
    for first in range(0, train.n_users, BLOCK):
        model.score(train, np.arange(first, min(first + BLOCK, train.n_users)))
    return perf_counter() - start


def cornacs(train: Interactions, n_users: int) -> tuple[float, float]:
    """Return the seconds of fitting and of scoring, scaled up to all users."""
    from cornac.data import Dataset  # may be absent
    from cornac.models import UserKNN as CornacUserKNN

    triples = zip(train.user.tolist(), train.item.tolist(), train.values.tolist(), strict=True)
    data = Dataset.from_uir(triples)
    start = perf_counter()
    model = CornacUserKNN(k=K, similarity="cosine", verbose=False).fit(data)
    fitted = perf_counter()
    for user in range(n_users):
        model.score(user)
    return fitted - start, (perf_counter() - fitted) / n_users * data.num_users


def main(command: Sequence[str] | None = None) -> None:
    """Time both."""
    accepted = parser(__doc__)
    accepted.add_argument("--users", type=int, default=6040, help="users that Cornac scores")
    arguments = accepted.parse_args(command)
    train = halves(tiny=arguments.tiny)[0]
    ours(checkerboard().train)  # compiles what is needed
    own = min(ours(train) for _ in range(3))
    print(f"{len(train):,} ratings, {train.n_users:,} users, {train.n_items:,} items, k = {K}")
    print(f"ours   {own:7.2f} s")
    if find_spec("cornac") is None:
        print("Cornac is not installed")
        return
    fit, score = cornacs(train, min(arguments.users, train.n_users))
    print(f"Cornac {fit + score:7.2f} s (fit {fit:.2f}, scores of {arguments.users:,} users scaled to all: {score:.2f})")
    print(f"Cornac takes {(fit + score) / own:.0f} times as long (at least 20)")


if __name__ == "__main__":
    main()
