"""Gradient descent for a PyTorch network, batch by batch."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.plugins import Plugin, refuse_missing_extra
from recsens.recommenders import Ints, progress
from recsens.recommenders._factors import refuse_divergence


class Labelled(NamedTuple):
    """Labelled pairs of users and items in random order.

    Attributes
    ----------
    user, item
        Codes of the pairs, shape (n,), int64.
    label
        Target output of a network for the pair, shape (n,), float32: here 1 for a rated pair, and 0 for a sampled pair.
    rated
        Number of the rated pair for which a pair was drawn (for a rated pair, its own number), shape (n,), int64; None if not
        requested.
    """

    user: Ints
    item: Ints
    label: NDArray[np.float32]
    rated: Ints | None = None


class RatedPairs:
    """A train set's rated pairs, for which every draw samples new unrated pairs.

    Parameters
    ----------
    matrix
        A stored entry for each pair that counts as rated, shape (n_users, n_items), with sorted indices.
    """

    def __init__(self, matrix: csr_array) -> None:
        counts = np.diff(matrix.indptr).astype(np.int64)
        self.user = np.repeat(np.arange(len(counts)), counts)
        self.item = matrix.indices.astype(np.int64)
        rated = np.bincount(self.item, minlength=matrix.shape[1]) > 0
        self._met = np.flatnonzero(rated)
        self._first = matrix.indptr.astype(np.int64)
        self._unrated = len(self._met) - counts
        # Count the unrated items before each rated item; the resulting keys ascend over all users.
        nth = np.arange(len(self.item)) - self._first[self.user]
        before = (np.cumsum(rated) - 1)[self.item] - nth
        self._before = self._pair_key(self.user, before)

    def _pair_key(self, user: Ints, unrated: Ints) -> Ints:
        return np.asarray(user * (len(self._met) + 1) + unrated)

    def draw(self, negatives: int, rng: np.random.Generator, *, numbered: bool = False) -> Labelled:
        """Return, shuffled, all rated pairs, and for each of them ``negatives`` unrated pairs of the same user.

        An unrated item is drawn uniformly, with replacement, from the items that only other users rated. A user who rated all items
        has only rated pairs. With ``numbered``, every pair has the number of the rated pair for which it was drawn.
        """
        user = np.repeat(self.user, negatives)
        meets_new = self._unrated[user] > 0
        user = user[meets_new]
        nth = rng.integers(self._unrated[user])
        # The nth unrated item comes after all rated items that have at most n unrated items before them.
        passed = np.searchsorted(self._before, self._pair_key(user, nth), side="right") - self._first[user]
        order = rng.permutation(len(self.user) + len(user))
        label = np.zeros(len(order), dtype=np.float32)
        label[: len(self.user)] = 1.0
        item = np.concatenate((self.item, self._met[nth + passed]))
        rated = None
        if numbered:
            number = np.arange(len(self.user))
            rated = np.concatenate((number, np.repeat(number, negatives)[meets_new]))[order]
        return Labelled(np.concatenate((self.user, user))[order], item[order], label[order], rated)


class Weights:
    """Named weights, which are views of a single vector; an optimiser can then change all of them in one call.

    A table has a row for each user, item or word; a step reads only a few of them. The gradient of a table is summed over the rows
    that were read, because PyTorch itself would allocate a whole table of zeros at each step.

    Parameters
    ----------
    torch
        The module ``torch``.
    start
        Initial weights, by name.
    tables
        Names of the weights that `rows` reads.
    """

    def __init__(self, torch: Any, start: Mapping[str, NDArray[Any]], tables: tuple[str, ...]) -> None:
        self.vector = torch.nn.Parameter(
            torch.from_numpy(np.concatenate([each.ravel() for each in start.values()], dtype=np.float32))
        )
        self.vector.grad = torch.zeros_like(self.vector)
        shapes = {name: each.shape for name, each in start.items()}
        self._values = dict(_weight_views(self.vector.data, shapes))
        self._gradients = dict(_weight_views(self.vector.grad, shapes))
        self._read: list[tuple[str, Any, Any]] = []
        for name in shapes.keys() - set(tables):
            self._values[name].requires_grad_()
            self._values[name].grad = self._gradients[name]

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def gradient(self, name: str) -> NDArray[np.float32]:
        """Return the gradient of the last step's loss with respect to the weights of this name."""
        return np.asarray(self._gradients[name].numpy())

    def rows(self, name: str, index: Any) -> Any:
        """Return rows of a table, shape (len(index), width), and record them for `differentiate`."""
        rows = self._values[name].index_select(0, index).requires_grad_()
        self._read.append((name, index, rows))
        return rows

    def differentiate(self, loss: Any) -> None:
        """Set the vector's gradient to the gradient of a loss."""
        self.vector.grad.zero_()
        loss.backward()
        for name, index, rows in self._read:
            self._gradients[name].index_add_(0, index, rows.grad)
        self._read.clear()

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Copy the weights."""
        return {name: value.detach().numpy().copy() for name, value in self._values.items()}


def _weight_views(vector: Any, shapes: Mapping[str, tuple[int, ...]]) -> Iterator[tuple[str, Any]]:
    end = 0
    for name, shape in shapes.items():
        first, end = end, end + int(np.prod(shape))
        yield name, vector[first:end].view(shape)


def pytorch(recommender: Plugin) -> Any:
    """Import PyTorch. Call this only within a fit: a process that has started PyTorch's threads cannot fork workers.

    Raises ConfigError if PyTorch is not installed.
    """
    refuse_missing_extra(type(recommender))
    import torch  # noqa: PLC0415  # as above

    return torch


@contextmanager
def on_one_thread(torch: Any) -> Iterator[None]:
    """Make PyTorch compute on one thread during the block; otherwise sums would depend on the number of threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


