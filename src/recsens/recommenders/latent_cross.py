"""Latent Cross: context multiplies a product of factors."""

from __future__ import annotations

from typing import Self

import numpy as np

from recsens.interactions import Interactions
from recsens.recommenders._collaborative import CollaborativeNetwork
from recsens.recommenders._crossed import CrossedNetwork
from recsens.recommenders._fused import FusedNetwork
from recsens.recommenders._side_features import side_features


class LatentCross(CollaborativeNetwork):
    """s(u, i) = h · [(1 + Σ_c x_uc w_c) ∘ p_u ∘ q_i] + b, learnt as ``gmf``; without context it is ``gmf``, byte by byte.

    The context x_u is what the side table of users holds: a feature for each level of a category or set, and one for each column of
    numbers, standardised. w_c starts from N(0, 0.01²), so that the gate starts near 1. The paper multiplies the hidden state of a
    recurrent network, and its context is that of a request (time, device); ours has no sequence and knows users only, so that the
    cross is on the hidden vector of the pair.

    Users and items without train ratings that count are not computable.
    """

    source = "Beutel, Covington, Jain, Xu, Li, Gatto & Chi (2018), Latent Cross, section 5.2; the network of He et al. (2017), GMF"
    needs = ()

    @property
    def network(self) -> FusedNetwork:
        """The product alone."""
        return FusedNetwork(factors=self.factors)

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Descend by PyTorch, on one thread.

        Raises
        ------
        ConfigError
            If PyTorch is not installed.
        DesignError
            If the weights do not stay finite, or the pairs of an epoch do not fit into memory.
        """
        crossed = CrossedNetwork(self.network, side_features(train.n_users, train.user_table))
        weights = self._minimised(crossed, crossed.start(train, rng), train, rng)
        self._learned = self._withheld(crossed.gated(weights), train)
        return self
