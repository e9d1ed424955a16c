"""Fit NeuMF with our neumf and with Cornac's NeuMF at equal settings; print seconds per epoch, peak memory, HR@10 and nDCG@10.

    RECSENS_DATA=... python benchmarks/neural.py [--epochs 20]

MovieLens 1M without the last rating of each user, which is ranked among all items that the user did not rate. Eight factors, a
tower of 64, 32, 16 and 8, four negatives, batches of 256, Adam with steps of .001, both by PyTorch on one thread. Our model needs
'make neural'. Cornac is not one of our dependencies; without it, only our own figures are printed. It initialises layers from other
distributions, and draws negatives from all items that the user has not rated.
"""

import resource
from collections.abc import Sequence
from importlib.util import find_spec
from time import perf_counter

import numpy as np

from command_line import parser
from halves_of_ml_1m import STREAM, board, movielens
from recsens.artefacts.folds import sides
from recsens.data.interactions import Interactions
from recsens.data.splitting.fixed_counts import LeaveOut
from recsens.recommenders.neural_collaborative import NeuMF

BLOCK = 512
MINUTES, GIB = 15, 4


def judged(scores_of, train: Interactions, test: Interactions) -> tuple[float, float]:
    """Return HR@10 and nDCG@10 of each tested user's one item among all unrated items; items without a score come last."""
    gains = []
    for first in range(0, len(test), BLOCK):
        users, items = test.user[first : first + BLOCK], test.item[first : first + BLOCK]
        scores = np.nan_to_num(scores_of(users), nan=-np.inf)
        held = scores[np.arange(len(users)), items].copy()
        scores[train.matrix[users].toarray() > 0] = -np.inf
        position = 1 + (scores > held[:, np.newaxis]).sum(axis=1)
        gains.append(np.where((position <= 10) & (held > -np.inf), 1 / np.log2(1 + position), 0.0))
    gain = np.concatenate(gains)
    return float((gain > 0).mean()), float(gain.mean())


def ours(train: Interactions, test: Interactions, epochs: int) -> tuple[float, float, float]:
    """Return the seconds of fitting, HR@10 and nDCG@10."""
    start = perf_counter()
    model = NeuMF(epochs=epochs).fit(train, np.random.default_rng(1))
    seconds = perf_counter() - start
    return seconds, *judged(lambda users: model.score(train, users.astype(np.int64)), train, test)


def cornacs(train: Interactions, test: Interactions, epochs: int) -> tuple[float, float, float]:
    """Return the same for Cornac, which numbers only the users and items of the train set."""
    import torch
    from cornac.data import Dataset
    from cornac.models import NeuMF as CornacNeuMF

    torch.set_num_threads(1)
    data = Dataset.from_uir(zip(train.user.tolist(), train.item.tolist(), np.ones(len(train)).tolist(), strict=True))
    start = perf_counter()
    model = CornacNeuMF(num_epochs=epochs, backend="pytorch", seed=1, verbose=False).fit(data)
    seconds = perf_counter() - start
    items = np.array(list(data.iid_map))

    def scores_of(users):
        scores = np.full((len(users), train.n_items), np.nan)
        for row, user in enumerate(users.tolist()):
            scores[row, items] = model.score(data.uid_map[user])
        return scores

    return seconds, *judged(scores_of, train, test)


def main(command: Sequence[str] | None = None) -> None:
    """Fit and evaluate both."""
    accepted = parser(__doc__)
    accepted.add_argument("--epochs", type=int, default=20, help="epochs of both")
    arguments = accepted.parse_args(command)
    data, epochs = (board(), 1) if arguments.tiny else (movielens(), arguments.epochs)
    train, test = sides(data, LeaveOut(which="random" if arguments.tiny else "last").roles(data, 0, STREAM))
    print(f"{len(train):,} ratings, {epochs} epochs")
    if find_spec("torch") is None:
        print("PyTorch is not installed: make neural")
        return
    # Imports PyTorch, and compiles what is needed.
    ours(*sides(board(), LeaveOut().roles(board(), 0, STREAM)), 1)
    seconds, *values = ours(train, test, epochs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"ours   {seconds / epochs:7.2f} s an epoch, {seconds / 60:.1f} min in all (at most {MINUTES})")
    print(f"       {peak:.2f} GiB (at most {GIB})")
    print("       HR@10 {:.4f}, nDCG@10 {:.4f}".format(*values))
    if find_spec("cornac") is None:
        print("Cornac is not installed")
        return
    theirs, *values = cornacs(train, test, epochs)
    print(f"Cornac {theirs / epochs:7.2f} s an epoch: {theirs / seconds:.1f} times as long")
    print("       HR@10 {:.4f}, nDCG@10 {:.4f}".format(*values))


if __name__ == "__main__":
    main()
