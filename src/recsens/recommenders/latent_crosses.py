"""Latent crosses: context multiplies the hidden vector of a network.

latent_cross: Latent Cross: context multiplies a product of factors.
lc_nn: LC-NN: a network with a latent cross that predicts ratings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.recommenders import Ids, Ints, Reals, Recommender, SearchSpace
from recsens.recommenders._factors import means_by_user, normal_draws, side_features
from recsens.recommenders._gradient_descent import Labelled, Steps, Weights, descend
from recsens.recommenders._neural_networks import CollaborativeNetwork, FusedNetwork
from recsens.recommenders._preference import select_counted

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

    def with_gates(self, weights: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
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

    label = "latent_cross"
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
        self._learned = self._withheld(crossed.with_gates(weights), train)
        return self

    def _crossed(self, train: Interactions) -> CrossedNetwork:
        """Cross the network with the contexts of the pairs that count, in the order of `RatedPairs`."""
        rated = select_counted(train, self.preference)
        order = np.lexsort((rated.item, rated.user))
        users, requests = side_features(train.n_users, train.user_table), side_features(len(rated), rated.context_table)
        return CrossedNetwork(self.network, users, requests[order], rated.user[order])


class LCNN(Recommender):
    """s(u, i) = h · [(1 + Σ_c x_c w_c) ∘ z_L] + b, a predicted rating, where z_0 = [p_u; q_i], z_l = max(0, W_l z_{l-1} + b_l).

    Adam minimises the mean of (r_ui - s)², in batches of train ratings in random order. The context x comes from the side tables of
    users and of contexts, as in ``latent_cross``; without these tables, 1 + Σ_c x_c w_c is 1. A score is the mean of s over the
    contexts of the user's train ratings; publications that predict a rating from its own context report a different error. b starts
    at the mean rating, and all other weights as in ``mlp``.

    This recommender replaces the paper's LC-NN, which is not specified well enough to be rebuilt. From the paper we take the user's
    profile as context, a latent cross, a pointwise loss on ratings, a regressor of one layer at the top, and Adam with steps of
    .005, batches of 64 and ten epochs. We leave out convolutions (filters of 1, 2 and 2; maps of 150, 500, 500 and 256), because
    the order of their input is unspecified; a triplet hinge loss on normalised embeddings, which the pointwise loss contradicts; a
    momentum of .9, given in addition to Adam; dropout (.05, and .5, .5 and .25), because its places are unspecified; and "the dot
    product of hidden vector and context vector", where Latent Cross multiplies elementwise. The width and depth of the tower are
    our choice.

    Users and items without train ratings are not computable.
    """

    label = "lc_nn"
    source = "Aftab & Ramampiaro (2022), section IV, as far as it is specified; Beutel et al. (2018), section 5.2"
    pace = 20
    also_called = ("latent_cross_neural_network",)
    extra = "neural"
    needs = ()
    predicts_ratings = True
    synonyms: ClassVar[Mapping[str, str]] = dict.fromkeys(("batch", "train_batch_size"), "batch_size")
    search_space = SearchSpace(
        "epochs=log_uniform(low=5,high=50),factors=log_uniform(low=4,high=64),learning_rate=log_uniform(low=0.0001,high=0.01)",
        "as for latent_cross",
    )

    factors: int = Field(32, ge=1, le=1024, description="width of the last layer")
    layers: int = Field(2, ge=1, le=8, description="number L of layers, each half as wide as the one below")
    epochs: int = Field(10, ge=1, le=10_000, description="passes over the ratings")
    batch_size: int = Field(64, ge=1, le=1_000_000, description="ratings per step")
    learning_rate: float = Field(0.005, gt=0, le=1, description="length of a step")

    @property
    def network(self) -> FusedNetwork:
        """The network without context."""
        return FusedNetwork(narrowest=self.factors, layers=self.layers)

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Descend the gradient with PyTorch, on one thread.

        Raises
        ------
        ConfigError
            If PyTorch is not installed.
        DesignError
            If the weights do not stay finite.
        """
        crossed = CrossedNetwork.around(self.network, train)
        start = crossed.start(train, rng)
        start["bias"] += np.float32(train.values.mean() if len(train) else 0.0)
        steps = Steps(self.epochs, self.batch_size, self.learning_rate)
        weights = descend(self, crossed, start, lambda: _shuffled(train, rng), steps, loss="squared_error")
        self._learned = crossed.with_gates(weights)
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Run the network for all items, without PyTorch."""
        scores = self.network.scores(self._learned, users)
        scores[train.user_counts[users] == 0, :] = np.nan
        scores[:, train.item_counts == 0] = np.nan
        return scores


def _shuffled(train: Interactions, rng: np.random.Generator) -> Labelled:
    """Return the train ratings in random order."""
    order = rng.permutation(len(train))
    user, item = train.user[order].astype(np.int64), train.item[order].astype(np.int64)
    return Labelled(user, item, train.values[order].astype(np.float32), order)
