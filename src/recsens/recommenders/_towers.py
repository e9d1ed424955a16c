"""Towers: layers of a network, each narrower than the one below."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.plugins.frozen import frozen
from recsens.recommenders import Floats, Ints, Reals
from recsens.recommenders._compiled import compiled
from recsens.recommenders._products import factor_products

_TILE = 64
"""Items handled together: what a layer says of them stays in the first-level cache."""


def halving(narrowest: int, layers: int) -> tuple[int, ...]:
    """Return the widths of a tower from its input to its last layer, such as 64, 32, 16, 8."""
    return tuple(narrowest << above for above in range(layers, -1, -1))


def layer_names(layer: int) -> tuple[str, str]:
    """Return the names of the weights and of the biases of a layer, counted from 1."""
    return f"layer_{layer}", f"biases_{layer}"


def tower_start(widths: Sequence[int], rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    """Draw the weights of all layers from U(-a, a), a = √(6 / (width below + width)) (Glorot & Bengio 2010); biases are zero."""
    start = {}
    for layer, (below, width) in enumerate(pairwise(widths), start=1):
        weights, biases = layer_names(layer)
        bound = np.sqrt(6.0 / (below + width))
        start[weights] = rng.uniform(-bound, bound, (width, below)).astype(np.float32)
        start[biases] = np.zeros(width, dtype=np.float32)
    return start


def climbed(torch: Any, weights: Any, bottom: Any, layers: int) -> Any:
    """Return z_L of z_l = max(0, W_l z_{l-1} + b_l), for a batch of inputs z_0, by PyTorch."""
    for layer in range(1, layers + 1):
        matrix, biases = layer_names(layer)
        bottom = torch.relu(torch.nn.functional.linear(bottom, weights[matrix], weights[biases]))
    return bottom


def tower_scores(learned: Mapping[str, NDArray[Any]], users: Reals, items: Reals, output: Reals) -> Floats:
    """Return h_u · z_L of every pair, where z_0 = [p_u; q_i], shape (n users, n_items), in float64.

    ``output`` holds h_u, shape (n users, width of the last layer). Every score is summed in one order and without BLAS, as in
    `recsens.recommenders._factors.factor_scores`.
    """
    n_layers = sum(name.startswith("layer_") for name in learned)
    weights = [learned[name].astype(np.float64) for layer in range(1, n_layers + 1) for name in layer_names(layer)]
    of_user, of_item = np.split(weights[0], [users.shape[1]], axis=1)
    # The first layer is a sum of what it says of the user and of the item.
    left = factor_products(users, of_user) + weights[1]
    right = factor_products(of_item, items)
    widths = np.array([len(biases) for biases in weights[1::2]])
    rest = np.concatenate([np.empty(0), *map(np.ravel, weights[2:])])
    outputs = np.ascontiguousarray(output, dtype=np.float64)
    scores = np.zeros((len(users), len(items)))
    _add_towers(frozen(left), frozen(right), frozen(rest), frozen(widths), frozen(outputs), scores)
    return scores


@compiled()
def _add_towers(left: Floats, right: Floats, rest: Floats, widths: Ints, output: Floats, out: Floats) -> None:
    """Add h_u · z_L to ``out``; ``rest`` holds weights and biases of the layers above the first."""
    n_rows, n_columns = out.shape
    below = np.empty((widths.max(), _TILE))
    above = np.empty((widths.max(), _TILE))
    for first in range(0, n_columns, _TILE):
        n = min(_TILE, n_columns - first)
        for row in range(n_rows):
            for f in range(widths[0]):
                for c in range(n):
                    below[f, c] = max(left[row, f] + right[f, first + c], 0.0)
            at = 0
            for layer in range(1, len(widths)):
                n_in, n_out = widths[layer - 1], widths[layer]
                end = at + n_out * (n_in + 1)
                _climb(rest[at:end], n_in, n_out, n, below, above)
                below, above = above, below
                at = end
            for f in range(widths[-1]):
                weight = output[row, f]
                for c in range(n):
                    out[row, first + c] += weight * below[f, c]


@compiled()
def _climb(layer: Floats, n_in: int, n_out: int, n: int, below: Floats, above: Floats) -> None:
    """Set ``above`` to max(0, W z + b) of the ``n`` columns z of ``below``; ``layer`` holds W, row by row, and b."""
    for o in range(n_out):
        above[o, :n] = layer[n_out * n_in + o]
        for f in range(n_in):
            weight = layer[o * n_in + f]
            for c in range(n):
                above[o, c] += weight * below[f, c]
        for c in range(n):
            above[o, c] = max(above[o, c], 0.0)
