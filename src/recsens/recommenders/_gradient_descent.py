"""Gradient descent for a PyTorch network, batch by batch."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from recsens.plugins import Plugin, refuse_absent
from recsens.recommenders import Ints, progress
from recsens.recommenders._factors import refuse_divergence
from recsens.recommenders._network_weights import Weights
from recsens.recommenders._sampled_negatives import Labelled


def pytorch(recommender: Plugin) -> Any:
    """Import PyTorch. Call this only within a fit: a process that has started PyTorch's threads cannot fork workers.

    Raises ConfigError if PyTorch is not installed.
    """
    refuse_absent(type(recommender))
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


def descended(
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
