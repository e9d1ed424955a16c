"""Latent Cross: context multiplies a product of factors."""

from typing import Self

import numpy as np

from recsens.data.interactions import Interactions
from recsens.recommenders._collaborative_network import CollaborativeNetwork
from recsens.recommenders._latent_crosses import CrossedNetwork
from recsens.recommenders._neural_networks import FusedNetwork
from recsens.recommenders._preference import counted
from recsens.recommenders._side_features import side_features


class LatentCross(CollaborativeNetwork):
    """s(u, i) = h · [(1 + Σ_c x_c w_c) ∘ p_u ∘ q_i] + b, learnt as ``gmf``; without context it is ``gmf``, byte for byte.

    The context x consists of u's columns in the side table of users, and the interaction's columns in the table of contexts: one
    feature for each level of a category or set, and one for each column of numbers, which are standardised. w_c starts from N(0,
    0.01²), so the gate 1 + Σ_c x_c w_c starts near 1. A sampled pair has the context of the rated pair for which it is drawn,
    because its item was not chosen at that request. The context of future requests is unknown, so a score is the mean of s over the
    contexts of the user's rated pairs.

    The paper multiplies the hidden state of a recurrent network by the context of a request (time, device). This network is not
    recurrent, so the context multiplies the hidden vector of the pair, p_u ∘ q_i.

    Users and items without train ratings that count are not computable.
    """

    source = "Beutel, Covington, Jain, Xu, Li, Gatto & Chi (2018), Latent Cross, section 5.2; the network of He et al. (2017), GMF"
    pace = 30
    needs = ()

    @property
    def network(self) -> FusedNetwork:
        """The network whose hidden vector the context multiplies: the product of factors, without a tower of layers."""
        return FusedNetwork(factors=self.factors)

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Descend the gradient with PyTorch, on one thread.

        Raises
        ------
        ConfigError
            If PyTorch is not installed.
        DesignError
            If the weights do not stay finite, or the pairs of an epoch do not fit into memory.
        """
        crossed = self._crossed(train)
        weights = self._minimised(crossed, crossed.start(train, rng), train, rng, numbered="request" in crossed.tables)
        self._learned = self._withheld(crossed.gated(weights), train)
        return self

    def _crossed(self, train: Interactions) -> CrossedNetwork:
        """Cross the network with the contexts of the pairs that count, in the order of `RatedPairs`."""
        rated = counted(train, self.preference)
        order = np.lexsort((rated.item, rated.user))
        users, requests = side_features(train.n_users, train.user_table), side_features(len(rated), rated.context_table)
        return CrossedNetwork(self.network, users, requests[order], rated.user[order])
