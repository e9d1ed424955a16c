"""Latent crosses, in which user and context features multiply a network's hidden vector."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.recommenders import Ids, Ints
from recsens.recommenders._factors import normal_draws
from recsens.recommenders._network_weights import Weights
from recsens.recommenders._neural_networks import FusedNetwork
from recsens.recommenders._side_features import means_by_user, side_features

_DEVIATION = 0.01


@dataclass(frozen=True, slots=True)
class CrossedNetwork:
    """s = h · [(1 + Σ_c x_c w_c) ∘ z] + b, where z is the hidden vector of a network (Beutel et al. 2018, section 5.2).

    Attributes
    ----------
    inner
        The network without context.
    context
        The features x of each user, shape (n_users, n features).
    requests
        Additional features x of each rated pair, shape (n rated pairs, n features). An unrated pair has the x of the rated pair for
        which it was drawn.
    by
        The user of each rated pair, shape (n rated pairs,).
    """

    inner: FusedNetwork
    context: csr_array
    requests: csr_array
    by: Ids

    @classmethod
    def around(cls, inner: FusedNetwork, train: Interactions) -> CrossedNetwork:
        """Cross a network with side information on users and interactions; ``train`` gives the rated pairs and their order."""
        users, requests = side_features(train.n_users, train.user_table), side_features(len(train), train.context_table)
        return cls(inner, users, requests, train.user)

    @property
    def tables(self) -> tuple[str, ...]:
        """The network's own tables, and a row w_c for each feature."""
        return (*self.inner.tables, *self._crossing)

    @property
    def _crossing(self) -> dict[str, csr_array]:
        """The features, by weight name; none if there is no side information."""
        crossing = {"context": self.context, "request": self.requests}
        return {name: features for name, features in crossing.items() if features.shape[1]}

    def start(self, train: Interactions, rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
        """Draw w from N(0, 0.01²), which makes gates start near 1; draw all other weights as in the network without context."""
        start = self.inner.start(train, rng)
        for name, features in self._crossing.items():
            drawn = normal_draws(np.arange(features.shape[1]), self.inner.top, _DEVIATION, rng)
            start[name] = drawn.astype(np.float32)
        return start

    def logits(self, torch: Any, weights: Weights, users: Any, items: Any, rated: Ints | None = None) -> Any:
        """Return s for a batch of pairs, by PyTorch, shape (n pairs,)."""
        hidden = self.inner.hidden(torch, weights, users, items)
        rows = {"context": users.numpy(), "request": rated}
        crossed = [self._crossed(torch, weights, name, features[rows[name]]) for name, features in self._crossing.items()]
        if crossed:
            hidden = reduce(add, crossed, 1.0) * hidden
        return torch.nn.functional.linear(hidden, weights["output"], weights["bias"])[:, 0]

    def gated(self, weights: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return learnt weights in which ``gates``, every user's 1 + Σ_c x_c w_c, replace the w_c, which scoring does not need.

        The context of future interactions is unknown, so gates use the mean over the user's rated pairs.
        """
        rest = {name: each for name, each in weights.items() if name not in {"context", "request"}}
        gates = np.ones((self.context.shape[0], self.inner.top))
        if self.context.shape[1]:
            gates += self.context @ weights["context"].astype(np.float64)
        if self.requests.shape[1]:
            gates += means_by_user(self.requests @ weights["request"].astype(np.float64), self.by, len(gates))
        return {**rest, "gates": gates}

    def _crossed(self, torch: Any, weights: Weights, name: str, of_batch: csr_array) -> Any:
        """Return Σ_c x_c w_c for the features of a batch."""
        nth = torch.from_numpy(np.repeat(np.arange(of_batch.shape[0]), np.diff(of_batch.indptr)))
        rows = weights.rows(name, torch.from_numpy(of_batch.indices.astype(np.int64)))
        values = torch.from_numpy(of_batch.data.astype(np.float32))
        sums = torch.zeros((of_batch.shape[0], self.inner.top))
        return sums.index_add(0, nth, rows * values[:, None])
