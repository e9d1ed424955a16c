"""Latent crosses: what is known of a user multiplies what a network says of a pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.interactions import Interactions
from recsens.recommenders._draws import normal_draws
from recsens.recommenders._fused import FusedNetwork
from recsens.recommenders._weights import Weights

_DEVIATION = 0.01


@dataclass(frozen=True, slots=True)
class CrossedNetwork:
    """s = h · [(1 + Σ_c x_c w_c) ∘ z] + b, where z is the hidden vector of a network (Beutel et al. 2018, section 5.2).

    Attributes
    ----------
    inner
        The network without context.
    context
        x of each user, shape (n_users, n features).
    """

    inner: FusedNetwork
    context: csr_array

    @property
    def tables(self) -> tuple[str, ...]:
        """Those of the network, and a row w_c for each feature."""
        return (*self.inner.tables, "context") if self.context.shape[1] else self.inner.tables

    def start(self, train: Interactions, rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
        """Draw w from N(0, 0.01²), so that gates start near 1, and the rest as without context."""
        start = self.inner.start(train, rng)
        if self.context.shape[1]:
            drawn = normal_draws(np.arange(self.context.shape[1]), self.inner.top, _DEVIATION, rng)
            start["context"] = drawn.astype(np.float32)
        return start

    def logits(self, torch: Any, weights: Weights, users: Any, items: Any) -> Any:
        """Return s for a batch of pairs, by PyTorch, shape (n pairs,)."""
        hidden = self.inner.hidden(torch, weights, users, items)
        if self.context.shape[1]:
            hidden = (1.0 + self._crossed(torch, weights, users)) * hidden
        return torch.nn.functional.linear(hidden, weights["output"], weights["bias"])[:, 0]

    def gated(self, weights: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return learnt weights with ``gates``, 1 + Σ_c x_c w_c of every user, in place of the w_c: all that scoring needs."""
        rest = {name: each for name, each in weights.items() if name != "context"}
        gates = np.ones((self.context.shape[0], self.inner.top))
        if self.context.shape[1]:
            gates += self.context @ weights["context"].astype(np.float64)
        return {**rest, "gates": gates}

    def _crossed(self, torch: Any, weights: Weights, users: Any) -> Any:
        """Return Σ_c x_c w_c for a batch of users."""
        of_batch = self.context[users.numpy()]
        nth = torch.from_numpy(np.repeat(np.arange(of_batch.shape[0]), np.diff(of_batch.indptr)))
        rows = weights.rows("context", torch.from_numpy(of_batch.indices.astype(np.int64)))
        values = torch.from_numpy(of_batch.data.astype(np.float32))
        sums = torch.zeros((of_batch.shape[0], self.inner.top))
        return sums.index_add(0, nth, rows * values[:, None])
