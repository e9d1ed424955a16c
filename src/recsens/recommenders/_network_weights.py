"""Weights of a network fitted with PyTorch."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


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
        self._values = dict(_views(self.vector.data, shapes))
        self._gradients = dict(_views(self.vector.grad, shapes))
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


def _views(vector: Any, shapes: Mapping[str, tuple[int, ...]]) -> Iterator[tuple[str, Any]]:
    end = 0
    for name, shape in shapes.items():
        first, end = end, end + int(np.prod(shape))
        yield name, vector[first:end].view(shape)