Optimiser = Literal["adam", "sgd"]
Loss = Literal["cross_entropy", "squared_error"]


class Network(Protocol):
    """A network to fit: the names of its tables of weights, and its scores for a batch of pairs."""

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables of weights; a batch reads only some of their rows."""
        ...

    def logits(self, torch: Any, weights: Weights, users: Any, items: Any, rated: Ints | None = None) -> Any:
        """Return a batch's scores s; ``rated`` gives the number of the rated pair for which each pair was drawn, if known."""
        ...


class Steps(NamedTuple):
    """The number, batch size and length of the steps.

    Attributes
    ----------
    epochs
        Number of times that pairs are drawn.
    batch_size
        Number of pairs per step.
    learning_rate
        Length of a step.
    """

    epochs: int
    batch_size: int
    learning_rate: float


def descend(
    recommender: Plugin,
    network: Network,
    start: Mapping[str, NDArray[Any]],
    draw: Callable[[], Labelled],
    steps: Steps,
    *,
    loss: Loss = "cross_entropy",
    optimiser: Optimiser = "adam",
) -> dict[str, NDArray[np.float32]]:
    """Return the weights after all epochs. Each epoch calls ``draw``; the loss is the mean over the pairs of a batch.

    Raises ConfigError if PyTorch is not installed, and DesignError if the weights do not stay finite.
    """
    torch = pytorch(recommender)
    lossy = _LOSSES[loss](torch)
    with on_one_thread(torch):
        weights = Weights(torch, start, network.tables)
        descent = _OPTIMISERS[optimiser](torch, weights.vector, steps.learning_rate)
        for _ in progress(range(steps.epochs), f"epochs of {recommender.plugin_name()}"):
            drawn = draw()
            for first in range(0, len(drawn.label), steps.batch_size):
                batch = slice(first, first + steps.batch_size)
                users, items, labels = (torch.from_numpy(each[batch]) for each in drawn[:3])
                rated = None if drawn.rated is None else drawn.rated[batch]
                weights.differentiate(lossy(network.logits(torch, weights, users, items, rated), labels))
                descent.step()
        learned = weights.arrays()
    refuse_divergence(recommender, learned.values(), "lower learning_rate")
    return learned


_LOSSES: Mapping[Loss, Callable[[Any], Any]] = {
    "cross_entropy": lambda torch: torch.nn.functional.binary_cross_entropy_with_logits,
    "squared_error": lambda torch: torch.nn.functional.mse_loss,
}

_OPTIMISERS: Mapping[Optimiser, Callable[[Any, Any, float], Any]] = {
    "adam": lambda torch, vector, rate: torch.optim.Adam([vector], lr=rate, fused=True),
    "sgd": lambda torch, vector, rate: torch.optim.SGD([vector], lr=rate),
}
